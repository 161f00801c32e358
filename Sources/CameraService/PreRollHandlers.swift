import Camera
import CameraProtocol
import Varlink

/// Recordings that begin before they are asked for.
struct PreRollHandlers: Sendable {
  let system: CameraSystem

  func set(_ wanted: SetPreRoll.Parameters) async throws -> SetPreRoll.Reply {
    guard wanted.seconds >= 0, wanted.seconds <= 60 else { throw ServiceError.invalidParameter("seconds") }
    let session = try system.session(wanted.camera)
    return SetPreRoll.Reply(
      camera: session.definition.id,
      preRoll: try await session.setPreRoll(wanted.seconds, quality: wanted.quality ?? .medium))
  }
}
