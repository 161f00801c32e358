import CameraProtocol
import GStreamer
import Synchronization

/// The microphone, which is open in video mode only.
extension CameraSession {
  func openMicrophone() async {
    guard let microphone else { return }
    let capture = CapturePipeline(CapturePipeline.audio(microphone.source), clock: settings.clock) {
      [weak self] sample in
      self?.take(sound: sample)
    }
    let opened = openedAt
    do {
      let late = CameraError(.timedOut, "microphone '\(microphone.id)' did not open within 3 seconds")
      try await withDeadline(.seconds(3), timedOut: late) { () throws(CameraError) in
        do throws(GStreamerError) {
          try await capture.open(origin: opened)
        } catch {
          throw CameraError(.captureFailed, "microphone '\(microphone.id)' failed: \(error.message)", cause: "\(error)")
        }
      }
    } catch {
      Task { await capture.close() }
      warn("\(error.detail.message); movies will have no sound")
      return
    }
    sound = capture
    publish { $0.microphone = microphone.id }
    Task { [weak self] in
      guard let error = await capture.failure.value(within: nil) else { return }
      await self?.microphoneFailed(capture, error)
    }
  }

  /// On the microphone's streaming thread.
  private nonisolated func take(sound: borrowing Sample) {
    currentPreRoll.withLock { $0 }?.consume(sound: sound)
    if let start = currentStart.withLock({ $0 }) {
      start.consume(sound: sound)
    } else if let recorder = currentRecorder.withLock({ $0 }), !recorder.usesPreRoll {
      recorder.feed.consume(sound: sound)
    }
    if settings.isWanted(.soundLevel), let level = soundLevel.consume(sound) {
      settings.emit(Event(.soundLevel, camera: id, level: level))
    }
  }

  /// Records silence in place of the microphone's sound, or its sound again; at once, and until it is changed.
  public func mute(_ isMuted: Bool) {
    microphoneSwitch.isMuted = isMuted
    publish { $0.muted = isMuted }
    settings.emit(Event(.microphoneMuted, camera: id, microphone: microphone?.id, muted: isMuted))
  }

  private func microphoneFailed(_ capture: CapturePipeline, _ error: GStreamerError) async {
    guard sound === capture else { return }
    let message = "microphone '\(microphone?.id ?? "")' is lost: \(error.message)"
    await closeMicrophone()
    guard let recorder, recorder.plan.format.video == nil else {
      return warn("\(message); the movie goes on in silence")
    }
    warn(message)
    await end(recorder, .error, CameraError(.captureFailed, message, camera: id))
  }

  func closeMicrophone() async {
    let closing = sound
    sound = nil
    publish { $0.microphone = nil }
    await close(closing, "microphone '\(microphone?.id ?? "")'")
  }

  /// Changes the microphone at once; a recording with sound goes on with that of the new one.
  func change(microphone definition: MicrophoneDefinition) async throws(CameraError) {
    guard microphone != definition else { return }
    microphone = definition
    _ = try await perform(.changeMicrophone)
  }

  /// The microphone that the next movie is to use; one that is open stays until the mode changes.
  func useMicrophone(_ definition: MicrophoneDefinition?) {
    microphone = definition
  }
}
