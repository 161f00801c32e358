import CameraProtocol
import Glibc
import MovieFile

/// The files that editors read and write, given as descriptors.
enum EditFile {
  /// Pixels of the largest picture that is decoded; a billion bytes.
  private static let mostPixels = 1 << 28

  /// Throws `notCompatible` for a picture that claims more pixels than any camera has: decoding it would take the
  /// machine's memory.
  static func check(width: Int, height: Int) throws(CameraError) {
    guard width > 0, height > 0, height <= mostPixels / width else {
      throw CameraError(.notCompatible, "a picture of \(width)x\(height) pixels can't be edited")
    }
  }

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
    let bytes = try read(descriptor, count: size)
    guard bytes.count == size else { throw CameraError(.notCompatible, "the file has become shorter meanwhile") }
    return bytes
  }

  /// The first bytes of a file, fewer where it ends. Throws `libraryUnavailable`.
  static func read(_ descriptor: Int32, count: Int) throws(CameraError) -> [UInt8] {
    do throws(PositionedFile.Failure) {
      return try PositionedFile.read(descriptor, at: 0, count: count)
    } catch {
      let reason = String(cString: strerror(error.number))
      throw CameraError(.libraryUnavailable, "the file can't be read: \(reason)", cause: reason)
    }
  }

  /// Writes all bytes from the file's beginning on. Throws `diskFull` or `libraryUnavailable`.
  static func write(_ bytes: [UInt8], to descriptor: Int32) throws(CameraError) {
    do throws(PositionedFile.Failure) {
      try PositionedFile.write(bytes, to: descriptor, at: 0)
    } catch {
      let reason = String(cString: strerror(error.number))
      let isFull = [ENOSPC, EDQUOT, EFBIG].contains(error.number)
      throw CameraError(
        isFull ? .diskFull : .libraryUnavailable, "the edited photo can't be written: \(reason)", cause: reason)
    }
  }
}
