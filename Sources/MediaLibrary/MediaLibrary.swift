public import CameraProtocol
import Synchronization
import Glibc

/// The album: a folder in which every capture appears complete, under a name of its own, or not at all.
///
/// `ROOT/2026/2026-11-30/20261130-110615.123.jpg`, in the local time of the capture. Calls block for file access and
/// may come from any thread; keep them off the cooperative pool.
public final class MediaLibrary: Sendable {
  /// The album's folder, absolute.
  public let root: String
  /// Bytes that stay free on its disk.
  public let reserve: Int

  /// The program's name and version, for the files.
  public let software: String?
  let folder: AlbumFolder
  let temporaryNumber = Atomic<Int>(0)

  /// The album at an absolute path; nothing is made until something is saved. `reserve`: bytes that stay free.
  /// `software`: the program's name and version, for the files.
  public convenience init(root: String, reserve: Int = 64 << 20, software: String? = nil) {
    self.init(root: root, reserve: reserve, software: software, mounts: MountTable())
  }

  init(root: String, reserve: Int, software: String?, mounts: MountTable) {
    let isLong = root.count > 1 && root.hasSuffix("/")
    self.root = isLong ? String(root.dropLast()) : root
    self.reserve = reserve
    self.software = software
    folder = AlbumFolder(root: self.root, mounts: mounts)
  }

  /// Opens an asset of this album for reading, for a client that wants the bytes. Throws `libraryUnavailable`, or
  /// `captureFailed` where the file is no longer there.
  public func open(_ asset: Asset) throws(CameraError) -> PhotoDescriptor {
    guard let name = CaptureName(asset.id) else {
      throw CameraError(.captureFailed, "'\(asset.id)' is not the name of a capture", path: asset.path)
    }
    let path = "\(folder.path(for: name))/\(name.name)"
    guard let day = try folder.openFolder(for: name, creating: false) else {
      throw CameraError(.captureFailed, "'\(path)' is no longer there", path: path)
    }
    let raw = openat(day.rawValue, name.name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard raw >= 0 else {
      let number = errno
      if number == ENOENT { throw CameraError(.captureFailed, "'\(path)' is no longer there", path: path) }
      throw .fileSystem("open", path: path, number: number)
    }
    let file = Descriptor(owning: raw)
    guard file.status?.isRegularFile == true else {
      throw CameraError(.captureFailed, "'\(path)' is not a file", path: path)
    }
    return PhotoDescriptor(file)
  }
}
