public import CameraProtocol
import GStreamer
import Synchronization

/// All cameras and microphones of the machine, each camera with its session.
public final class CameraSystem: Sendable {
  private struct State {
    var cameras: [CameraDefinition]
    var microphones: [MicrophoneDefinition]
    var sessions: [String: CameraSession] = [:]
    var isShuttingDown = false
  }

  private let registry: DeviceRegistry
  private let settings: SessionSettings
  private let state: Mutex<State>

  /// Knows the devices that there are now; nothing is opened.
  public init(registry: DeviceRegistry, settings: SessionSettings) {
    self.registry = registry
    self.settings = settings
    let (cameras, microphones) = registry.definitions()
    state = Mutex(State(cameras: cameras, microphones: microphones))
  }

  /// Nanoseconds of running time now.
  public var runningTime: UInt64 { settings.clock.runningTime }

  /// The cameras.
  public var cameras: [Camera] {
    let (cameras, sessions) = state.withLock { ($0.cameras, $0.sessions) }
    return cameras.map { definition in
      let status = sessions[definition.id]?.status
      let formats = definition.source.formats.map(\.format)
      return Camera(
        id: definition.id, name: definition.name, position: definition.position, synthetic: definition.synthetic,
        state: status?.format == nil ? .free : .inUse,
        formats: formats.isEmpty ? [status?.format].compactMap { $0 } : formats,
        flash: definition.flash?.isPresent ?? false)
    }
  }

  /// The microphones.
  public var microphones: [Microphone] {
    let (microphones, sessions) = state.withLock { ($0.microphones, $0.sessions) }
    let open = Set(sessions.values.compactMap { $0.status.microphone })
    return microphones.map {
      Microphone(id: $0.id, name: $0.name, synthetic: $0.synthetic, state: open.contains($0.id) ? .inUse : .free)
    }
  }

  /// How each camera's session stands; never waits.
  public var status: [CameraStatus] {
    let (cameras, sessions) = state.withLock { ($0.cameras, $0.sessions) }
    return cameras.map { sessions[$0.id]?.status ?? CameraStatus($0) }
  }

  /// The session of a camera, or of the default one: rear, external, front, any other, synthetic.
  public func session(_ id: String?) throws(CameraError) -> CameraSession {
    let settings = settings
    let found = state.withLock { state -> Result<CameraSession, CameraError> in
      guard !state.isShuttingDown else { return .failure(CameraError(.shuttingDown, "the daemon is about to exit")) }
      let definition = id.map { id in state.cameras.first { $0.id == id } } ?? Self.preferred(state.cameras)
      guard let definition else {
        let known = state.cameras.map { "'\($0.id)'" }.joined(separator: ", ")
        let message = id.map { "there is no camera '\($0)'; there is \(known.isEmpty ? "none" : known)" }
        return .failure(CameraError(.noSuchCamera, message ?? "there is no camera", camera: id))
      }
      // a session outlives its device, so that previews go on when it returns
      if let session = state.sessions[definition.id] { return .success(session) }
      let session = CameraSession(definition, microphone: state.microphones.first, settings: settings)
      state.sessions[definition.id] = session
      return .success(session)
    }
    return try found.get()
  }

  private static func preferred(_ cameras: [CameraDefinition]) -> CameraDefinition? {
    for position in [Position.rear, .external, .front, nil] {
      if let camera = cameras.first(where: { $0.position == position && !$0.synthetic }) { return camera }
    }
    return cameras.first
  }

  /// Ends a preview of any camera. False where there is none of that id.
  public func stopPreview(_ viewer: String) async -> Bool {
    for session in state.withLock({ Array($0.sessions.values) }) where await session.stopPreview(viewer) {
      return true
    }
    return false
  }

  /// Looks again at what devices there are, and tells what came and went.
  public func refresh() async {
    var (cameras, microphones) = registry.definitions()
    // a synthetic camera that is at work stays until it rests, though a real one has come
    let inUse = state.withLock { $0.sessions[CameraDefinition.synthetic.id]?.status.format != nil }
    if inUse, !cameras.contains(.synthetic) { cameras.append(.synthetic) }
    let (before, sessions) = state.withLock { [cameras] state -> ([CameraDefinition], [String: CameraSession]) in
      let before = state.cameras
      state.cameras = cameras
      state.microphones = microphones
      return (before, state.sessions)
    }
    for camera in before where !cameras.contains(where: { $0.id == camera.id }) {
      if await sessions[camera.id]?.deviceGone() ?? false { continue }
      settings.emit(Event(.cameraDisconnected, camera: camera.id, message: "\(camera.name) is gone"))
    }
    for camera in cameras {
      await sessions[camera.id]?.deviceFound(camera.source)
      if !before.contains(where: { $0.id == camera.id }) {
        settings.emit(Event(.cameraConnected, camera: camera.id, message: "\(camera.name) is connected"))
      }
    }
    for session in sessions.values { await session.useMicrophone(microphones.first) }
  }

  /// Finishes all recordings and closes all devices; takes no more requests.
  public func shutDown() async {
    let sessions = state.withLock { state in
      state.isShuttingDown = true
      return Array(state.sessions.values)
    }
    await withTaskGroup(of: Void.self) { group in
      for session in sessions {
        group.addTask { [settings] in
          do throws(CameraError) {
            try await session.shutDown()
          } catch {
            settings.log(.error, "\(error)")
          }
        }
      }
    }
  }
}
