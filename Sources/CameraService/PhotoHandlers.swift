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
    var edited: Asset?
    var descriptor: AssetDescriptor?
  }

  func take(_ call: Call, _ replies: ReplyWriter) async throws {
    let requestedAt = system.runningTime
    let wanted: TakePhoto.Parameters = try call.decode()
    let (request, timer) = (try Self.request(wanted), try Self.timer(wanted.timer))
    let (keep, handOver) = (wanted.album ?? true, wanted.descriptor ?? false)
    guard keep || handOver else {
      throw CameraError(
        .descriptorRequired, "a photo that is not kept in the album needs 'descriptor', or nobody would get it")
    }
    let session = try system.session(wanted.camera)
    let library = library
    let taken: TakenPhoto<Saved>
    do {
      if keep { try await blocking { () throws(CameraError) in try library.prepareForCapture() } }
      taken = try await session.takePhoto(request, requestedAt: requestedAt, timer: timer) {
        photos throws(CameraError) in
        guard keep else { return try Self.hold(photos) }
        var saved = Saved(asset: try library.savePhoto(photos.original.buffers, photos.original.description))
        if let edited = photos.edited {
          do throws(CameraError) {
            saved.edited = try library.savePhoto(edited.buffers, edited.description.with(parent: saved.asset))
          } catch {
            session.report(photo: saved.asset)
            throw error.after(saving: saved.asset)
          }
        }
        if handOver { saved.descriptor = try library.open(saved.edited ?? saved.asset) }
        return saved
      }
    } catch {
      // who ended it knows
      if error.kind != .cancelled { session.report(photo: error) }
      throw error
    }
    if keep {
      session.report(photo: taken.result.asset)
      if let edited = taken.result.edited { session.report(photo: edited) }
    }
    let descriptors = try taken.result.descriptor.map { [try $0.forClient()] } ?? []
    try replies.reply(
      TakePhoto.Reply(
        asset: taken.result.asset, edited: taken.result.edited,
        crop: taken.result.edited.flatMap { _ in wanted.crop }, frameAge: taken.frameAge, settled: taken.settled,
        flash: taken.flash,
        descriptor: descriptors.isEmpty ? nil : 0, recordingDropped: taken.recordingDropped), descriptors: descriptors)
  }

  /// What is asked for. Throws where a value is out of its range whatever the camera delivers.
  private static func request(_ wanted: TakePhoto.Parameters) throws -> PhotoRequest {
    var request = try request(wanted.format, wanted.quality, wanted.rotation, wanted.upright)
    request.crop = wanted.crop
    if let crop = wanted.crop, crop.x < 0 || crop.y < 0 || crop.width < 1 || crop.height < 1 {
      throw CameraError(
        .valueOutOfRange,
        "a rectangle of \(crop.width)x\(crop.height) at \(crop.x),\(crop.y) is no part of a picture: it begins inside "
          + "and has an area")
    }
    return request
  }

  /// The same without a part. Throws where a value is out of its range.
  static func request(
    _ format: PhotoFormat?, _ quality: Int?, _ rotation: Int?, _ upright: Bool?
  ) throws -> PhotoRequest {
    let quality = quality ?? 90
    guard (1...100).contains(quality) else { throw ServiceError.invalidParameter("quality") }
    if let rotation, ![0, 90, 180, 270].contains(rotation) {
      throw CameraError(.valueOutOfRange, "rotation is 0, 90, 180 or 270 degrees, not \(rotation)")
    }
    return PhotoRequest(format: format ?? .jpeg, quality: quality, rotation: rotation, isUpright: upright ?? false)
  }

  /// Seconds of a self-timer. Throws where they are out of their range.
  static func timer(_ seconds: Double?) throws -> Double {
    let seconds = seconds ?? 0
    guard seconds >= 0, seconds <= 3600 else { throw ServiceError.invalidParameter("timer") }
    return seconds
  }

  /// Photos of which the album keeps no copy.
  private static func hold(_ photos: PhotoSet) throws(CameraError) -> Saved {
    let original = try MediaLibrary.unsavedPhoto(photos.original.buffers, photos.original.description)
    guard let edited = photos.edited else { return Saved(asset: original.asset, descriptor: original.descriptor) }
    let cut = try MediaLibrary.unsavedPhoto(edited.buffers, edited.description.with(parent: original.asset))
    return Saved(asset: original.asset, edited: cut.asset, descriptor: cut.descriptor)
  }
}

extension PhotoDescription {
  fileprivate func with(parent: Asset) -> PhotoDescription {
    var description = self
    description.parent = parent.id
    return description
  }
}

extension CameraError {
  /// Why the part of a photo could not be saved, when the photo itself was.
  fileprivate func after(saving photo: Asset) -> CameraError {
    var error = self
    error.detail.message += "; the whole photo is saved\(photo.path.map { " as '\($0)'" } ?? "")"
    return error
  }
}

extension AssetDescriptor {
  /// A descriptor of its own for the message, since both are closed by their owners.
  func forClient() throws -> FileDescriptor {
    let copy = fcntl(rawValue, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else {
      throw CameraError(.captureFailed, "the photo can't be handed over: \(String(cString: strerror(errno)))")
    }
    return FileDescriptor(owning: copy)
  }
}
