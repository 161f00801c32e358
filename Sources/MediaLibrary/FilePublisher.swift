import CFileSystem
import CameraProtocol
import Synchronization
import Glibc

/// Gives complete files their names.
enum FilePublisher {
  /// An error number of the system.
  struct SystemError: Error {
    var number: Int32
  }

  private static let fallback = Mutex(())

  /// Makes an empty hidden file and locks it; the lock tells a recovery that somebody is at it. Nil where the name is
  /// taken, or a recovery took the file before it was locked. Throws an error number.
  static func make(_ name: String, in folder: borrowing Descriptor) throws(SystemError) -> Descriptor? {
    let raw = openat(folder.rawValue, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
    guard raw >= 0 else {
      if errno == EEXIST { return nil }
      throw SystemError(number: errno)
    }
    let file = Descriptor(owning: raw)
    guard flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 else {
      if errno == EWOULDBLOCK { return nil }
      throw SystemError(number: errno)
    }
    guard isFile(name, in: folder, file.rawValue) else { return nil }
    return file
  }

  /// Whether a name still means the open file.
  static func isFile(_ name: String, in folder: borrowing Descriptor, _ descriptor: Int32) -> Bool {
    var named = stat()
    var open = stat()
    return fstatat(folder.rawValue, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && fstat(descriptor, &open) == 0
      && FileIdentity(named) == FileIdentity(open)
  }

  /// Renames a file to the first free name of its kind, replacing nothing, and syncs the folders. `path` is that of the
  /// target folder.
  static func publish(
    _ temporary: String, in source: borrowing Descriptor, as wanted: CaptureName, in target: borrowing Descriptor,
    path: String
  ) throws(CameraError) -> CaptureName {
    var name = wanted
    while let number = rename(temporary, in: source.rawValue, to: name.name, in: target.rawValue) {
      guard number == EEXIST, name.number < CaptureName.largestNumber else {
        throw .fileSystem("give its name to", path: "\(path)/\(name.name)", number: number)
      }
      name.number += 1
    }
    guard fsync(target.rawValue) == 0, source.rawValue == target.rawValue || fsync(source.rawValue) == 0 else {
      throw .fileSystem("write to the disk", path: path, number: errno)
    }
    return name
  }

  /// Renames without replacing; the error number where that fails, `EEXIST` where the name is taken.
  static func rename(_ old: String, in source: Int32, to new: String, in target: Int32) -> Int32? {
    if renameat2(source, old, target, new, UInt32(CFS_RENAME_NOREPLACE)) == 0 { return nil }
    guard errno == EINVAL || errno == ENOSYS || errno == ENOTSUP else { return errno }
    // A file system without that kind of rename: a second name, then the first one goes.
    if linkat(source, old, target, new, 0) == 0 { return unlinkat(source, old, 0) == 0 ? nil : errno }
    guard errno == EPERM || errno == ENOTSUP || errno == ENOSYS || errno == EMLINK else { return errno }
    // Nor links: then only other programs could come in between.
    return fallback.withLock { _ in
      var status = stat()
      if fstatat(target, new, &status, AT_SYMLINK_NOFOLLOW) == 0 { return EEXIST }
      return renameat(source, old, target, new) == 0 ? nil : errno
    }
  }
}
