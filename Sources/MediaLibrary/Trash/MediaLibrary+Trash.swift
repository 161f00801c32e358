public import CameraProtocol
import Glibc

extension MediaLibrary {
  /// Puts assets into the trash, or, with `permanently`, removes their files for good, those in the trash as well. Where
  /// an id is unknown, nothing is done. Returns the assets as they were. Throws `noSuchAsset`, `libraryUnavailable`.
  public func delete(_ ids: [String], permanently: Bool) throws(CameraError) -> [Asset] {
    let records = try records(ids)
    var done: [Asset] = []
    for record in records {
      if permanently {
        try erase(record)
      } else if record.state != .trashed {
        try moveToTrash(record)
      }
      done.append(record.asset)
      if record.state == .ok { reporter.report(.removed(record.asset)) }
    }
    if !permanently { scheduleTidying() }
    return done
  }

  /// Takes assets out of the trash; what isn't in it stays where it is. A file whose place is taken meanwhile gets another
  /// name. Returns the assets as they are then. Throws `noSuchAsset`, `libraryUnavailable`.
  public func restore(_ ids: [String]) throws(CameraError) -> [Asset] {
    let records = try records(ids)
    var done: [Asset] = []
    for record in records {
      guard record.state == .trashed, let place = Trash.Place(record.path) else {
        done.append(record.asset)
        continue
      }
      let restored = try takeOut(record, place)
      done.append(restored.asset)
      if restored.state == .ok { reporter.report(.added(restored.asset)) }
    }
    return done
  }

  /// Removes for good what is in the trash. Returns how many files and bytes those were. Throws `libraryUnavailable`.
  public func emptyTrash() throws(CameraError) -> (files: Int, bytes: Int) {
    var (files, bytes) = (0, 0)
    guard let trash = try folder.openFolder(at: Trash.path) else { return (0, 0) }
    try removeAll(in: trash, path: "\(root)/\(Trash.path)", &files, &bytes)
    _ = try index.use { (database) throws(DatabaseError) in try database.run("DELETE FROM asset WHERE state = 2") }
    return (files, bytes)
  }

  /// The records of some ids, each once.
  func records(_ ids: [String]) throws(CameraError) -> [AssetRecord] {
    var records: [AssetRecord] = []
    for id in ids where !records.contains(where: { $0.asset.id == id }) { records.append(try record(id)) }
    return records
  }

