public import CameraProtocol
import Synchronization

/// Which devices there are, and what they are doing.
extension CameraSystem {
  /// The cameras, or one of them. Those that are closed here are asked whether another process has them open. Throws
  /// `noSuchCamera`.
  public func cameras(_ wanted: String?) async throws(CameraError) -> [Camera] {
    let (meant, selected, sessions) = try look { (state) throws(CameraError) in
      (try state.cameras(wanted), state.selected?.id, state.sessions)
    }
    return await withTaskGroup(of: (Int, Camera).self) { group in
      for (index, definition) in meant.enumerated() {
        let status = sessions[definition.id]?.status
        group.addTask {
          var camera = await Self.camera(definition, status)
          camera.selected = definition.id == selected
          return (index, camera)
        }
      }
      var cameras: [(Int, Camera)] = []
      for await camera in group { cameras.append(camera) }
      return cameras.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }

  private static func camera(_ definition: CameraDefinition, _ status: CameraStatus?) async -> Camera {
    let formats = definition.source.formats.map(\.format)
    var camera = Camera(
      id: definition.id, name: definition.name, position: definition.position, synthetic: definition.synthetic,
      state: .inUse, formats: formats.isEmpty ? [status?.format].compactMap { $0 } : formats,
      flash: definition.flash?.isPresent ?? false, device: definition.hardware)
    if status?.format == nil, status?.state != .starting {
      (camera.state, camera.holder) = await query(definition)
    }
    return camera
  }

  private static func query(_ definition: CameraDefinition) async -> (DeviceState, String?) {
    guard definition.source.isPresent else { return (.absent, nil) }
    guard let node = definition.source.node else { return (.free, nil) }
    do throws(CameraError) {
      let late = CameraError(.timedOut, "the driver of \(node) does not answer")
      return try await withDeadline(.seconds(1), timedOut: late) { () throws(CameraError) in
        let query = await blocking { DeviceQuery(node: node) }
        return (query.state, query.holder)
      }
    } catch {
      // whoever made the driver hang has it
      return (.busy, nil)
    }
  }

  /// The microphones.
  public func microphones() async -> [Microphone] {
    let (microphones, selected, sessions) = state.withLock {
      ($0.microphones, $0.microphone?.id, Array($0.sessions.values))
    }
    let users = Dictionary(grouping: sessions.map(\.status).filter { $0.microphone != nil }) { $0.microphone ?? "" }
    return await blocking {
      microphones.map { definition in
        let cameras = users[definition.id]?.map(\.id).sorted() ?? []
        let query = cameras.isEmpty ? definition.alsaName.flatMap(DeviceQuery.init(alsa:)) : nil
        return Microphone(
          id: definition.id, name: definition.name, synthetic: definition.synthetic,
          state: cameras.isEmpty ? query?.state ?? .free : .inUse, selected: definition.id == selected,
          cameras: cameras)
      }
    }
  }

  /// Looks again at what devices there are, and tells what came and went.
  public func refresh() async {
    var (cameras, microphones) = registry.definitions()
    // a synthetic camera that is at work stays until it rests, though a real one has come
    let inUse = state.withLock { $0.sessions[CameraDefinition.synthetic.id]?.status.format != nil }
    if inUse, !cameras.contains(.synthetic) { cameras.append(.synthetic) }
    let (before, sessions, microphone) = state.withLock {
      [cameras] state -> (State, [String: CameraSession], MicrophoneDefinition?) in
      let before = state
      state.cameras = cameras
      state.microphones = microphones
      return (before, state.sessions, state.microphone)
    }
    await tellCameras(before.cameras.filter(\.source.isPresent), cameras, sessions)
    for gone in before.microphones where !microphones.contains(where: { $0.id == gone.id }) {
      settings.emit(Event(.microphoneDisconnected, microphone: gone.id, message: "\(gone.name) is gone"))
    }
    for come in microphones where !before.microphones.contains(where: { $0.id == come.id }) {
      settings.emit(Event(.microphoneConnected, microphone: come.id, message: "\(come.name) is connected"))
    }
    for session in sessions.values { await session.useMicrophone(microphone) }
  }

  private func tellCameras(
    _ before: [CameraDefinition], _ now: [CameraDefinition], _ sessions: [String: CameraSession]
  ) async {
    let there = now.filter(\.source.isPresent)
    for camera in before where !there.contains(where: { $0.id == camera.id }) {
      if await sessions[camera.id]?.deviceGone() ?? false { continue }
      settings.emit(Event(.cameraDisconnected, camera: camera.id, message: "\(camera.name) is gone"))
    }
    for camera in there {
      await sessions[camera.id]?.deviceFound(camera.source)
      if !before.contains(where: { $0.id == camera.id }) {
        settings.emit(Event(.cameraConnected, camera: camera.id, message: "\(camera.name) is connected"))
      }
    }
  }
}

extension MicrophoneDefinition {
  /// The name that ALSA is asked for; nil where the sound comes from elsewhere.
  fileprivate var alsaName: String? {
    let prefix = "alsasrc device="
    guard source.launch.hasPrefix(prefix) else { return nil }
    return String(source.launch.dropFirst(prefix.count).filter { $0 != "\"" })
  }
}
