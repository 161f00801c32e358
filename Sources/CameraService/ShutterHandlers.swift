import Camera
import CameraProtocol

/// The one button.
struct ShutterHandlers: Sendable {
  let system: CameraSystem

  func press(_ wanted: CameraSelection, _ requester: Requester) async throws -> Shutter.Reply {
    let requestedAt = system.runningTime
    let session = try system.session(wanted.camera)
    let recording = RecordingRequest(
      maxDuration: UInt64(RecordingHandlers.defaultMaxDuration * 1e9), requester: requester)
    let result: ShutterResult
    do {
      result = try await session.pressShutter(recording, requestedAt: requestedAt)
    } catch {
      if session.status.mode == .photo { session.report(photo: error) }
      throw error
    }
    switch result {
    case .photo(let asset):
      session.report(photo: asset)
      return Shutter.Reply(action: .photoTaken, asset: asset)
    case .started(let recording): return Shutter.Reply(action: .recordingStarted, recording: recording)
    case .finished(let result): return Shutter.Reply(action: .recordingStopped, finished: result)
    }
  }
}
