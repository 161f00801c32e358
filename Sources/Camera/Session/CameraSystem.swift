public import CameraProtocol
import GStreamer
import Synchronization

/// All cameras and microphones of the machine, each camera with its session.
public final class CameraSystem: Sendable {
  struct State {
    var cameras: [CameraDefinition]
    var microphones: [MicrophoneDefinition]
    var sessions: [String: CameraSession] = [:]
    /// What users have chosen; it stays chosen while it is not connected.
    var selectedCamera: String?
    var selectedMicrophone: String?
    var isShuttingDown = false
  }

  let registry: DeviceRegistry
  let settings: SessionSettings
  let state: Mutex<State>
  /// One change of the selected camera at a time, and no preview of it begins meanwhile.
  let selection = SerialGate()

  /// Knows the devices that there are now; nothing is opened.
  public init(registry: DeviceRegistry, settings: SessionSettings) {
    self.registry = registry
    self.settings = settings
    let (cameras, microphones) = registry.definitions()
    state = Mutex(State(cameras: cameras, microphones: microphones))
  }

  /// Nanoseconds of running time now.
  public var runningTime: UInt64 { settings.clock.runningTime }

  /// Where the machine is.
  public var locations: LocationStore { settings.locations }

  /// The ids of the cameras, connected or not.
  public var cameraNames: [String] { state.withLock { $0.cameras.map(\.id) } }

  /// How the sessions stand, or that of one camera; never waits. `room`: bytes that recordings may fill. Throws
  /// `noSuchCamera`.
  public func status(_ wanted: String?, room: Int? = nil) throws(CameraError) -> [CameraStatus] {
    let (meant, selected, sessions) = try look { (state) throws(CameraError) in
      (try state.cameras(wanted), state.selected?.id, state.sessions)
    }
    return meant.map { definition in
      var status = sessions[definition.id]?.status ?? CameraStatus(definition)
      status.selected = definition.id == selected
      status.secondsLeft = room.flatMap {
        definition.secondsLeft(status.quality, format: status.format, room: $0)
      }
      return status
    }
  }

  /// The session of a camera by id, position or hardware, or of the selected one. Throws `noSuchCamera`, `shuttingDown`.
  public func session(_ wanted: String?) throws(CameraError) -> CameraSession {
    let settings = settings
    return try look { (state) throws(CameraError) in
      guard !state.isShuttingDown else { throw CameraError(.shuttingDown, "the daemon is about to exit") }
      let definition = try state.camera(wanted)
      // a session outlives its device, so that previews go on when it returns
      if let session = state.sessions[definition.id] { return session }
      let session = CameraSession(definition, microphone: state.microphone, settings: settings)
      state.sessions[definition.id] = session
      return session
    }
  }

  func look<Result: Sendable>(
    _ body: (inout sending State) throws(CameraError) -> Result
  ) throws(CameraError) -> Result {
    try state.withLock { state -> Swift.Result<Result, CameraError> in
      do throws(CameraError) {
        return .success(try body(&state))
      } catch {
        return .failure(error)
      }
    }.get()
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

extension CameraSystem.State {
  /// The camera that is meant by an id, a position or a hardware id; the selected one for nil.
  func camera(_ wanted: String?) throws(CameraError) -> CameraDefinition {
    guard let wanted else {
      if let selected { return selected }
      if let selectedCamera {
        throw CameraError(
          .cameraDisconnected,
          "the selected camera '\(selectedCamera)' is not connected; plug it in, or select another one",
          camera: selectedCamera)
      }
      throw CameraError(.noSuchCamera, "there is no camera")
    }
    if let camera = cameras.first(where: { $0.id == wanted }) ?? cameras.first(where: { $0.hardware == wanted }) {
      return camera
    }
    if let position = Position(rawValue: wanted) {
      let there = cameras.filter { $0.position == position }
      if let camera = there.first(where: \.source.isPresent) ?? there.first { return camera }
      throw CameraError(.noSuchCamera, "there is no \(wanted) camera; \(known)", camera: wanted)
    }
    throw CameraError(.noSuchCamera, "there is no camera '\(wanted)'; \(known)", camera: wanted)
  }

  /// That camera, or all of them for nil.
  func cameras(_ wanted: String?) throws(CameraError) -> [CameraDefinition] {
    guard let wanted else { return cameras }
    return [try camera(wanted)]
  }

  /// The camera that is meant where none is named: the chosen one; else the rear one, an external one, the front one,
  /// one whose position isn't known, the synthetic one, and connected ones first.
  var selected: CameraDefinition? {
    if let selectedCamera { return cameras.first { $0.id == selectedCamera } }
    for isPresent in [true, false] {
      for position in [Position.rear, .external, .front, nil] {
        let camera = cameras.first {
          $0.position == position && !$0.synthetic && $0.source.isPresent == isPresent
        }
        if let camera { return camera }
      }
    }
    return cameras.first
  }

  /// The microphone of the movies: the chosen one where it is connected, else the first.
  var microphone: MicrophoneDefinition? { microphones.first { $0.id == selectedMicrophone } ?? microphones.first }

  private var known: String {
    cameras.isEmpty ? "there is none" : "there is " + cameras.map { "'\($0.id)'" }.joined(separator: ", ")
  }
}
