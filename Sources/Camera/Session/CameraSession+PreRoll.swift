public import CameraProtocol
import GStreamer
import Synchronization

/// What is to be kept for recordings that begin before they are asked for.
struct PreRollSetting: Equatable {
  /// Nanoseconds.
  var duration: UInt64
  var quality: Quality
}

/// Keeping the last seconds while the camera is in video mode.
extension CameraSession {
  /// Keeps so many seconds from now on, encoded in a preset; 0 for nothing. The camera is opened in video mode, and stays
  /// open. Throws where the camera can't be opened or the preset isn't one of its.
  public func setPreRoll(_ seconds: Double, quality: Quality) async throws(CameraError) -> PreRollStatus? {
    defer { armIdleTimer() }
    let setting = seconds > 0 ? PreRollSetting(duration: UInt64(seconds * 1e9), quality: quality) : nil
    if setting != nil {
      _ = try await perform(.setMode(.video))
      _ = try await perform(.open)
    }
    try await shielded { () throws(CameraError) in try await self.change(to: setting) }
    return preRollStatus
  }

  /// In its turn among the requests: two that follow the source at once would make two of it.
  private func change(to setting: PreRollSetting?) async throws(CameraError) {
    await gate.enter()
    defer { gate.leave() }
    let former = preRollSetting
    preRollSetting = setting
    do throws(CameraError) {
      try await applyPreRoll()
    } catch {
      preRollSetting = former
      await updatePreRoll()
      throw error
    }
  }

  /// Lets it follow mode and source, as a part of a request. What fails is told to all.
  func updatePreRoll() async {
    do throws(CameraError) {
      try await applyPreRoll()
    } catch {
      warn(error)
    }
  }

  private func applyPreRoll() async throws(CameraError) {
    let running = currentPreRoll.withLock { $0 }
    let isOpen = source != nil && mode == .video
    if let running {
      // one that feeds a recording goes on until that ends
      guard !(recorder?.usesPreRoll ?? false) else { return }
      if isOpen, let preRollSetting, running.setting == preRollSetting { return }
      currentPreRoll.withLock { $0 = nil }
      pictures.remove(running)
      tap.remove(running)
      await blocking { running.close() }
    }
    guard isOpen, let preRollSetting, let pictureFormat else { return }
    let plan = try MoviePlan(preRollSetting.quality, source: pictureFormat, delivered: sourceFormat, camera: id)
    let (id, clock, encoders, microphone) = (id, settings.clock, settings.encoders, microphoneSwitch)
    let made = try await blocking { () throws(CameraError) in
      let encoder = plan.passes ? nil : try encoders.encoders(for: .h264).first
      return try PreRoll(
        preRollSetting, plan: plan, source: pictureFormat, encoder: encoder, microphone: microphone, camera: id,
        clock: clock)
    }
    currentPreRoll.withLock { $0 = made }
    if plan.passes { tap.add(made) } else { pictures.add(made) }
    Task { [weak self] in
      guard let error = await made.failure.value(within: nil) else { return }
      await self?.preRollFailed(made, error)
    }
  }

  private func preRollFailed(_ preRoll: PreRoll, _ error: GStreamerError) async {
    guard currentPreRoll.withLock({ $0 }) === preRoll else { return }
    warn(CameraError(capture: error, camera: id, what: "the pre-roll"))
    if let recorder, recorder.usesPreRoll {
      do throws(CameraError) {
        _ = try await perform(.stopRecording(.error))
      } catch {
        settings.log(.debug, "\(error)")
      }
    }
    do throws(CameraError) {
      try await change(to: nil)
    } catch {
      settings.log(.error, "\(error)")
    }
  }

  /// How much is kept now.
  nonisolated var preRollStatus: PreRollStatus? {
    guard let preRoll = currentPreRoll.withLock({ $0 }) else { return nil }
    let (duration, bytes) = preRoll.extent
    return PreRollStatus(
      seconds: Double(preRoll.setting.duration) / 1e9, available: Double(duration) / 1e9, bytes: bytes,
      quality: preRoll.setting.quality)
  }

  /// The pre-roll that a recording can begin with.
  func preRoll(for request: RecordingRequest) -> PreRoll? {
    guard let preRoll = currentPreRoll.withLock({ $0 }), request.audio, request.movie == MovieSettings() else {
      return nil
    }
    return request.quality == preRoll.setting.quality ? preRoll : nil
  }
}
