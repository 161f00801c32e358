#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Reading and writing at places of a file; its own position is neither used nor moved.
public enum PositionedFile {
  /// What the system refused.
  public struct Failure: Error {
    /// The system's number.
    public let number: Int32
  }

  /// So many bytes at an offset; fewer where the file ends before. Throws what the system reports.
  public static func read(_ descriptor: Int32, at offset: Int, count: Int) throws(Failure) -> [UInt8] {
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let got = pread(descriptor, buffer.baseAddress.map { $0 + filled }, count - filled, off_t(offset + filled))
        if got < 0 && errno == EINTR { continue }
        if got < 0 { failure = errno }
        if got <= 0 { break }
        filled += got
      }
    }
    guard failure == 0 else { throw Failure(number: failure) }
    return bytes
  }

  /// Writes all of the bytes at an offset. Throws what the system reports.
  public static func write(_ bytes: [UInt8], to descriptor: Int32, at offset: Int) throws(Failure) {
    var failure: Int32 = 0
    bytes.withUnsafeBytes { buffer in
      var written = 0
      while written < buffer.count {
        let count = pwrite(
          descriptor, buffer.baseAddress.map { $0 + written }, buffer.count - written, off_t(offset + written))
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else {
          failure = count < 0 ? errno : EIO
          return
        }
        written += count
      }
    }
    guard failure == 0 else { throw Failure(number: failure) }
  }
}
