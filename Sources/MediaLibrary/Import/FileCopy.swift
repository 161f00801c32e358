import CFileSystem
import CameraProtocol
import Glibc

/// Copies an open file into another one; where the file system can share what both hold, nothing is copied at all.
enum FileCopy {
  /// What went wrong, and on which side.
  enum Failure: Error {
    case reading(Int32)
    case writing(Int32)
    /// The source ended before the size that it had.
    case shrunk
  }

  /// Bytes between two looks at the progress.
  private static let piece = 32 << 20
  private static let buffer = 1 << 18

  /// Copies `size` bytes from the beginning of the source to where the target stands. Neither is moved behind the source's
  /// beginning but the target. `progress` is told how many bytes are copied.
  static func copy(
    _ source: Int32, size: Int, to target: Int32, progress: (Int) -> Void = { _ in }
  ) throws(Failure) {
    var offset = 0
    while offset < size {
      let count = copy_file_range(source, &offset, target, nil, UInt(min(piece, size - offset)), 0)
      if count < 0, errno == EINTR { continue }
      if count > 0 {
        progress(offset)
        continue
      }
      if count < 0, [ENOSPC, EDQUOT, EFBIG, EIO].contains(errno) { throw .writing(errno) }
      // other file systems, kinds of files, or an open mode that the call doesn't take
      return try copyByHand(source, from: offset, size: size, to: target, progress)
    }
  }

  private static func copyByHand(
    _ source: Int32, from start: Int, size: Int, to target: Int32, _ progress: (Int) -> Void
  ) throws(Failure) {
    var bytes = [UInt8](repeating: 0, count: buffer)
    var offset = start
    var told = start
    while offset < size {
      let count = pread(source, &bytes, min(bytes.count, size - offset), off_t(offset))
      if count < 0, errno == EINTR { continue }
      if count < 0 { throw .reading(errno) }
      if count == 0 { throw .shrunk }
      var written = 0
      while written < count {
        let step = bytes.withUnsafeBytes { write(target, $0.baseAddress.map { $0 + written }, count - written) }
        if step < 0, errno == EINTR { continue }
        guard step > 0 else { throw .writing(errno) }
        written += step
      }
      offset += count
      if offset - told >= piece || offset == size {
        told = offset
        progress(offset)
      }
    }
  }

  /// Whether two files of a size hold the same bytes. False where one can't be read.
  static func isEqual(_ one: Int32, _ other: Int32, size: Int) -> Bool {
    var (left, right) = ([UInt8](repeating: 0, count: buffer), [UInt8](repeating: 0, count: buffer))
    var offset = 0
    while offset < size {
      let wanted = min(buffer, size - offset)
      guard pread(one, &left, wanted, off_t(offset)) == wanted, pread(other, &right, wanted, off_t(offset)) == wanted,
        left == right
      else { return false }
      offset += wanted
    }
    return true
  }
}
