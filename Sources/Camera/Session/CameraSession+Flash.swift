public import CameraProtocol
import GStreamer

/// The light of a session, with what keeps its users apart.
final class SessionFlash: Sendable {
  let lamp: Lamp
  /// One photo at a time, so that none takes the light of another.
  let photos = SerialGate()
  /// One change of the torch at a time; the last one sees how things stand then.
  let changes = SerialGate()

  init(_ lamp: Lamp) { self.lamp = lamp }
}

/// The light: a flash for photos, a torch in video mode.
extension CameraSession {
  /// Sets when the light is on. In video mode the light follows before this returns; a cold session is opened for `on`.
  /// Throws `notSupported` where the camera has no light.
  public func setFlash(_ mode: FlashMode) async throws(CameraError) {
    let flash = try presentFlash()
    defer { armIdleTimer() }
    if flashMode != mode {
      flashMode = mode
      publish { $0.flash = mode }
      settings.emit(Event(.flashChanged, camera: id, flash: mode))
    }
    if mode == .on, self.mode == .video, source == nil { _ = try await perform(.open) }
    if mode == .auto, recorder != nil, finishing == nil { await measureScene() }
    try await applyTorch(flash)
  }

  private func presentFlash() throws(CameraError) -> SessionFlash {
    guard let flash else {
      throw CameraError(
        .notSupported,
        "camera '\(id)' has no light; where there is one, name it with Flash= in section [Camera \(id)] of camd.conf",
        camera: id)
    }
    let definition = flash.lamp.definition
    guard definition.isPresent else {
      let place = definition.origin.map { " (\($0))" } ?? ""
      throw CameraError(
        .notSupported, "the light of camera '\(id)' is not there: \(definition.path)\(place)", camera: id,
        path: definition.path)
    }
    return flash
  }

  // MARK: Photos

  /// The frame of a moment; where the flash is to light it, the first one captured after the light came on. Also
  /// returns whether it is lit, nil where there is no light.
  func litFrame(at moment: UInt64) async throws(CameraError) -> (frame: Frame, flash: Bool?) {
    guard let flash else { return (try await frame(at: moment), nil) }
    await flash.photos.enter()
    defer { flash.photos.leave() }
    switch (mode, flashMode) {
    case (.photo, .on):
      return try await flashFrame(flash)
    case (.photo, .auto):
      let frame = try await unlitFrame(at: moment, flash)
      return await isDark(frame, flash) ? try await flashFrame(flash) : (frame, false)
    case (.photo, .off), (.video, _):
      return (try await frame(at: moment), flash.lamp.isOn)
    }
  }

  /// Lights, takes the first frame after that, and puts the light out in any case.
  private func flashFrame(_ flash: SessionFlash) async throws(CameraError) -> (frame: Frame, flash: Bool?) {
    let (clock, waiter) = (settings.clock, MomentWaiter())
    tap.add(waiter)
    defer { tap.remove(waiter) }
    var isLit = true
    do throws(CameraError) {
      try await flash.lamp.turnOn(for: .photo) { waiter.begin(clock) }
    } catch {
      // a dark photo is better than none
      warn(error)
      isLit = false
      waiter.begin(clock)
    }
    let frame = await waiter.frame(within: Self.frameDeadline)
    do throws(CameraError) {
      try await flash.lamp.turnOff(for: .photo)
    } catch {
      warn(error)
    }
    guard let frame else {
      throw CameraError(
        .cameraDisconnected, "camera '\(id)' is open but delivers no frames; look at its cable or restart it",
        camera: id)
    }
    return (frame, isLit)
  }

  /// The frame of a moment, unless it was captured before the light was put out; then the first one after that.
  func unlitFrame(at moment: UInt64, _ flash: SessionFlash) async throws(CameraError) -> Frame {
    let (frame, darkSince) = (try await frame(at: moment), flash.lamp.darkSince)
    guard frame.sample.runningTime < darkSince else { return frame }
    let waiter = MomentWaiter(since: darkSince)
    tap.add(waiter)
    defer { tap.remove(waiter) }
    return await waiter.frame(within: Self.frameDeadline) ?? frame
  }

  func isDark(_ frame: Frame, _ flash: SessionFlash) async -> Bool {
    let (id, clock, threshold) = (id, settings.clock, flash.lamp.definition.threshold)
    do throws(CameraError) {
      let brightness = try await blocking { () throws(CameraError) in
        try BrightnessMeter.measure(frame, camera: id, clock: clock)
      }
      settings.log(.debug, "camera '\(id)' sees a mean luminance of \(brightness)")
      return brightness < threshold
    } catch {
      warn(error)
      return false
    }
  }

  // MARK: Torch

  private var wantsTorch: Bool {
    guard mode == .video, let source, source.failure.current == nil else { return false }
    return flashMode == .on || flashMode == .auto && recordsDarkScene
  }

  /// Lets the torch follow mode, source and recording. What fails is told to all.
  func updateTorch() async {
    guard let flash else { return }
    do throws(CameraError) {
      try await applyTorch(flash)
    } catch {
      warn(error)
    }
  }

  private func applyTorch(_ flash: SessionFlash) async throws(CameraError) {
    await flash.changes.enter()
    defer { flash.changes.leave() }
    if wantsTorch {
      try await flash.lamp.turnOn(for: .torch)
    } else {
      try await flash.lamp.turnOff(for: .torch)
    }
  }

  /// Decides whether a recording needs light, from a frame without it.
  func measureScene() async {
    guard let flash, mode == .video, flashMode == .auto else { return }
    let recorder = recorder
    await forgetScene()
    _ = await settle()
    do throws(CameraError) {
      let isDark = await isDark(try await unlitFrame(at: settings.clock.runningTime, flash), flash)
      // it may have ended meanwhile
      recordsDarkScene = isDark && self.recorder === recorder && finishing == nil
    } catch {
      warn(error)
    }
    await updateTorch()
  }

  /// The recording that was decided about is over.
  func forgetScene() async {
    recordsDarkScene = false
    await updateTorch()
  }

  /// Puts the light out and lets nobody turn it on again.
  func retireFlash() async {
    guard let flash else { return }
    do throws(CameraError) {
      try await flash.lamp.retire()
    } catch {
      warn(error)
    }
  }
}

extension CameraStatus {
  /// A cold session of a camera.
  init(_ definition: CameraDefinition) {
    self.init(id: definition.id, name: definition.name, flash: definition.flash == nil ? nil : .auto)
  }
}
