import Camera
import CameraProtocol

/// Recordings that stand still, and silence.
struct PauseHandlers: Sendable {
  let system: CameraSystem

  func pause(_ wanted: CameraSelection) async throws -> PauseRecording.Reply {
    PauseRecording.Reply(recording: try await system.session(wanted.camera).pauseRecording())
  }

  func resume(_ wanted: CameraSelection) async throws -> ResumeRecording.Reply {
    ResumeRecording.Reply(recording: try await system.session(wanted.camera).resumeRecording())
  }

  func mute(_ wanted: SetMute.Parameters) async throws -> SetMute.Reply {
    let session = try system.session(wanted.camera)
    await session.mute(wanted.muted)
    return SetMute.Reply(camera: session.definition.id, muted: wanted.muted)
  }
}
