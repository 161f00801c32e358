import Camera
import CameraProtocol

/// The light.
struct FlashHandlers: Sendable {
  let system: CameraSystem

  func set(_ wanted: SetFlash.Parameters) async throws -> SetFlash.Reply {
    let session = try system.session(wanted.camera)
    try await session.setFlash(wanted.mode)
    return SetFlash.Reply(camera: session.definition.id, mode: wanted.mode)
  }
}
