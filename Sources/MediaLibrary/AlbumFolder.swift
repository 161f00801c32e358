import CameraProtocol
import Synchronization
import Glibc

/// The album's root and the dated folders in it. Everything is opened from the root down without following a link.
///
/// No folder is kept open between two captures: the disk that it is on can be unmounted at any time. That costs a few
/// microseconds for a capture. A root that was there once is never made anew: what stands in its place when its disk is
/// gone is an empty mount point. A root is known by file system and inode, or, where those have changed, by the marker file.
final class AlbumFolder: Sendable {
  /// Says that a folder is an album.
  static let marker = ".camd-album"
  private static let markerText = "This folder is an album of camd. This file tells it from an empty mount point.\n"

  let root: String
  private let mounts: MountTable
  private let known: Mutex<(root: FolderIdentity?, isMarked: Bool)>

  init(root: String, mounts: MountTable) {
    self.root = root
    self.mounts = mounts
    let raw = Self.openFolder(root)
    defer { if raw >= 0 { close(raw) } }
    known = Mutex((raw >= 0 && mounts.missingMount(for: root) == nil ? FolderIdentity(raw) : nil, false))
  }

  /// Opens the root; with `creating`, makes it where it has never been. Nil where it has never been.
  func openRoot(creating: Bool) throws(CameraError) -> Descriptor? {
    let isKnown = known.withLock { $0.root != nil }
    if !isKnown, let place = mounts.missingMount(for: root) {
      throw CameraError(
        .libraryUnavailable, "the album folder '\(root)' is not there: no disk is mounted at '\(place)'; mount it",
        path: root, cause: "'\(place)' is listed in fstab and not mounted")
    }
    var raw = Self.openFolder(root)
    if raw < 0, errno == ENOENT, !isKnown {
      guard creating else { return nil }
      try createRoot()
      raw = Self.openFolder(root)
    }
    guard raw >= 0 else {
      let number = errno
      if number == ENOENT { throw vanished("it has been removed, or its disk is not mounted") }
      throw .fileSystem("open the album folder", path: root, number: number)
    }
    let descriptor = Descriptor(owning: raw)
    guard let identity = FolderIdentity(descriptor.rawValue) else {
      throw .fileSystem("look at the album folder", path: root, number: errno)
    }
    try recognise(descriptor, identity)
    return descriptor
  }

  /// Opens a dated folder; with `creating`, makes root and folder where they are missing. Nil where there is none.
  func openFolder(for name: CaptureName, creating: Bool) throws(CameraError) -> Descriptor? {
    guard var folder = try openRoot(creating: creating) else { return nil }
    if creating { try mark(folder) }
    var path = root
    for part in name.folders {
      path += "/\(part)"
      guard let next = try Self.open(part, in: folder, path: path, creating: creating) else { return nil }
      folder = next
    }
    return folder
  }

  /// The path of a dated folder.
  func path(for name: CaptureName) -> String { ([root] + name.folders).joined(separator: "/") }

  /// Opens a folder within a folder.
  static func open(_ name: String, in folder: borrowing Descriptor, path: String, creating: Bool) throws(CameraError)
    -> Descriptor?
  {
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    var raw = openat(folder.rawValue, name, flags)
    if raw < 0, errno == ENOENT {
      guard creating else { return nil }
      guard mkdirat(folder.rawValue, name, 0o755) == 0 || errno == EEXIST else {
        throw .fileSystem("make the folder", path: path, number: errno)
      }
      guard fsync(folder.rawValue) == 0 else { throw .fileSystem("make the folder", path: path, number: errno) }
      raw = openat(folder.rawValue, name, flags)
    }
    guard raw >= 0 else { throw .fileSystem("open the folder", path: path, number: errno) }
    return Descriptor(owning: raw)
  }

  // MARK: Root

  private static func openFolder(_ path: String) -> Int32 { Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }

  private func recognise(_ descriptor: borrowing Descriptor, _ identity: FolderIdentity) throws(CameraError) {
    let isSame = known.withLock { known in
      if known.root == nil { known.root = identity }
      return known.root == identity
    }
    guard !isSame else { return }
    var status = stat()
    guard fstatat(descriptor.rawValue, Self.marker, &status, AT_SYMLINK_NOFOLLOW) == 0, status.isRegularFile else {
      throw vanished("another folder stands in its place, as it does when its disk is not mounted")
    }
    known.withLock { $0 = (identity, true) }
  }

  private func vanished(_ reason: String) -> CameraError {
    CameraError(
      .libraryUnavailable,
      "the album folder '\(root)' is gone: \(reason); mount the disk, or restart the daemon to begin a new album there",
      path: root, cause: reason)
  }

  /// Leaves the marker in the root, once.
  private func mark(_ root: borrowing Descriptor) throws(CameraError) {
    guard !known.withLock({ $0.isMarked }) else { return }
    let raw = openat(root.rawValue, Self.marker, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
    if raw >= 0 {
      let file = Descriptor(owning: raw)
      let text = Array(Self.markerText.utf8)
      // The marker's being there is what counts; its text is for people.
      _ = write(file.rawValue, text, text.count)
    } else if errno != EEXIST {
      throw .fileSystem("write to the album folder", path: self.root, number: errno)
    }
    known.withLock { $0.isMarked = true }
  }

  /// Makes the root and what is missing above it, but never where removable disks are mounted.
  private func createRoot() throws(CameraError) {
    let parts = root.split(separator: "/")
    var path = ""
    var removable: UInt64?
    for part in parts {
      path += "/\(part)"
      var status = stat()
      if stat(path, &status) == 0 {
        if path == "/media" || path == "/run/media" { removable = UInt64(status.st_dev) }
        if let device = removable, device != UInt64(status.st_dev) { removable = nil }
        continue
      }
      guard removable == nil else {
        throw CameraError(
          .libraryUnavailable, "the album folder '\(root)' is not there: its disk is not mounted; mount it",
          path: root, cause: "'\(path)' does not exist")
      }
      guard mkdir(path, 0o755) == 0 || errno == EEXIST else {
        throw .fileSystem("make the album folder", path: root, number: errno)
      }
    }
  }
}
