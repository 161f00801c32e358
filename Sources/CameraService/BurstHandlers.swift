import Camera
import CameraProtocol
import MediaLibrary
import Varlink

/// Photos of frames that follow each other, and the end of what was not taken yet.
struct BurstHandlers: Sendable {
  let system: CameraSystem
  let library: MediaLibrary

  func take(_ call: Call, _ replies: ReplyWriter) async throws {
    let requestedAt = system.runningTime
    let wanted: TakeBurst.Parameters = try call.decode()
    guard (1...CameraSession.longestBurst).contains(wanted.count) else { throw ServiceError.invalidParameter("count") }
    let request = try PhotoHandlers.request(wanted.format, wanted.quality, wanted.rotation, wanted.upright)
    let timer = try PhotoHandlers.timer(wanted.timer)
    let session = try system.session(wanted.camera)
    let (library, more) = (library, call.more)
    let taken: TakenBurst<Asset>
    do {
      try await blocking { () throws(CameraError) in try library.prepareForCapture() }
      taken = try await session.takeBurst(request, count: wanted.count, requestedAt: requestedAt, timer: timer) {
        photos throws(CameraError) in
        try library.savePhoto(photos.original.buffers, photos.original.description)
      } tell: { asset, skipped in
        session.report(photo: asset)
        guard more else { return }
        do {
          try replies.reply(TakeBurst.Reply(assets: [asset], skipped: skipped), continues: true)
        } catch {
          // gone, which ends the burst as well; the photo is saved
        }
      }
    } catch {
      if error.kind != .cancelled { session.report(photo: error) }
      throw error
    }
    if let error = taken.error, error.kind != .cancelled { session.report(photo: error) }
    try replies.reply(
      TakeBurst.Reply(
        assets: more ? [] : taken.results, skipped: taken.skipped, settled: taken.settled, flash: taken.flash,
        recordingDropped: taken.recordingDropped, message: taken.error?.description))
  }

  func cancel(_ wanted: CameraSelection) async throws -> CancelPhoto.Reply {
    CancelPhoto.Reply(cancelled: try await system.session(wanted.camera).cancelPhotos())
  }
}
