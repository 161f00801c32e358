public import CameraProtocol
import Glibc

extension MediaLibrary {
  /// Whether captures can be saved, and the room that is left.
  public var status: LibraryStatus {
    do {
      try checkSpace(for: 0)
      return LibraryStatus(path: root, freeBytes: freeBytes, writable: true)
    } catch {
      return LibraryStatus(path: root, freeBytes: freeBytes, writable: false, message: error.detail.message)
    }
  }

  /// Bytes that are free for this user on the album's disk; nil where that can't be found out.
  public var freeBytes: Int? {
    var space = statvfs()
    guard statvfs(Self.nearestFolder(root), &space) == 0 else { return nil }
    return Int(clamping: UInt64(space.f_bavail).multipliedReportingOverflow(by: UInt64(space.f_frsize)).partialValue)
  }

  /// Says no before a capture is begun that could not be saved: `libraryUnavailable` where the folder is missing or
  /// can't be written, `diskFull` where less than the reserve is free and no room can be made. Blocks.
  public func prepareForCapture() throws(CameraError) {
    do throws(CameraError) {
      try checkSpace(for: 0)
    } catch {
      guard error.kind == .diskFull else { throw error }
      try makeRoom(for: 0)
      try checkSpace(for: 0)
    }
  }

  /// Says no where `bytes` more could not be saved: `libraryUnavailable` where the folder is missing or can't be written,
  /// `diskFull` where they would leave less than the reserve. Removes nothing.
  public func checkSpace(for bytes: Int) throws(CameraError) {
    if let root = try folder.openRoot(creating: false) {
      // The current folder of a descriptor: what may be written is asked of the folder itself, not of its path.
      guard faccessat(root.rawValue, ".", W_OK | X_OK, 0) == 0 else {
        throw .fileSystem("write to the album folder", path: self.root, number: errno)
      }
      try checkRoom(in: root, for: bytes)
    } else {
      let parent = Self.nearestFolder(root)
      guard access(parent, W_OK | X_OK) == 0 else {
        throw .fileSystem("make the album folder", path: root, number: errno)
      }
      if let free = freeBytes { try checkSpace(free: free, for: bytes) }
    }
  }

  /// For a capture: where room can be made, it is.
  func prepareSpace(in descriptor: borrowing Descriptor, for bytes: Int) throws(CameraError) {
    do throws(CameraError) {
      try checkRoom(in: descriptor, for: bytes)
    } catch {
      guard error.kind == .diskFull else { throw error }
      try makeRoom(for: bytes)
      try checkRoom(in: descriptor, for: bytes)
    }
  }

  func checkRoom(in descriptor: borrowing Descriptor, for bytes: Int) throws(CameraError) {
    var space = statvfs()
    guard fstatvfs(descriptor.rawValue, &space) == 0 else {
      throw .fileSystem("ask for the free space of", path: root, number: errno)
    }
    let product = UInt64(space.f_bavail).multipliedReportingOverflow(by: UInt64(space.f_frsize))
    try checkSpace(free: product.overflow ? .max : Int(clamping: product.partialValue), for: bytes)
  }

  private func checkSpace(free: Int, for bytes: Int) throws(CameraError) {
    guard free - bytes < reserve else { return }
    throw CameraError(
      .diskFull,
      "the disk of the album '\(root)' has \(Self.megabytes(free)) left, and \(Self.megabytes(reserve)) of them stay "
        + "free; remove something there or choose another folder", path: root,
      cause: "\(free) bytes free, \(bytes) wanted, \(reserve) reserved")
  }

  private static func megabytes(_ bytes: Int) -> String { "\(bytes / 1_000_000) MB" }

  /// The folder at a path, or the nearest above it that is there.
  private static func nearestFolder(_ path: String) -> String {
    var parts = path.split(separator: "/")
    while !parts.isEmpty {
      let path = "/" + parts.joined(separator: "/")
      var status = stat()
      if stat(path, &status) == 0 { return path }
      parts.removeLast()
    }
    return "/"
  }
}
