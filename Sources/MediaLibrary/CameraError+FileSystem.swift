import CameraProtocol
import MovieFile
import Glibc

extension CameraError {
  /// What the file system refused, told as the situation of the album. `action` reads on after "Can't".
  static func fileSystem(_ action: String, path: String, number: Int32) -> CameraError {
    let reason = String(cString: strerror(number))
    switch number {
    case ENOSPC, EDQUOT:
      return CameraError(
        .diskFull, "can't \(action) '\(path)': its disk is full; remove something there or choose another folder",
        path: path, cause: reason)
    case EFBIG:
      return CameraError(
        .diskFull, "can't \(action) '\(path)': it has reached the largest size that its file system allows",
        path: path, cause: reason)
    default:
      return CameraError(
        .libraryUnavailable, "can't \(action) '\(path)': \(reason); \(advice(number))", path: path, cause: reason)
    }
  }

  private static func advice(_ number: Int32) -> String {
    switch number {
    case EACCES, EPERM: "allow the daemon's user to write there, or choose another folder"
    case EROFS: "the file system is read-only: mount it writable, or choose another folder"
    case ENOENT: "create the folder, or mount the disk that it is on"
    case ENOTDIR, ELOOP: "a link or a file stands in place of a folder: move it away"
    case EIO, ENODEV, ENXIO, ESTALE: "the disk fails or was removed: check it"
    case EMFILE, ENFILE: "the daemon has too many files open"
    default: "check the folder and its disk"
    }
  }

  /// Why a movie could not be finished.
  init(_ error: MovieFileError, path: String) {
    if let number = error.errno {
      self = .fileSystem("finish the movie", path: path, number: number)
      detail.message += "; what was recorded stays there and is taken up at the daemon's next start"
      detail.cause = error.message
    } else {
      self.init(
        .captureFailed, "the recording '\(path)' can't be finished: \(error.message); it stays there as it is",
        path: path, cause: error.message)
    }
  }
}
