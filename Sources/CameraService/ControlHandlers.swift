import Camera
import CameraProtocol
import Varlink

/// What can be set on a camera.
struct ControlHandlers: Sendable {
  let system: CameraSystem

  func list(_ wanted: CameraSelection) async throws -> ListControls.Reply {
    ListControls.Reply(controls: try await system.session(wanted.camera).listControls())
  }

  func set(_ wanted: SetControls.Parameters) async throws -> SetControls.Reply {
    let session = try system.session(wanted.camera)
    return SetControls.Reply(
      controls: try await session.setControls(wanted.values, persist: wanted.persist ?? false))
  }

  func reset(_ wanted: ResetControls.Parameters) async throws -> ResetControls.Reply {
    ResetControls.Reply(controls: try await system.session(wanted.camera).resetControls(wanted.names))
  }

  func setPointOfInterest(_ wanted: SetPointOfInterest.Parameters) async throws -> Nothing {
    try await system.session(wanted.camera).setPointOfInterest(
      x: wanted.x, y: wanted.y, focus: wanted.focus, exposure: wanted.exposure)
    return Nothing()
  }
}
