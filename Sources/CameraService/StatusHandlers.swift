import Camera
import CameraProtocol
import MediaLibrary

/// What there is, and how it stands.
struct StatusHandlers: Sendable {
  let system: CameraSystem
  let library: MediaLibrary
  let version: String

  func status(_ wanted: CameraSelection) async throws -> GetStatus.Reply {
    let library = library
    let space = try await blocking { library.status }
    let cameras = try system.status(wanted.camera, room: space.freeBytes.map { $0 - library.reserve })
    return GetStatus.Reply(
      status: Status(
        version: version, library: space, cameras: cameras, microphones: await system.microphones()))
  }

  func cameras(_ wanted: CameraSelection) async throws -> ListCameras.Reply {
    ListCameras.Reply(cameras: try await system.cameras(wanted.camera))
  }

  func microphones(_: Nothing) async throws -> ListMicrophones.Reply {
    ListMicrophones.Reply(microphones: await system.microphones())
  }

  func availability(_ wanted: CameraSelection) async throws -> GetAvailability.Reply {
    let (id, camera, flash) = await system.availability(wanted.camera)
    let library = library
    let album = try await blocking { library.availability }
    return GetAvailability.Reply(id: id, camera: camera, flash: flash, album: album)
  }
}
