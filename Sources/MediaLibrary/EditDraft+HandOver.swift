public import CameraProtocol
import Glibc

extension EditDraft {
  /// Takes the file out of the album, and hands out a readable descriptor of it, at its beginning: for a client that wants
  /// it for itself. It is gone when that is closed. Throws `captureFailed`.
  public func handOver() throws(CameraError) -> AssetDescriptor {
    // opened anew, so that it can't be written to
    let raw = open("/proc/self/fd/\(descriptor)", O_RDONLY | O_CLOEXEC)
    guard raw >= 0 else {
      let reason = String(cString: strerror(errno))
      throw CameraError(.captureFailed, "the edit can't be handed over: \(reason)", path: path, cause: reason)
    }
    discard()
    return AssetDescriptor(Descriptor(owning: raw))
  }

  /// Size of the file now.
  public var bytes: Int {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
  }
}
