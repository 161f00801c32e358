public import CameraProtocol
import Glibc

extension MediaLibrary {
  /// The asset of that id. Throws `noSuchAsset` where there is none or it is in the trash, `notCompatible` where its
  /// file can't be read, `libraryUnavailable`.
  public func asset(_ id: String) throws(CameraError) -> Asset {
    let record = try record(id)
    switch record.state {
    case .ok: return record.asset
    case .trashed:
      throw CameraError(
        .noSuchAsset, "'\(id)' is in the trash; take it out first ('camctl library restore')", path: record.asset.path)
    case .damaged:
      throw CameraError(
        .notCompatible, "'\(id)' can't be read: \(record.asset.damage ?? "it is damaged")", path: record.asset.path)
    }
  }

  /// The newest asset of a kind by the time of capture, not one in the trash; nil where there is none. Throws
  /// `libraryUnavailable`.
  public func newest(_ kind: AssetKind) throws(CameraError) -> Asset? {
    try index.newest(kind, root: root)?.asset
  }

  /// Opens an asset of this album for reading, for a client that wants the bytes. Throws `libraryUnavailable`, or
  /// `noSuchAsset` where the file is no longer there.
  public func open(_ asset: Asset) throws(CameraError) -> AssetDescriptor {
    guard let path = relativePath(asset.path) else { throw Self.noSuchAsset(asset.id) }
    return AssetDescriptor(try openFile(path, id: asset.id))
  }

  /// Gives a complete hidden file the first free name of its kind and takes it into the index. `path`: of the target
  /// folder. Returns the asset with its id and path. Throws `libraryUnavailable`.
  func enter(
    _ asset: Asset, _ temporary: String, _ descriptor: Int32, from source: borrowing Descriptor,
    as wanted: CaptureName, in target: borrowing Descriptor, path: String
  ) throws(CameraError) -> Asset {
    try ownFiles.claim(descriptor) { () throws(CameraError) in
      let published = try FilePublisher.publish(temporary, in: source, as: wanted, in: target, path: path)
      var named = asset
      named.id = published.name
      named.path = "\(path)/\(published.name)"
      insert(named)
      return named
    }
  }

  /// Takes up a file that has just got its name. The file is safe whatever becomes of the index: that is a warning.
  func insert(_ asset: Asset) {
    guard let path = relativePath(asset.path) else { return }
    do throws(CameraError) {
      guard let stamp = try stamp(of: path) else { return }
      _ = try index.put([AssetRecord(asset: asset, path: path, stamp: stamp, state: .ok)])
      if retention.maxSize != nil || retention.maxAge != nil { scheduleTidying() }
    } catch {
      reporter.warn("'\(asset.path ?? asset.id)' is saved and not in the index yet: \(error)")
    }
  }

  /// Which file stands at a path from the root on; nil where there is none.
  func stamp(of path: String) throws(CameraError) -> FileStamp? {
    guard let parent = try folder.openFolder(at: path.parentPath) else { return nil }
    var status = stat()
    guard fstatat(parent.rawValue, path.lastPart, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
    return FileStamp(status)
  }

  /// The record of an id, however it stands.
  func record(_ id: String) throws(CameraError) -> AssetRecord {
    guard !id.isEmpty, !id.utf8.contains(0), let record = try index.record(id, root: root) else {
      throw Self.noSuchAsset(id)
    }
    return record
  }

  /// A path from the root on; nil for one that no asset has.
  func relativePath(_ path: String?) -> String? {
    guard let path, path.hasPrefix("\(root)/") else { return nil }
    let relative = String(path.dropFirst(root.count + 1))
    let visible = Trash.Place(relative)?.path ?? relative
    let parts = visible.split(separator: "/", omittingEmptySubsequences: false)
    let isHidden = parts.contains { $0.isEmpty || $0.hasPrefix(".") }
    return isHidden || relative.utf8.contains(0) ? nil : relative
  }

  /// Opens a file by its path from the root on, following no link.
  func openFile(_ path: String, id: String, flags: Int32 = O_RDONLY) throws(CameraError) -> Descriptor {
    let full = "\(root)/\(path)"
    guard let parent = try folder.openFolder(at: path.parentPath) else { throw Self.noSuchAsset(id, path: full) }
    let raw = openat(parent.rawValue, path.lastPart, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard raw >= 0 else {
      let number = errno
      if [ENOENT, ELOOP, ENOTDIR, ENAMETOOLONG].contains(number) { throw Self.noSuchAsset(id, path: full) }
      throw .fileSystem("open", path: full, number: number)
    }
    let descriptor = Descriptor(owning: raw)
    guard descriptor.status?.isRegularFile == true else { throw Self.noSuchAsset(id, path: full) }
    return descriptor
  }

  static func noSuchAsset(_ id: String, path: String? = nil) -> CameraError {
    let shown = id.unicodeScalars.prefix(80).map { $0.value < 32 || $0.value == 127 ? "?" : String($0) }.joined()
    return CameraError(
      .noSuchAsset, path == nil ? "the album has no asset '\(shown)'" : "the file of '\(shown)' is no longer there",
      path: path)
  }
}
