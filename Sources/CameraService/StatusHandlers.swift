import Camera
import CameraProtocol
import MediaLibrary

/// What there is, and how it stands.
struct StatusHandlers: Sendable {
  let system: CameraSystem
  let library: MediaLibrary
  let version: String

  func status(_: Nothing) async throws -> GetStatus.Reply {
    GetStatus.Reply(status: Status(version: version, library: library.status, cameras: system.status))
  }

  func cameras(_: Nothing) async throws -> ListCameras.Reply { ListCameras.Reply(cameras: system.cameras) }

  func microphones(_: Nothing) async throws -> ListMicrophones.Reply {
    ListMicrophones.Reply(microphones: system.microphones)
  }
}
