import CameraProtocol
import GStreamer
import Synchronization

/// Noticing that a source fails or falls silent, and coming back when it does.
extension CameraSession {
  /// The pauses between attempts to open a lost camera again; the last one repeats.
  private static let recoveryPauses: [Duration] = [.milliseconds(300), .milliseconds(700), .seconds(1), .seconds(2)]

  /// Watches a source until it is closed.
  func watch(_ capture: CapturePipeline) {
    watchdog = Task { [weak self] in
      let failed = Task { [weak self] in
        guard let error = await capture.failure.value(within: nil) else { return }
        await self?.sourceFailed(capture, error)
      }
      var silence = Silence()
      while !Task.isCancelled {
        do { try await Task.sleep(for: .seconds(1)) } catch { break }
        await self?.lookForStall(capture, &silence)
      }
      failed.cancel()
    }
  }

  /// Says once when frames cease and once when they come again. A source that stays silent without an error, as
  /// PipeWire's does when its node dies, is restarted.
  private func lookForStall(_ capture: CapturePipeline, _ silence: inout Silence) async {
    let state = snapshot.withLock { $0.state }
    // one that has failed is being closed already, which takes as long as its recording's encoder
    guard source === capture, state == .warm || state == .stalled, let newest = tap.progress.newest else { return }
    silence.look(newest)
    guard silence.seconds < Self.restartSeconds else {
      return await sourceFailed(
        capture, GStreamerError("no frame for \(silence.seconds) s; it is restarted", situation: .silent))
    }
    let stalled = silence.seconds >= Self.stallSeconds
    guard stalled != (state == .stalled) else { return }
    let message =
      stalled
      ? "camera '\(id)' has delivered no frame for \(silence.seconds) s" : "camera '\(id)' delivers frames again"
    publish { status in
      status.state = stalled ? .stalled : .warm
      status.message = stalled ? message : nil
    }
    warn(message)
  }

  /// The device is gone from the machine. True where the session had it open, and says so itself.
  func deviceGone() async -> Bool {
    deviceSource.isPresent = false
    guard let source, snapshot.withLock({ $0.state }) != .failed else { return self.source != nil || recovery != nil }
    await sourceFailed(source, GStreamerError("the device is gone", situation: .notFound))
    return true
  }

  /// The device is there, perhaps anew and under another node.
  func deviceFound(_ found: DeviceSource) {
    if deviceSource != found { deviceSource = found }
    if source == nil, recovery == nil {
      publish { status in
        if status.state == .failed { (status.state, status.message) = (.cold, nil) }
      }
    }
    deviceReturned.fulfil(())
  }

  /// Ends what the source fed, and tries to get it back where somebody watches.
  private func sourceFailed(_ capture: CapturePipeline, _ error: GStreamerError) async {
    guard source === capture else { return }
    let failure = CameraError(source: error, camera: id, origin: deviceSource.origin)
    settings.log(.error, "\(failure)")
    publish { status in
      status.state = .failed
      status.message = failure.detail.message
    }
    settings.emit(Event(.cameraDisconnected, camera: id, message: failure.detail.message))
    lostBecause = failure
    isSilent = error.situation == .silent
    do {
      _ = try await perform(.sourceLost)
    } catch {
      settings.log(.error, "\(error)")
    }
    if isWatched, recovery == nil { recover() }
  }

  /// Waits a moment for a camera that is being waited for; throws why it is lost where it doesn't come.
  func awaitRecovery() async throws(CameraError) {
    guard recovery != nil, source == nil, let lostBecause else { return }
    guard await recovered.value(within: Self.frameDeadline) == nil else { return }
    // a driver that is taken away fails to read first, and is known to be gone only then
    throw disconnection ?? lostBecause
  }

  /// Opens the source again as soon as that works; previews that run then go on.
  private func recover() {
    let lostAt = settings.clock.runningTime
    recovered = Promise()
    recovery = Task { [weak self] in
      var attempt = 0
      while !Task.isCancelled {
        let pause = Self.recoveryPauses[min(attempt, Self.recoveryPauses.count - 1)]
        attempt += 1
        guard let signal = await self?.nextDeviceSignal() else { return }
        _ = await signal.value(within: pause)
        guard let self, await self.isWaitingForSource else { break }
        if await self.reopen(lostAt) { break }
      }
      await self?.endRecovery()
    }
  }

  private func nextDeviceSignal() -> Promise<Void> {
    if deviceReturned.current != nil { deviceReturned = Promise() }
    return deviceReturned
  }

  private var isWaitingForSource: Bool { source == nil && isWatched }

  private func endRecovery() {
    recovery = nil
    recovered.fulfil(())
  }

  private func reopen(_ lostAt: UInt64) async -> Bool {
    do {
      _ = try await perform(.open)
    } catch {
      return false
    }
    let seconds = (Double(settings.clock.age(of: lostAt)) / 1e8).rounded() / 10
    let message = "camera '\(id)' is back after \(seconds) s"
    settings.log(.info, message)
    settings.emit(Event(.cameraConnected, camera: id, message: message))
    recovered.fulfil(())
    return true
  }
}
