import Camera
import CameraProtocol

/// Choosing a camera and a microphone.
struct SelectionHandlers: Sendable {
  let system: CameraSystem

  func camera(_ wanted: SelectCamera.Parameters) async throws -> SelectCamera.Reply {
    let (camera, finished) = try await system.select(camera: wanted.camera)
    return SelectCamera.Reply(camera: camera, finished: finished)
  }

  func microphone(_ wanted: SelectMicrophone.Parameters) async throws -> SelectMicrophone.Reply {
    SelectMicrophone.Reply(microphone: try await system.select(microphone: wanted.microphone))
  }
}
