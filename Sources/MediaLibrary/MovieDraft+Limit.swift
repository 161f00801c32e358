import CFileSystem
import Glibc

extension MovieDraft {
  /// Bytes that a file can have here: what the process may write (RLIMIT_FSIZE), and 4 GiB less one on FAT. nil where
  /// nothing but the disk limits it.
  public var largestSize: Int? {
    var limits: [Int] = []
    var process = rlimit()
    if getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &process) == 0, process.rlim_cur < UInt64(Int.max) {
      limits.append(Int(process.rlim_cur))
    }
    var disk = statfs()
    let fat = 0x4d44  // MSDOS_SUPER_MAGIC of linux/magic.h, for vfat too
    if statfs(path, &disk) == 0, Int(disk.f_type) == fat { limits.append(Int(UInt32.max)) }
    return limits.min()
  }
}
