import Camera
import CameraProtocol
import Varlink

/// Movies, and the mode.
struct RecordingHandlers: Sendable {
  /// Seconds, where the client names no limit.
  static let defaultMaxDuration = 600.0

  let system: CameraSystem

  func start(_ wanted: StartRecording.Parameters, _ requester: Requester) async throws -> StartRecording.Reply {
    let requestedAt = system.runningTime
    let hasSegments = wanted.segmentDuration != nil || wanted.segmentBytes != nil
    let seconds = wanted.maxDuration ?? (hasSegments ? 0 : Self.defaultMaxDuration)
    // a shorter segment would be over before the next one is ready
    if let segment = wanted.segmentDuration, !(segment >= 1 && segment <= 86_400) {
      throw ServiceError.invalidParameter("segmentDuration")
    }
    if let bytes = wanted.segmentBytes, bytes < 1 << 20 { throw ServiceError.invalidParameter("segmentBytes") }
    // a year; it keeps the nanoseconds within range
    guard seconds >= 0, seconds <= 366 * 86_400 else { throw ServiceError.invalidParameter("maxDuration") }
    guard (wanted.maxBytes ?? 0) >= 0 else { throw ServiceError.invalidParameter("maxBytes") }
    let movie = wanted.movie
    guard (movie.width == nil) == (movie.height == nil), Self.isSize(movie.width) else {
      throw ServiceError.invalidParameter("width")
    }
    guard Self.isSize(movie.height) else { throw ServiceError.invalidParameter("height") }
    if let rate = movie.frameRate, !(0.1...1000).contains(rate) { throw ServiceError.invalidParameter("frameRate") }
    if let bits = movie.bitRate, !(10_000...1_000_000_000).contains(bits) {
      throw ServiceError.invalidParameter("bitRate")
    }
    var request = RecordingRequest(
      quality: wanted.quality ?? .medium, maxDuration: seconds > 0 ? UInt64(seconds * 1e9) : nil,
      maxBytes: wanted.maxBytes.flatMap { $0 > 0 ? $0 : nil }, audio: wanted.audio ?? true,
      segmentDuration: wanted.segmentDuration.map { UInt64($0 * 1e9) }, segmentBytes: wanted.segmentBytes,
      movie: movie, requester: requester)
    request.requestedAt = requestedAt
    return StartRecording.Reply(recording: try await system.session(wanted.camera).startRecording(request))
  }

  /// Even, as H.264 needs it.
  private static func isSize(_ pixels: Int?) -> Bool { pixels.map { (2...16_384).contains($0) && $0 % 2 == 0 } ?? true }

  func stop(_ wanted: CameraSelection) async throws -> RecordingResult {
    try await system.session(wanted.camera).stopRecording()
  }

  func cancel(_ wanted: CameraSelection) async throws -> CancelRecording.Reply {
    CancelRecording.Reply(frames: try await system.session(wanted.camera).cancelRecording())
  }

  func setMode(_ wanted: SetMode.Parameters) async throws -> SetMode.Reply {
    let session = try system.session(wanted.camera)
    let finished = try await session.setMode(wanted.mode)
    return SetMode.Reply(camera: session.definition.id, mode: wanted.mode, finished: finished)
  }
}
