import CFileSystem
public import CameraProtocol
import PhotoFile
import Glibc

/// What became of a file that was imported.
public struct ImportedFile: Sendable {
  /// The asset.
  public var asset: Asset
  /// True where the album had the same content before, and nothing was done.
  public var isDuplicate: Bool
}

extension MediaLibrary {
  /// Copies a file into the album, under its own date, when it can be played and edited. `descriptor`: open for reading; its
  /// position is neither used nor moved. `name`: what it is called in errors. `progress`: is told how many bytes are
  /// copied, and of how many. Blocks until the copy is on the disk. Throws `notCompatible` with the reason, `diskFull` or
  /// `libraryUnavailable`, and then leaves nothing behind.
  public func importFile(
    _ descriptor: Int32, name: String, progress: (_ copied: Int, _ bytes: Int) -> Void = { _, _ in }
  ) throws(CameraError) -> ImportedFile {
    let name = Self.shown(name)
    let status = try Self.readable(descriptor, name)
    let size = Int(status.st_size)
    var head = [UInt8](repeating: 0, count: 4096)
    let count = pread(descriptor, &head, head.count, 0)
    guard count >= 0 else { throw Self.refusal(name, "it can't be read: \(String(cString: strerror(errno)))") }
    guard let format = ImportFormat(head: Array(head.prefix(count))) else {
      throw Self.refusal(name, "it is not \(ImportFormat.known)")
    }
    if let same = try duplicate(of: descriptor, size: size) { return ImportedFile(asset: same, isDuplicate: true) }
    try checkSpace(for: size)
    let found = MediaReader.record(descriptor, status, path: "import.\(format.fileExtension)", root: root, known: nil)
    if let damage = found.asset.damage { throw Self.refusal(name, damage) }
    let asset = Self.imported(found.asset)
    let wanted = CaptureName(time: asset.time, format: Self.ending(format, asset.kind))
    let path = folder.path(for: wanted)
    guard let day = try folder.openFolder(for: wanted, creating: true) else {
      throw .fileSystem("open the folder", path: path, number: ENOENT)
    }
    var temporary = temporaryName(for: wanted)
    let file: Descriptor
    do throws(FilePublisher.SystemError) {
      file = try makeTemporary(&temporary, for: wanted, in: day)
    } catch {
      throw .fileSystem("import into", path: path, number: error.number)
    }
    do throws(CameraError) {
      try copy(descriptor, status, name, to: file, path: path, progress)
      try ImportCheck(descriptor: file.rawValue, name: name, format: format).run()
      return ImportedFile(
        asset: try publish(asset, temporary, file, as: wanted, in: day, path: path), isDuplicate: false)
    } catch {
      // Not there any more where only the last sync failed.
      unlinkat(day.rawValue, temporary, 0)
      throw error
    }
  }

  private func copy(
    _ descriptor: Int32, _ status: stat, _ name: String, to file: borrowing Descriptor, path: String,
    _ progress: (Int, Int) -> Void
  ) throws(CameraError) {
    let size = Int(status.st_size)
    do throws(FileCopy.Failure) {
      try FileCopy.copy(descriptor, size: size, to: file.rawValue) { progress($0, size) }
    } catch {
      switch error {
      case .reading(let number): throw Self.refusal(name, "it can't be read: \(String(cString: strerror(number)))")
      case .writing(let number): throw .fileSystem("import into", path: path, number: number)
      case .shrunk: throw Self.refusal(name, "it became shorter meanwhile: something is writing to it")
      }
    }
    var now = stat()
    guard fstat(descriptor, &now) == 0, FileStamp(now) == FileStamp(status) else {
      throw Self.refusal(name, "something is writing to it; wait until it is complete")
    }
  }

  private func publish(
    _ asset: Asset, _ temporary: String, _ file: borrowing Descriptor, as wanted: CaptureName,
    in day: borrowing Descriptor, path: String
  ) throws(CameraError) -> Asset {
    var attributes = AssetAttributes(asset)
    // files that don't know it are told by their time of change, which copies and backups lose
    attributes.time = asset.time
    attributes.save(on: file.rawValue)
    guard fsync(file.rawValue) == 0 else { throw .fileSystem("import into", path: path, number: errno) }
    let entered = try enter(asset, temporary, file.rawValue, from: day, as: wanted, in: day, path: path)
    reporter.report(.added(entered))
    return entered
  }

  // MARK: What comes

  /// What is known of an open file, where it is one that can be copied.
  private static func readable(_ descriptor: Int32, _ name: String) throws(CameraError) -> stat {
    var status = stat()
    let flags = fcntl(descriptor, F_GETFL)
    guard flags >= 0, fstat(descriptor, &status) == 0 else { throw refusal(name, "its descriptor is not open") }
    guard status.isRegularFile else { throw refusal(name, "it is \(kind(status)) and no file") }
    guard flags & O_ACCMODE != O_WRONLY, flags & Int32(CFS_PATH) == 0 else {
      throw refusal(name, "its descriptor is not open for reading")
    }
    guard status.st_size > 0 else { throw refusal(name, "it is empty") }
    // one's own descriptor for writing would count too
    if flags & O_ACCMODE == O_RDONLY, MediaReader.isBeingWritten(descriptor, status, settled: true) {
      throw refusal(name, "something is writing to it; wait until it is complete")
    }
    return status
  }

  private static func kind(_ status: stat) -> String {
    switch status.st_mode & S_IFMT {
    case S_IFDIR: "a folder"
    case S_IFIFO: "a pipe"
    case S_IFSOCK: "a socket"
    case S_IFCHR, S_IFBLK: "a device"
    default: "something else"
    }
  }

  /// An asset of the album that holds the same bytes.
  private func duplicate(of descriptor: Int32, size: Int) throws(CameraError) -> Asset? {
    for record in try index.records(ofSize: size, root: root) {
      guard let file = try? openFile(record.path, id: record.asset.id) else { continue }
      if FileCopy.isEqual(descriptor, file.rawValue, size: size) { return record.asset }
    }
    return nil
  }

  /// What the file says, without what only the album that it came from says.
  private static func imported(_ asset: Asset) -> Asset {
    var asset = asset
    (asset.origin, asset.favorite, asset.parent, asset.recovered, asset.trashed) = (.imported, false, nil, nil, nil)
    // names and the index have milliseconds
    asset.time = Timestamp(sinceEpoch: asset.time.sinceEpoch, offset: asset.time.offset)
    return asset
  }

  private static func ending(_ format: ImportFormat, _ kind: AssetKind) -> String {
    switch (format.fileExtension, kind) {
    case ("mp4", .audio): "m4a"
    case ("mkv", .audio): "mka"
    default: format.fileExtension
    }
  }

  /// The last part of a path, in one line.
  private static func shown(_ name: String) -> String {
    let last = name.split(separator: "/").last.map(String.init) ?? "the file"
    return last.unicodeScalars.prefix(200).map { $0.value < 32 || $0.value == 127 ? "?" : String($0) }.joined()
  }

  private static func refusal(_ name: String, _ reason: String) -> CameraError {
    CameraError(.notCompatible, "'\(name)' can't be imported: \(reason)")
  }
}

extension AssetIndex {
  /// Assets that are all right and whose files have that size.
  func records(ofSize size: Int, root: String) throws(CameraError) -> [AssetRecord] {
    let found = try use { (database) throws(DatabaseError) in
      try database.rows("SELECT \(AssetRecord.columns) FROM asset WHERE state = 0 AND size = ?", [.integer(size)]) {
        AssetRecord($0, root: root)
      }
    }
    return found ?? []
  }
}
