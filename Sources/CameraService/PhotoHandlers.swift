import Camera
import CameraProtocol
import Glibc
import MediaLibrary
import Varlink

/// Stills.
struct PhotoHandlers: Sendable {
  let system: CameraSystem
  let library: MediaLibrary

  /// A photo, and where asked for the descriptor it can be read from.
  private struct Saved: Sendable {
    var asset: Asset
    var descriptor: PhotoDescriptor?
  }

  func take(_ call: Call, _ replies: ReplyWriter) async throws {
    let requestedAt = system.runningTime
    let wanted: TakePhoto.Parameters = try call.decode()
    let quality = wanted.quality ?? 90
    guard (1...100).contains(quality) else { throw ServiceError.invalidParameter("quality") }
    let (keep, handOver) = (wanted.album ?? true, wanted.descriptor ?? false)
    guard keep || handOver else {
      throw CameraError(
        .descriptorRequired, "a photo that is not kept in the album needs 'descriptor', or nobody would get it")
    }
    let session = try system.session(wanted.camera)
    let library = library
    let taken: TakenPhoto<Saved>
    do {
      if keep { try library.checkSpace() }
      taken = try await session.takePhoto(quality: quality, requestedAt: requestedAt) { photo throws(CameraError) in
        guard keep else {
          let unsaved = try MediaLibrary.unsavedPhoto(
            photo.bytes, time: photo.time, camera: session.definition.id, width: photo.width, height: photo.height)
          return Saved(asset: unsaved.asset, descriptor: unsaved.descriptor)
        }
        let asset = try library.savePhoto(
          photo.bytes, time: photo.time, camera: session.definition.id, width: photo.width, height: photo.height)
        return Saved(asset: asset, descriptor: handOver ? try library.open(asset) : nil)
      }
    } catch {
      session.report(photo: error)
      throw error
    }
    if keep { session.report(photo: taken.result.asset) }
    let descriptors = try taken.result.descriptor.map { [try $0.forClient()] } ?? []
    try replies.reply(
      TakePhoto.Reply(
        asset: taken.result.asset, frameAge: taken.frameAge, settled: taken.settled, flash: taken.flash,
        descriptor: descriptors.isEmpty ? nil : 0), descriptors: descriptors)
  }
}

extension PhotoDescriptor {
  /// A descriptor of its own for the message, since both are closed by their owners.
  fileprivate func forClient() throws -> FileDescriptor {
    let copy = fcntl(rawValue, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else {
      throw CameraError(.captureFailed, "the photo can't be handed over: \(String(cString: strerror(errno)))")
    }
    return FileDescriptor(owning: copy)
  }
}
