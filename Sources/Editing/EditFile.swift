import CameraProtocol
import Glibc

/// The files that editors read and write, given as descriptors.
enum EditFile {
  /// A path that means the file behind a descriptor, for what takes nothing else. It is opened anew, so that no position
  /// is shared.
  static func path(_ descriptor: Int32) -> String { "/proc/self/fd/\(descriptor)" }

  /// Throws `notCompatible` where it isn't an ordinary file with something in it; its size otherwise.
  @discardableResult
  static func check(_ descriptor: Int32) throws(CameraError) -> Int {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw CameraError(.notCompatible, "it is not an ordinary file")
    }
    guard status.st_size > 0 else { throw CameraError(.notCompatible, "the file is empty") }
    return Int(status.st_size)
  }

  /// The bytes of a file; its position is neither used nor moved.
  static func read(_ descriptor: Int32, atMost largest: Int) throws(CameraError) -> [UInt8] {
    let size = try check(descriptor)
    guard size <= largest else {
      throw CameraError(.notCompatible, "a file of \(size) bytes is too large for a photo")
    }
    let bytes = read(descriptor, from: 0, count: size)
    guard bytes.count == size else {
      throw CameraError(.libraryUnavailable, "the file can't be read: \(String(cString: strerror(errno)))")
    }
    return bytes
  }

  /// Bytes of a file, fewer where it ends or can't be read.
  static func read(_ descriptor: Int32, from offset: Int, count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      while initialized < count {
        let start = buffer.baseAddress.map { $0 + initialized }
        let step = pread(descriptor, start, count - initialized, off_t(offset + initialized))
        if step < 0, errno == EINTR { continue }
        if step <= 0 { break }
        initialized += step
      }
    }
  }

  /// Writes all bytes from the file's beginning on. Throws `diskFull` or `libraryUnavailable`.
  static func write(_ bytes: [UInt8], to descriptor: Int32) throws(CameraError) {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        pwrite(descriptor, buffer.baseAddress.map { $0 + written }, bytes.count - written, off_t(written))
      }
      if count > 0 {
        written += count
      } else if errno != EINTR {
        let reason = String(cString: strerror(errno))
        let isFull = [ENOSPC, EDQUOT, EFBIG].contains(errno)
        throw CameraError(
          isFull ? .diskFull : .libraryUnavailable, "the edited photo can't be written: \(reason)", cause: reason)
      }
    }
  }
}
