public import CameraProtocol
import Glibc

extension MediaLibrary {
  /// The most that a page holds.
  public static let largestPage = 1000

  /// A page of what is in the album, the newest first. `cameras`: the ids that are meant by the wanted camera; nil for
  /// it as it is. Throws `valueOutOfRange` for what can't be asked for, `libraryUnavailable`.
  public func list(_ wanted: ListAssets.Parameters, cameras: [String]? = nil) throws(CameraError) -> ListAssets.Reply {
    let limit = wanted.limit ?? 50
    guard (1...Self.largestPage).contains(limit) else {
      throw CameraError(.valueOutOfRange, "a page has 1 to \(Self.largestPage) assets, not \(limit)")
    }
    let filter = try AssetFilter(wanted, cameras: cameras)
    var page = filter
    if let cursor = wanted.after {
      guard let position = AssetPosition(cursor) else {
        throw CameraError(.valueOutOfRange, "'after' is not the 'next' of a page")
      }
      page.add("(time, id) < (?, ?)", [.integer(position.time), .text(position.id)])
    }
    let root = root
    let (paged, total) = (page, filter)
    let found = try index.use { (database) throws(DatabaseError) in
      let records = try database.rows(
        "SELECT \(AssetRecord.columns) FROM asset WHERE \(paged.text) ORDER BY time DESC, id DESC LIMIT ?",
        paged.values + [.integer(limit + 1)]
      ) { AssetRecord($0, root: root) }
      // to count a hundred thousand takes longer than the page
      let count = "SELECT \(total.isPlain ? "sum(files) FROM tally" : "count(*) FROM asset") WHERE \(total.text)"
      return (records, try database.first(count, total.values) { $0.integer(0) } ?? 0)
    }
    guard let (records, count) = found else {
      return ListAssets.Reply(assets: [], total: 0, next: nil, scanning: isScanning)
    }
    let shown = records.prefix(limit)
    return ListAssets.Reply(
      assets: shown.map(\.asset), total: count,
      next: records.count > limit ? shown.last?.position.cursor : nil, scanning: isScanning)
  }

  /// Marks assets, or takes the mark away. Where an id is unknown, nothing is done. Returns the assets as they are then.
  /// Throws `noSuchAsset`, `libraryUnavailable`.
  public func setFavorite(_ ids: [String], _ favorite: Bool) throws(CameraError) -> [Asset] {
    var assets: [Asset] = []
    for var record in try records(ids) {
      let file = try openFile(record.path, id: record.asset.id)
      let old = record.asset
      record.asset.favorite = favorite
      var attributes = AssetAttributes.load(from: file.rawValue) ?? AssetAttributes(old)
      attributes.favorite = favorite ? true : nil
      // only where files can have no such attributes is the index alone trusted with it
      if !attributes.save(on: file.rawValue), errno != ENOTSUP {
        throw .fileSystem("mark", path: "\(root)/\(record.path)", number: errno)
      }
      try index.move(from: record.path, to: record)
      assets.append(record.asset)
      if record.state == .ok, old.favorite != favorite { reporter.report(.changed(record.asset)) }
    }
    return assets
  }
}

extension AssetPosition {
  /// As clients see it.
  var cursor: String { "\(time)~\(id)" }

  /// Reads what `cursor` gives.
  init?(_ cursor: String) {
    let parts = cursor.split(separator: "~", maxSplits: 1)
    guard parts.count == 2, let time = Int(parts[0]) else { return nil }
    self.init(time: time, id: String(parts[1]))
  }
}

/// The conditions of a list.
struct AssetFilter: Sendable {
  private(set) var text: String
  private(set) var values: [Database.Value]
  /// Whether they are of state and kind only.
  private(set) var isPlain = true

  /// Those that are wanted. Throws `valueOutOfRange`.
  init(_ wanted: ListAssets.Parameters, cameras: [String]?) throws(CameraError) {
    text = "state = ?"
    values = [.integer((wanted.state ?? .ok).number)]
    if let kinds = wanted.kinds { add(any: kinds.map { .integer($0.number) }, of: "kind") }
    isPlain = true  // so far
    if let camera = wanted.camera { add(any: (cameras ?? [camera]).map { .text($0) }, of: "camera") }
    if let since = wanted.since { add("time >= ?", [.integer(since.sinceEpoch)]) }
    if let until = wanted.until { add("time < ?", [.integer(until.sinceEpoch)]) }
    // as a word of the statement, so that the index of the marked ones is used
    if let favorite = wanted.favorite { add("favorite = \(favorite ? 1 : 0)", []) }
    if let origin = wanted.origin { add("origin = ?", [.text(origin.rawValue)]) }
    guard let near = wanted.near else { return }
    guard (-90...90).contains(near.latitude), (-180...180).contains(near.longitude),
      near.kilometres >= 0, near.kilometres.isFinite
    else {
      throw CameraError(
        .valueOutOfRange, "near is a latitude from -90 to 90, a longitude from -180 to 180 and kilometres from 0")
    }
    let degrees = Distance.degrees(near.kilometres) + 1e-6
    add(
      "latitude BETWEEN ? AND ? AND distance(latitude, longitude, ?, ?) <= ?",
      [near.latitude - degrees, near.latitude + degrees, near.latitude, near.longitude, near.kilometres]
        .map { .real($0) })
  }

  /// One more condition.
  mutating func add(_ condition: String, _ values: [Database.Value]) {
    text += " AND \(condition)"
    isPlain = false
    self.values += values
  }

  private mutating func add(any choices: [Database.Value], of column: String) {
    add("\(column) IN (\(choices.map { _ in "?" }.joined(separator: ", ")))", choices)
  }
}
