import CameraProtocol
import Synchronization
import Glibc

/// The album: a folder in which every capture appears complete, under a name of its own, or not at all.
///
/// `ROOT/2026/2026-11-30/20261130-110615.123.jpg`, in the local time of the capture. Calls block for file access and
/// may come from any thread; keep them off the cooperative pool.
public final class MediaLibrary: Sendable {
  /// Bytes that stay free where nothing else is wanted.
  public static let defaultReserve = 64 << 20

  /// The album's folder, absolute.
  public let root: String
  /// Bytes that stay free on its disk.
  public let reserve: Int

  /// What it keeps.
  public let retention: RetentionPolicy
  /// The program's name and version, for the files.
  public let software: String?
  let folder: AlbumFolder
  let temporaryNumber = Atomic<Int>(0)
  let index: AssetIndex
  let reporter = LibraryReporter()
  let schedule = ScanSchedule()
  let ownFiles = OwnFiles()

  /// The album at an absolute path; nothing is made until something is saved. `reserve`: bytes that stay free.
  /// `software`: the program's name and version, for the files.
  public convenience init(
    root: String, reserve: Int = defaultReserve, retention: RetentionPolicy = RetentionPolicy(), software: String? = nil
  ) {
    self.init(root: root, reserve: reserve, retention: retention, software: software, mounts: MountTable())
  }

  init(
    root: String, reserve: Int, retention: RetentionPolicy = RetentionPolicy(), software: String?, mounts: MountTable
  ) {
    let isLong = root.count > 1 && root.hasSuffix("/")
    self.root = isLong ? String(root.dropLast()) : root
    self.reserve = reserve
    self.retention = retention
    self.software = software
    folder = AlbumFolder(root: self.root, mounts: mounts)
    index = AssetIndex(
      folder: folder, needsScan: { [schedule] in schedule.request.withLock { $0 }?() },
      warn: { [reporter] in reporter.warn($0) })
  }
}
