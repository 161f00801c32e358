import CFileSystem
public import CameraProtocol
import Glibc

extension MediaLibrary {
  /// Writes an asset's bytes to where a file stands that somebody else opened for writing. Blocks. Throws
  /// `notCompatible` where it is no ordinary file that can be written, `diskFull` where its disk is, and what `open` throws.
  public func export(_ asset: Asset, to descriptor: Int32) throws(CameraError) {
    let source = try open(asset)
    var (target, original) = (stat(), stat())
    let flags = fcntl(descriptor, F_GETFL)
    guard flags >= 0, fstat(descriptor, &target) == 0, target.isRegularFile, flags & O_ACCMODE != O_RDONLY,
      flags & Int32(CFS_PATH) == 0
    else {
      throw CameraError(
        .notCompatible,
        "'\(asset.id)' can be exported only to an ordinary file that is open for writing; OpenAsset hands "
          + "over what any program can read")
    }
    guard fstat(source.rawValue, &original) == 0 else {
      throw .fileSystem("read", path: asset.path ?? asset.id, number: errno)
    }
    guard FileIdentity(target) != FileIdentity(original) else {
      throw CameraError(.notCompatible, "'\(asset.id)' can't be exported onto itself", path: asset.path)
    }
    do throws(FileCopy.Failure) {
      try FileCopy.copy(source.rawValue, size: Int(original.st_size), to: descriptor)
    } catch {
      switch error {
      case .reading(let number): throw .fileSystem("read", path: asset.path ?? asset.id, number: number)
      case .shrunk: throw CameraError(.captureFailed, "'\(asset.id)' has changed meanwhile", path: asset.path)
      case .writing(let number):
        let reason = String(cString: strerror(number))
        throw CameraError(
          [ENOSPC, EDQUOT, EFBIG].contains(number) ? .diskFull : .captureFailed,
          "'\(asset.id)' can't be written to the file that it is exported to: \(reason)", cause: reason)
      }
    }
  }
}
