import CameraProtocol
import MovieFile
import Glibc

/// The movie that is cut, by its descriptor; its position is neither used nor moved.
struct SourceFile {
  let descriptor: Int32

  /// So many bytes at an offset; throws where there are fewer.
  func bytes(at offset: Int, count: Int) throws(CameraError) -> [UInt8] {
    let bytes: [UInt8]
    do throws(PositionedFile.Failure) {
      bytes = try PositionedFile.read(descriptor, at: offset, count: count)
    } catch {
      throw .unreadable(error.number)
    }
    guard bytes.count == count else { throw .damaged("the file ends before its last picture or sound") }
    return bytes
  }

  /// The bytes of a sample.
  func bytes(of sample: MovieSample) throws(CameraError) -> [UInt8] {
    guard sample.size <= 256 << 20 else { throw .damaged("a picture of \(sample.size) bytes is not plausible") }
    return try bytes(at: sample.offset, count: Int(sample.size))
  }

  /// The first byte of each NAL unit of a sample; a unit that is cut ends them.
  func unitHeaders(of sample: MovieSample, lengthSize: Int, limit: Int = 64) throws(CameraError) -> [UInt8] {
    var headers: [UInt8] = []
    var offset = sample.offset
    let end = sample.offset + Int(sample.size)
    while offset + lengthSize < end, headers.count < limit {
      let head = try bytes(at: offset, count: lengthSize + 1)
      headers.append(head[lengthSize])
      offset += lengthSize + head[..<lengthSize].reduce(0) { $0 << 8 | Int($1) }
    }
    return headers
  }
}

extension CameraError {
  /// The source can't be read.
  static func unreadable(_ number: Int32) -> CameraError {
    let reason = String(cString: strerror(number))
    return CameraError(.libraryUnavailable, "the movie can't be read: \(reason)", cause: reason)
  }

  /// The result can't be written.
  static func unwritable(_ number: Int32) -> CameraError {
    let reason = String(cString: strerror(number))
    return [ENOSPC, EDQUOT, EFBIG].contains(number)
      ? CameraError(.diskFull, "there is no room for the cut movie: \(reason)", cause: reason)
      : CameraError(.libraryUnavailable, "the cut movie can't be written: \(reason)", cause: reason)
  }

  /// The source contradicts itself.
  static func damaged(_ reason: String) -> CameraError { .uncut(reason, cause: "damaged") }

  /// Why a movie can't be cut.
  static func uncut(_ reason: String, cause: String? = nil) -> CameraError {
    CameraError(.notCompatible, "the movie can't be cut: \(reason)", cause: cause)
  }

  /// What reading or writing the boxes of a movie ran into.
  init(_ error: MovieFileError, writing: Bool = false) {
    if let number = error.errno {
      self = writing ? .unwritable(number) : .unreadable(number)
    } else if error.kind == .notAMovie {
      self = CameraError(.notCompatible, "this is no movie that can be cut: \(error.message)", cause: error.message)
    } else {
      self = .uncut(error.message)
    }
  }
}
