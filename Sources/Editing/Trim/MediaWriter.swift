import CFileSystem
import CameraProtocol
import MovieFile
import Glibc

/// Writes the media of a cut movie one behind the other.
struct MediaWriter {
  /// Bytes that are copied at once, so that a copy can be cancelled.
  private static let piece = 8 << 20

  let source: Int32
  let target: Int32
  /// Where the next bytes go.
  private(set) var position: Int
  private var copiesInKernel = true
  /// What lies before it the disk has been told to begin with.
  private var begun: Int

  init(source: Int32, target: Int32, at position: Int) {
    self.source = source
    self.target = target
    self.position = position
    begun = position
  }

  /// Writes bytes.
  mutating func append(_ bytes: [UInt8]) throws(CameraError) {
    try write(bytes, at: position)
    position += bytes.count
  }

  /// Writes bytes over others.
  func write(_ bytes: [UInt8], at position: Int) throws(CameraError) {
    do throws(PositionedFile.Failure) {
      try PositionedFile.write(bytes, to: target, at: position)
    } catch {
      throw .unwritable(error.number)
    }
  }

  /// Copies a range of the source. `progress` gets the number of bytes after each piece and may throw.
  mutating func copy(_ range: Range<Int>, progress: (Int) throws(CameraError) -> Void) throws(CameraError) {
    var offset = range.lowerBound
    while offset < range.upperBound {
      let count = min(Self.piece, range.upperBound - offset)
      // for little, asking the kernel costs more than it saves
      let copied =
        copiesInKernel && count >= 64 << 10 ? try copyInKernel(offset, count) : try copyThroughMemory(offset, count)
      offset += copied
      position += copied
      beginWriting()
      try progress(copied)
    }
  }

  /// Has the disk begin, a piece at a time, while the next one is copied and edges are encoded. It is but a hint: what
  /// can't be written is heard of when the file is synced.
  private mutating func beginWriting() {
    guard position - begun >= Self.piece else { return }
    _ = sync_file_range(target, begun, position - begun, UInt32(CFS_BEGIN_WRITING))
    begun = position
  }

  /// Returns 0 where the file system can't and another way has to be taken.
  private mutating func copyInKernel(_ offset: Int, _ count: Int) throws(CameraError) -> Int {
    var (from, to) = (offset, position)
    while true {
      let copied = copy_file_range(source, &from, target, &to, UInt(count), 0)
      if copied > 0 { return copied }
      if copied < 0, errno == EINTR { continue }
      if copied == 0 { throw .damaged("the file ends before its last picture or sound") }
      let number = errno
      guard [EXDEV, EINVAL, ENOSYS, EOPNOTSUPP, EPERM, EBADF].contains(number) else {
        throw number == EIO ? .unreadable(number) : .unwritable(number)
      }
      copiesInKernel = false
      return 0
    }
  }

  private func copyThroughMemory(_ offset: Int, _ count: Int) throws(CameraError) -> Int {
    let bytes = try SourceFile(descriptor: source).bytes(at: offset, count: min(count, 1 << 20))
    try write(bytes, at: position)
    return bytes.count
  }
}
