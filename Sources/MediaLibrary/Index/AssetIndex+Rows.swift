import CameraProtocol
import Glibc

extension AssetIndex {
  /// The asset of that id, however it stands; nil where there is none.
  func record(_ id: String, root: String) throws(CameraError) -> AssetRecord? {
    let found = try use { (database) throws(DatabaseError) in
      try database.first("SELECT \(AssetRecord.columns) FROM asset WHERE id = ?", [.text(id)]) {
        AssetRecord($0, root: root)
      }
    }
    return found ?? nil
  }

  /// The asset at a path from the root on.
  func record(at path: String, root: String) throws(CameraError) -> AssetRecord? {
    let found = try use { (database) throws(DatabaseError) in try database.record(at: path, root: root) }
    return found ?? nil
  }

  /// The newest of a kind that is all right.
  func newest(_ kind: AssetKind, root: String) throws(CameraError) -> AssetRecord? {
    let found = try use { (database) throws(DatabaseError) in
      try database.first(
        """
        SELECT \(AssetRecord.columns) FROM asset WHERE state = 0 AND kind = ? ORDER BY time DESC, id DESC LIMIT 1
        """, [.integer(kind.number)]
      ) { AssetRecord($0, root: root) }
    }
    return found ?? nil
  }

  /// Which kinds there are.
  func kinds() throws(CameraError) -> Set<AssetKind> {
    let found = try use { (database) throws(DatabaseError) in
      var kinds: [AssetKind] = []
      for kind in AssetKind.allCases {
        let isThere = try database.first(
          "SELECT 1 FROM asset WHERE state = 0 AND kind = ? LIMIT 1", [.integer(kind.number)]
        ) { _ in true }
        if isThere != nil { kinds.append(kind) }
      }
      return kinds
    }
    return Set(found ?? [])
  }

  /// Takes up records, in place of what is known of their paths. Returns them with the ids that they have then.
  func put(_ records: [AssetRecord]) throws(CameraError) -> [AssetRecord] {
    let stored = try use(creating: true, changes: records.count) { (database) throws(DatabaseError) in
      try database.transaction { () throws(DatabaseError) in
        var stored: [AssetRecord] = []
        for record in records { stored.append(try database.put(record)) }
        return stored
      }
    }
    return stored ?? records
  }

  /// Forgets what is at some paths.
  func remove(paths: [String]) throws(CameraError) {
    _ = try use(changes: paths.count) { (database) throws(DatabaseError) in
      try database.transaction { () throws(DatabaseError) in
        for path in paths { try database.run("DELETE FROM asset WHERE path = ?", [.text(path)]) }
      }
    }
  }

  /// A number that is kept under a name.
  func fact(_ name: String) throws(CameraError) -> Int? {
    let found = try use { (database) throws(DatabaseError) in
      try database.first("SELECT value FROM fact WHERE name = ?", [.text(name)]) { $0.integer(0) }
    }
    return found ?? nil
  }

  /// Keeps a number under a name.
  func setFact(_ name: String, _ value: Int) throws(CameraError) {
    _ = try use { (database) throws(DatabaseError) in
      try database.run("INSERT OR REPLACE INTO fact VALUES (?, ?)", [.text(name), .integer(value)])
    }
  }
}

extension Database {
  func record(at path: String, root: String) throws(DatabaseError) -> AssetRecord? {
    try first("SELECT \(AssetRecord.columns) FROM asset WHERE path = ?", [.text(path)]) {
      AssetRecord($0, root: root)
    }
  }

  /// Writes one record. An id that another path has is taken by the first one who came.
  func put(_ record: AssetRecord) throws(DatabaseError) -> AssetRecord {
    var record = record
    try run("DELETE FROM asset WHERE path = ?", [.text(record.path)])
    let wanted = record.asset.id
    var number = 1
    while try first("SELECT 1 FROM asset WHERE id = ?", [.text(record.asset.id)], { _ in true }) != nil {
      number += 1
      record.asset.id = "\(wanted)~\(number)"
    }
    let marks = Array(repeating: "?", count: record.values.count).joined(separator: ", ")
    try run("INSERT INTO asset (\(AssetRecord.columns)) VALUES (\(marks))", record.values)
    return record
  }
}
