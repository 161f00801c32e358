import CFileSystem
import CameraProtocol
import Glibc

/// Files in memory that nobody can change any more.
enum SealedMemory {
  /// A descriptor of these bytes, at their beginning. `name` shows in /proc only.
  static func descriptor(of bytes: [UInt8], name: String) throws(CameraError) -> AssetDescriptor {
    let raw = memfd_create(name, UInt32(CFS_MEMFD_CLOEXEC | CFS_MEMFD_ALLOW_SEALING))
    guard raw >= 0 else { throw MediaLibrary.memoryError(errno) }
    let file = Descriptor(owning: raw)
    let isWritten = bytes.withUnsafeBytes { MediaLibrary.write([$0], to: file) }
    guard isWritten, fcntl(file.rawValue, Int32(CFS_ADD_SEALS), Int32(CFS_SEAL_ALL)) == 0,
      lseek(file.rawValue, 0, SEEK_SET) == 0
    else { throw MediaLibrary.memoryError(errno) }
    return AssetDescriptor(file)
  }
}
