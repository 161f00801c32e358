import CameraProtocol
import GStreamer
import Synchronization

/// The camera's source: opening, closing, and noticing that it fails.
extension CameraSession {
  func openSource() async throws(CameraError) {
    // while a lost camera is waited for, the reason of its loss stands
    if recovery == nil {
      publish { status in
        status.state = .starting
        status.message = nil
      }
    }
    if let error = disconnection {
      publish { status in
        status.state = .failed
        status.message = error.detail.message
      }
      throw error
    }
    await restoreControls()
    let capture: CapturePipeline
    do {
      (capture, sourceFormat) = try await startSource()
    } catch {
      let error = await naming(error)
      publish { status in
        status.state = .failed
        if recovery == nil { status.message = error.detail.message }
      }
      settings.log(recovery == nil ? .error : .debug, "\(error)")
      throw error
    }
    source = capture
    publish { status in
      status.state = .warm
      status.message = nil
      status.format = sourceFormat?.format
    }
    exposure = .unknown
    isSilent = false
    await showToViewers()
    reportInterruption()
    watch(capture)
  }

  /// Why there is nothing to open; nil where the device is there.
  var disconnection: CameraError? {
    guard !deviceSource.isPresent, !(deviceSource.node.map(SystemFile.exists) ?? false) else { return nil }
    return CameraError(.cameraDisconnected, "camera '\(id)' is not connected; plug it in", camera: id)
  }

  /// Lets the previews that waited go on.
  private func showToViewers() async {
    guard let pictureFormat else { return }
    for stream in viewers.values {
      do throws(CameraError) {
        let id = id
        try await blocking { () throws(CameraError) in try stream.show(pictureFormat, camera: id) }
      } catch {
        // this viewer ends, with the reason; the others go on
        stream.ended.fulfil(error)
      }
    }
  }

  /// A busy camera's error with the program that has it, where that can be seen.
  private func naming(_ error: CameraError) async -> CameraError {
    guard error.kind == .cameraBusy, let node = deviceSource.node else { return error }
    guard let holder = await blocking({ DeviceQuery(node: node).holder }) else { return error }
    return CameraError(
      .cameraBusy, "camera '\(id)' is in use by \(holder); close that first", camera: id, cause: error.detail.cause)
  }

  /// What viewers of the source get.
  var pictureFormat: SourceFormat? { sourceFormat?.picture }

  /// Starts the source in the format for the mode; behind a parser where it turns out to deliver H.264.
  private func startSource() async throws(CameraError) -> (CapturePipeline, SourceFormat) {
    let (chosen, intake) = (deviceSource.formats.best(for: mode), intake)
    let launch = CapturePipeline.video(deviceSource, chosen)
    var isParsed = chosen?.isInterCoded ?? (parsedLaunch == launch)
    while true {
      let capture = CapturePipeline(
        isParsed ? "\(launch) ! \(Decoding.parser)" : launch, clock: settings.clock
      ) { sample in intake.receive(sample) }
      let format = try await start(capture, takesAny: !isParsed)
      if !format.isInterCoded || isParsed { return (capture, format) }
      isParsed = true
      parsedLaunch = launch
      await close(capture, "camera '\(id)'")
      resetTaps()
    }
  }

  private func resetTaps() {
    intake.reset()
    tap.close()
    pictures.reset()
  }

