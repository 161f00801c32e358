public import CameraProtocol
import Synchronization

/// Which camera and microphone are meant where none is named.
extension CameraSystem {
  /// Chooses a camera. It takes over mode and previews of the one before, whose recording is finished first and
  /// returned. Where it can't be opened for those previews, this throws and nothing has changed.
  public func select(
    camera wanted: String
  ) async throws(CameraError) -> (camera: String, finished: RecordingResult?) {
    try await shielded { () throws(CameraError) in
      await self.selection.enter()
      defer { self.selection.leave() }
      return try await self.change(to: wanted)
    }
  }

  private func change(to wanted: String) async throws(CameraError) -> (camera: String, finished: RecordingResult?) {
    let (definition, before) = try look { (state) throws(CameraError) in
      (try state.camera(wanted), state.selected.flatMap { state.sessions[$0.id] })
    }
    guard definition.source.isPresent else {
      throw CameraError(
        .cameraDisconnected, "camera '\(definition.id)' is not connected", camera: definition.id)
    }
    let target = try session(definition.id)
    var finished: RecordingResult?
    if let before, before !== target {
      let former = target.status.mode
      await target.takeOver(before.status.mode)
      do throws(CameraError) {
        finished = try await before.yield(to: target)
      } catch {
        await target.takeOver(former)
        throw error
      }
    }
    state.withLock { $0.selectedCamera = definition.id }
    settings.emit(Event(.cameraSelected, camera: definition.id, message: "\(definition.name) is selected"))
    return (definition.id, finished)
  }

  /// Chooses the microphone of all movies. Those that run get its sound from now on.
  public func select(microphone wanted: String) async throws(CameraError) -> String {
    let (definition, sessions) = try look { (state) throws(CameraError) in
      guard let definition = state.microphones.first(where: { $0.id == wanted }) else {
        let known = state.microphones.map { "'\($0.id)'" }.joined(separator: ", ")
        throw CameraError(
          .noSuchMicrophone, "there is no microphone '\(wanted)'; there is \(known.isEmpty ? "none" : known)")
      }
      state.selectedMicrophone = definition.id
      return (definition, Array(state.sessions.values))
    }
    for session in sessions { try await session.change(microphone: definition) }
    settings.emit(
      Event(.microphoneSelected, microphone: definition.id, message: "\(definition.name) is selected"))
    return definition.id
  }

  /// Whether a camera can be used now, and what for; that there is none is an answer as well. `flash` tells whether it has
  /// a light.
  public func availability(
    _ wanted: String?
  ) async -> (id: String?, camera: Availability, flash: Bool) {
    let camera: Camera
    do throws(CameraError) {
      let id = try look { (state) throws(CameraError) in try state.camera(wanted).id }
      guard let found = try await cameras(id).first else {
        return (nil, Availability(missing: .absent, message: "there is no camera"), false)
      }
      camera = found
    } catch {
      return (nil, Availability(missing: .absent, message: error.detail.message), false)
    }
    let answer: Availability
    switch camera.state {
    case .free, .inUse: answer = Availability(mediaTypes: camera.mediaTypes, modes: camera.modes)
    case .busy:
      let holder = camera.holder ?? "another program"
      answer = Availability(missing: .busy, message: "camera '\(camera.id)' is in use by \(holder)")
    case .absent:
      answer = Availability(missing: .absent, message: "camera '\(camera.id)' is not connected")
    case .noPermission:
      answer = Availability(
        missing: .noPermission, message: "camera '\(camera.id)' may not be opened by the daemon's user")
    }
    return (camera.id, answer, camera.flash)
  }
}
