import Camera
import CameraProtocol
import Varlink

/// Pictures at an interval.
struct TimelapseHandlers: Sendable {
  let system: CameraSystem

  func start(_ wanted: StartTimelapse.Parameters, _ requester: Requester) async throws -> StartTimelapse.Reply {
    guard wanted.interval >= 0.1, wanted.interval <= 604_800 else { throw ServiceError.invalidParameter("interval") }
    guard (1...1_000_000_000).contains(wanted.frames ?? 1) else { throw ServiceError.invalidParameter("frames") }
    // a hundred years
    guard let duration = Optional(wanted.duration ?? 1), duration > 0, duration <= 3.2e9 else {
      throw ServiceError.invalidParameter("duration")
    }
    let rate = wanted.frameRate ?? 30
    guard rate >= 1, rate <= 120 else { throw ServiceError.invalidParameter("frameRate") }
    let isMovie = wanted.movie ?? false
    let pictures = wanted.duration.map { max(1, Int(($0 / wanted.interval).rounded(.up))) }
    let request = TimelapseRequest(
      interval: UInt64(wanted.interval * 1e9), frames: [wanted.frames, pictures].compactMap { $0 }.min(),
      movie: isMovie ? .init(quality: wanted.quality ?? .medium, frameRate: rate) : nil,
      photo: PhotoRequest(format: wanted.format ?? .jpeg), requester: requester)
    return StartTimelapse.Reply(timelapse: try await system.session(wanted.camera).startTimelapse(request))
  }

  func stop(_ wanted: CameraSelection) async throws -> StopTimelapse.Reply {
    try await system.session(wanted.camera).stopTimelapse()
  }
}