  /// Opens the device and waits for its first frame, whose caps say the format; with `takesAny` also one that can't be
  /// decoded.
  private func start(_ capture: CapturePipeline, takesAny: Bool) async throws(CameraError) -> SourceFormat {
    let (id, origin, opened) = (id, deviceSource.origin, settings.clock.runningTime)
    openedAt = opened
    // one that stopped delivering is not given the time of one that starts
    let deadline = isSilent ? Self.frameDeadline : Self.openDeadline
    let late = CameraError(
      .timedOut, "camera '\(id)' delivered no frame within \(deadline.inSeconds) seconds", camera: id)
    let waiter = FrameWaiter(takesAny: takesAny)
    tap.add(waiter)
    tap.open()
    defer { tap.remove(waiter) }
    do {
      try await withDeadline(Self.openDeadline, timedOut: late) { () throws(CameraError) in
        do throws(GStreamerError) {
          try await capture.open(origin: opened)
        } catch {
          throw CameraError(source: error, camera: id, origin: origin)
        }
      }
      let arrival = Promise<Result<Frame, CameraError>>()
      let frames = Task {
        if let frame = await waiter.frame(within: deadline) { arrival.fulfil(.success(frame)) }
      }
      let failures = Task {
        if let error = await capture.failure.value(within: deadline) {
          arrival.fulfil(.failure(CameraError(source: error, camera: id, origin: origin)))
        }
      }
      defer {
        frames.cancel()
        failures.cancel()
      }
      guard let first = try await arrival.value(within: deadline)?.get() else {
        let damaged = intake.damaged
        guard damaged > 0 else { throw late }
        throw CameraError(
          .cameraFailed, "camera '\(id)' delivered nothing but \(damaged) damaged frames; look at its cable", camera: id
        )
      }
      guard let caps = first.sample.caps, let format = SourceFormat(caps) else {
        throw CameraError(.notSupported, "camera '\(id)' delivers frames without a size", camera: id)
      }
      _ = try Decoding.elements(for: format, camera: id)
      return format
    } catch {
      Task { await capture.close() }  // may block as long as the device does
      resetTaps()
      throw error as? CameraError ?? CameraError(.internalError, "\(error)", camera: id)
    }
  }

  func closeSource() async {
    watchdog?.cancel()
    exposure = .unknown
    interruptedAt = viewers.isEmpty ? nil : tap.progress.newest
    let closing = source
    source = nil
    sourceFormat = nil
    await updateTorch()
    tap.close()
    for encoder in [encoder] + burstEncoders { await encoder.close() }
    await emptyViewers()
    // it holds the camera's buffers too
    await updatePreRoll()
    await close(closing, "camera '\(id)'")
    publish { status in
      if status.state != .failed { status.state = .cold }
      status.format = nil
    }
    resetTaps()
    if viewers.isEmpty { releaseMemorySoon() }
  }

  /// Takes the camera's buffers from the previews, with which its device would stay open and could not come back. Where
  /// they are in the stream already and the reader doesn't take them, ends the preview.
  private func emptyViewers() async {
    for (viewer, stream) in viewers {
      await blocking { stream.hide() }
      guard stream.holdsCameraBuffers else { continue }
      // in a task of its own: this one may be the watchdog's, which was cancelled with the source's end
      let isEmpty = await Task { await stream.isEmpty(within: Self.drainDeadline) }.value
      guard !isEmpty else { continue }
      let message = "preview '\(viewer)' was ended: its reader takes no frames, and camera '\(id)' can't be closed so"
      warn(message)
      stream.ended.fulfil(CameraError(.cameraDisconnected, message, camera: id))
      await blocking { stream.close() }
    }
  }

  /// What the pipelines' threads free on their way out comes a moment after the closing.
  private func releaseMemorySoon() {
    Task { [weak self] in
      do { try await Task.sleep(for: .seconds(1)) } catch { return }
      guard await self?.source == nil else { return }
      ProcessMemory.releaseFree()
    }
  }

  /// Closes a device; one whose driver hangs is left to itself.
  func close(_ capture: CapturePipeline?, _ what: String) async {
    guard let capture else { return }
    do {
      let late = CameraError(.timedOut, "\(what) did not close within 3 seconds; its driver may hang", camera: id)
      try await withDeadline(.seconds(3), timedOut: late) { () throws(CameraError) in await capture.close() }
    } catch {
      settings.log(.error, "\(error)")
    }
  }

  /// Says how long the picture of the viewers stood still until the camera was open again.
  private func reportInterruption() {
    guard let interruptedAt, let newest = tap.progress.newest else { return }
    self.interruptedAt = nil
    let gap = Double(Int64(bitPattern: newest &- interruptedAt)) / 1e9
    settings.emit(
      Event(
        .warning, camera: id,
        message: "the preview stood still for \((gap * 1000).rounded() / 1000) s while the camera was opened anew"))
  }
}
