import CameraProtocol
import Glibc

extension MediaLibrary {
  /// What looking at a file has shown.
  enum Finding {
    /// It is no medium, hidden, not whole yet, or in the hands of somebody here.
    case nothing
    /// The index is true to it.
    case unchanged
    /// The index needs this; `known` is what it has.
    case news(AssetRecord, known: AssetRecord?)
  }

  /// Looks at a file of a folder. `known`: what the index has of that path. `settled`: its writer has closed it.
  func examine(
    _ name: String, in folder: borrowing Descriptor, path: String, known: AssetRecord?, settled: Bool
  ) throws(CameraError) -> Finding {
    guard MediaReader.kind(ofName: name) != nil else { return .nothing }
    let raw = openat(folder.rawValue, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard raw >= 0 else {
      let number = errno
      var status = stat()
      // others are gone, or links
      guard [EACCES, EPERM, EIO].contains(number), Trash.Place(path) == nil,
        fstatat(folder.rawValue, name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.isRegularFile,
        known?.stamp != FileStamp(status)
      else { return .nothing }
      var record = MediaReader.unreadable(status, path: path, root: root, number: number)
      record.asset.id = known?.asset.id ?? record.asset.id
      return .news(record, known: known)
    }
    let file = Descriptor(owning: raw)
    guard let status = file.status, status.isRegularFile else { return .nothing }
    let stamp = FileStamp(status)
    // one that could not be read may be allowed to now
    if let known, known.stamp == stamp, known.state != .damaged { return .unchanged }
    guard !ownFiles.contains(stamp.inode), !MediaReader.isBeingWritten(file.rawValue, status, settled: settled) else {
      return .nothing
    }
    let trashed = Trash.Place(path)
    // what was just published here is in the index since
    var known = try index.record(at: path, root: root) ?? known
    if let known, known.stamp == stamp, known.state != .damaged { return .unchanged }
    if known == nil { known = try moved(to: path, stamp) }
    var record = MediaReader.record(
      file.rawValue, status, path: path, root: root, known: known, trashed: trashed)
    if let known, known.stamp == stamp, known.state == record.state, record.state == .damaged { return .unchanged }
    if let known, known.path != path {
      record.asset.id = known.asset.id
      keepID(of: record, on: file.rawValue, visible: trashed?.path ?? path)
    }
    return .news(record, known: known)
  }

  /// The record of the file that has been moved to a path: the same file, and nothing is where it was.
  private func moved(to path: String, _ stamp: FileStamp) throws(CameraError) -> AssetRecord? {
    let root = root
    let candidates = try index.use { (database) throws(DatabaseError) in
      try database.rows("SELECT \(AssetRecord.columns) FROM asset WHERE inode = ?", [.integer(stamp.inode)]) {
        AssetRecord($0, root: root)
      }
    }
    return candidates?.first { $0.path != path && $0.stamp == stamp && folder.isGone($0.path) }
  }

  /// Writes the id on a file whose path doesn't give it.
  func keepID(of record: AssetRecord, on descriptor: Int32, visible: String) {
    var attributes = AssetAttributes.load(from: descriptor) ?? AssetAttributes(record.asset)
    let id = record.asset.id == MediaReader.id(ofPath: visible) ? nil : record.asset.id
    guard attributes.id != id else { return }
    attributes.id = id
    attributes.save(on: descriptor)  // where that can't be, the index alone knows it
  }

  /// Makes the index true to what was found, unless it is so no more or somebody else has done it. `tell` hears in turn
  /// what has happened.
  func take(
    _ news: [(record: AssetRecord, known: AssetRecord?)], tell: ([LibraryChange]) -> Void
  ) throws(CameraError) {
    guard !news.isEmpty else { return }
    try schedule.taking.inTurn { () throws(CameraError) in
      var current: [(record: AssetRecord, known: AssetRecord?)] = []
      for item in news where try isCurrent(item.record, item.known) { current.append(item) }
      tell(try put(current))
    }
  }

  /// Forgets of files that are gone those that the kernel's news, which `deliver` has to bring up to now, did not find
  /// elsewhere. Returns how many.
  func forget(
    _ records: [AssetRecord], deliver: () -> Void, tell: ([LibraryChange]) -> Void
  ) throws(CameraError) -> Int {
    let missing = records.filter { folder.isGone($0.path) }
    guard !missing.isEmpty else { return 0 }
    deliver()
    return try schedule.taking.inTurn { () throws(CameraError) in
      var gone: [AssetRecord] = []
      var paths: Set<String> = []
      for record in missing where paths.insert(record.path).inserted && folder.isGone(record.path) {
        guard let now = try index.record(at: record.path, root: root), now.stamp == record.stamp else { continue }
        gone.append(now)
      }
      try index.remove(paths: gone.map(\.path))
      tell(gone.filter { $0.state == .ok }.map { .removed($0.asset) })
      return gone.count
    }
  }

  private func isCurrent(_ record: AssetRecord, _ known: AssetRecord?) throws(CameraError) -> Bool {
    guard try stamp(of: record.path) == record.stamp else { return false }
    let now = try index.record(at: record.path, root: root)
    return now == nil || now?.stamp != record.stamp || now?.state != record.state || now == known
  }

  private func put(_ news: [(record: AssetRecord, known: AssetRecord?)]) throws(CameraError) -> [LibraryChange] {
    guard !news.isEmpty else { return [] }
    let left = news.compactMap { item in
      item.known.flatMap { $0.path == item.record.path ? nil : $0.path }
    }
    if !left.isEmpty { try index.remove(paths: left) }
    let stored = try index.put(news.map(\.record))
    for (item, record) in zip(news, stored) where record.asset.id != item.record.asset.id {
      // another file has that id already; where this one is gone again, it needs none
      guard record.state == .ok, let file = try? openFile(record.path, id: record.asset.id) else { continue }
      keepID(of: record, on: file.rawValue, visible: Trash.Place(record.path)?.path ?? record.path)
    }
    return zip(news, stored).compactMap { item, record in
      switch record.state {
      case .damaged where item.known?.state == .damaged: return nil
      case .damaged:
        return .warning("'\(record.asset.path ?? record.path)' can't be read: \(record.asset.damage ?? "damaged")")
      case .trashed: return nil
      case .ok:
        return item.known == nil || item.known?.state != .ok ? .added(record.asset) : .changed(record.asset)
      }
    }
  }
}
