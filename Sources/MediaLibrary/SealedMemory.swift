import CFileSystem
import CameraProtocol
import Glibc

/// Files in memory that nobody can change any more.
enum SealedMemory {
  /// A descriptor of these bytes, which follow each other, at their beginning. `name` shows in /proc only. Throws
  /// `captureFailed`.
  static func descriptor(of data: [UnsafeRawBufferPointer], name: String) throws(CameraError) -> AssetDescriptor {
    try descriptor(name) { MediaLibrary.write(data, to: $0) }
  }

  /// The same of bytes in one piece.
  static func descriptor(of bytes: [UInt8], name: String) throws(CameraError) -> AssetDescriptor {
    try descriptor(name) { file in bytes.withUnsafeBytes { MediaLibrary.write([$0], to: file) } }
  }

  private static func descriptor(_ name: String, fill: (Int32) -> Bool) throws(CameraError) -> AssetDescriptor {
    let raw = memfd_create(name, UInt32(CFS_MEMFD_CLOEXEC | CFS_MEMFD_ALLOW_SEALING))
    guard raw >= 0 else { throw failure(errno) }
    let file = Descriptor(owning: raw)
    guard fill(raw), fcntl(raw, Int32(CFS_ADD_SEALS), Int32(CFS_SEAL_ALL)) == 0, lseek(raw, 0, SEEK_SET) == 0
    else { throw failure(errno) }
    return AssetDescriptor(file)
  }

  private static func failure(_ number: Int32) -> CameraError {
    let reason = String(cString: strerror(number))
    return CameraError(.captureFailed, "the picture can't be held in memory: \(reason)", cause: reason)
  }
}