  /// Removes a file for good; no matter if it is gone already. `onlyUnchanged`: only if it is the file that the record is
  /// about. False where it stays for that reason.
  @discardableResult
  func erase(_ record: AssetRecord, onlyUnchanged: Bool = false) throws(CameraError) -> Bool {
    if let parent = try folder.openFolder(at: record.path.parentPath) {
      let name = record.path.lastPart
      var status = stat()
      // what stands there now may be something else
      let isFile = fstatat(parent.rawValue, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && status.isRegularFile
      if onlyUnchanged, isFile, FileStamp(status) != record.stamp { return false }
      guard !isFile || unlinkat(parent.rawValue, name, 0) == 0 || errno == ENOENT else {
        throw .fileSystem("remove", path: "\(root)/\(record.path)", number: errno)
      }
      guard fsync(parent.rawValue) == 0 else {
        throw .fileSystem("write to the disk", path: root, number: errno)
      }
    }
    try index.remove(paths: [record.path])
    if record.state == .trashed { tidyFolders(of: record.path) }
    return true
  }

  private func moveToTrash(_ record: AssetRecord) throws(CameraError) {
    let full = "\(root)/\(record.path)"
    let now = Timestamp.now
    guard let source = try folder.openFolder(at: record.path.parentPath) else {
      throw Self.noSuchAsset(record.asset.id, path: full)
    }
    var milliseconds = now.seconds * 1000 + now.nanoseconds / 1_000_000
    while true {
      let path = Trash.path(of: record.path, milliseconds: milliseconds)
      let target = try folder.makeFolder(at: path.parentPath)
      guard
        let number = FilePublisher.rename(
          record.path.lastPart, in: source.rawValue, to: record.path.lastPart, in: target.rawValue)
      else {
        guard fsync(target.rawValue) == 0, fsync(source.rawValue) == 0 else {
          throw .fileSystem("write to the disk", path: root, number: errno)
        }
        var moved = record
        moved.path = path
        moved.asset.path = "\(root)/\(path)"
        moved.state = .trashed
        moved.asset.trashed = Timestamp(seconds: milliseconds / 1000, nanoseconds: milliseconds % 1000 * 1_000_000)
        try index.move(from: record.path, to: moved)
        return
      }
      tidyFolders(of: path)
      if number == ENOENT { throw Self.noSuchAsset(record.asset.id, path: full) }
      guard number == EEXIST else { throw .fileSystem("move into the trash", path: full, number: number) }
      milliseconds += 1
    }
  }

  private func takeOut(_ record: AssetRecord, _ place: Trash.Place) throws(CameraError) -> AssetRecord {
    let full = "\(root)/\(record.path)"
    let file = try openFile(record.path, id: record.asset.id)
    guard let source = try folder.openFolder(at: record.path.parentPath) else {
      throw Self.noSuchAsset(record.asset.id, path: full)
    }
    let target = try folder.makeFolder(at: place.path.parentPath)
    let restored = try ownFiles.claim(file.rawValue) { () throws(CameraError) -> AssetRecord in
      var number = 1
      while true {
        let path = joined(place.path.parentPath, Self.name(place.path.lastPart, number: number))
        var moved = record
        moved.path = path
        moved.asset.path = "\(root)/\(path)"
        moved.asset.trashed = nil
        moved.state = record.asset.damage == nil ? .ok : .damaged
        keepID(of: moved, on: file.rawValue, visible: path)
        guard
          let error = FilePublisher.rename(
            record.path.lastPart, in: source.rawValue, to: path.lastPart, in: target.rawValue)
        else {
          guard fsync(target.rawValue) == 0, fsync(source.rawValue) == 0 else {
            throw .fileSystem("write to the disk", path: root, number: errno)
          }
          try index.move(from: record.path, to: moved)
          return moved
        }
        guard error == EEXIST, number < CaptureName.largestNumber else {
          throw .fileSystem("take out of the trash", path: full, number: error)
        }
        number += 1
      }
    }
    tidyFolders(of: record.path)
    return restored
  }

  /// A name as it is, or the numbered one beside it.
  private static func name(_ name: String, number: Int) -> String {
    guard number > 1 else { return name }
    if var capture = CaptureName(name) {
      capture.number = max(capture.number, 1) + number - 1
      return capture.name
    }
    guard let point = name.lastIndex(of: ".") else { return "\(name)_\(number)" }
    return "\(name[..<point])_\(number)\(name[point...])"
  }

  /// Removes the folders of the trash above a path that are empty now. What isn't empty stays, by the kernel's word.
  private func tidyFolders(of path: String) {
    var path = path.parentPath
    while path.hasPrefix("\(Trash.path)/") {
      do throws(CameraError) {
        guard let parent = try folder.openFolder(at: path.parentPath),
          unlinkat(parent.rawValue, path.lastPart, AT_REMOVEDIR) == 0
        else { return }
      } catch {
        return reporter.warn("the trash can't be tidied up: \(error)")
      }
      path = path.parentPath
    }
  }

  private func removeAll(
    in folder: borrowing Descriptor, path: String, _ files: inout Int, _ bytes: inout Int
  ) throws(CameraError) {
    for name in try Self.names(in: folder, path: path) {
      var status = stat()
      guard fstatat(folder.rawValue, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
      if status.isFolder {
        guard let inner = Self.openFolder(name, in: folder) else { continue }
        try removeAll(in: inner, path: "\(path)/\(name)", &files, &bytes)
      }
      guard unlinkat(folder.rawValue, name, status.isFolder ? AT_REMOVEDIR : 0) == 0 else {
        throw .fileSystem("remove", path: "\(path)/\(name)", number: errno)
      }
      if !status.isFolder {
        files += 1
        bytes += Int(status.st_size)
      }
    }
  }
}

extension AlbumFolder {
  /// Opens a folder by its path from the root on, and makes what is missing.
  func makeFolder(at path: String) throws(CameraError) -> Descriptor {
    guard var folder = try openRoot(creating: true) else {
      throw .fileSystem("open the folder", path: "\(root)/\(path)", number: ENOENT)
    }
    for part in path.split(separator: "/") {
      let full = "\(root)/\(path)"
      guard let next = try Self.open(String(part), in: folder, path: full, creating: true) else {
        throw .fileSystem("open the folder", path: full, number: ENOENT)
      }
      folder = next
    }
    return folder
  }
}

extension AssetIndex {
  /// Takes up that a file has moved.
  func move(from path: String, to record: AssetRecord) throws(CameraError) {
    _ = try use(changes: 1) { (database) throws(DatabaseError) in
      try database.transaction { () throws(DatabaseError) in
        try database.run("DELETE FROM asset WHERE path = ?", [.text(path)])
        _ = try database.put(record)
      }
    }
  }
}

extension String {
  /// The path of the folder that a path's last part lies in; empty for a single part.
  var parentPath: String { lastIndex(of: "/").map { String(self[..<$0]) } ?? "" }

  /// What stands behind the last slash.
  var lastPart: String { lastIndex(of: "/").map { String(self[index(after: $0)...]) } ?? self }
}
