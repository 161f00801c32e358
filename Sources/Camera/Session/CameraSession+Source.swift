import CameraProtocol
import GStreamer
import Synchronization

/// The camera's source: opening, closing, and noticing that it fails.
extension CameraSession {
  func openSource() async throws(CameraError) {
    publish { status in
      status.state = .starting
      status.message = nil
    }
    guard deviceSource.isPresent || deviceSource.node.map(SystemFile.exists) ?? false else {
      let error = CameraError(.cameraDisconnected, "camera '\(id)' is not connected; plug it in", camera: id)
      publish { status in
        status.state = .failed
        status.message = error.detail.message
      }
      throw error
    }
    await restoreControls()
    let tap = tap
    let capture = CapturePipeline(
      CapturePipeline.video(deviceSource, deviceSource.formats.best(for: mode)), clock: settings.clock
    ) { sample in tap.receive(sample) }
    do {
      sourceFormat = try await start(capture)
    } catch {
      let error = await naming(error)
      publish { status in
        status.state = .failed
        status.message = error.detail.message
      }
      settings.log(recovery == nil ? .error : .debug, "\(error)")
      throw error
    }
    source = capture
    publish { status in
      status.state = .warm
      status.format = sourceFormat?.format
    }
    exposure = .unknown
    reportInterruption()
    watch(capture)
  }

  /// A busy camera's error with the program that has it, where that can be seen.
  private func naming(_ error: CameraError) async -> CameraError {
    guard error.kind == .cameraBusy, let node = deviceSource.node else { return error }
    guard let holder = await blocking({ DeviceQuery(node: node).holder }) else { return error }
    return CameraError(
      .cameraBusy, "camera '\(id)' is in use by \(holder); close that first", camera: id, cause: error.detail.cause)
  }

  /// Opens the device and waits for its first frame, whose caps say the format.
  private func start(_ capture: CapturePipeline) async throws(CameraError) -> SourceFormat {
    let (id, origin, opened) = (id, deviceSource.origin, settings.clock.runningTime)
    openedAt = opened
    let late = CameraError(
      .timedOut, "camera '\(id)' delivered no frame within \(Self.openDeadline.components.seconds) seconds", camera: id)
    let waiter = FrameWaiter()
    tap.add(waiter)
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
        if let frame = await waiter.frame(within: Self.openDeadline) { arrival.fulfil(.success(frame)) }
      }
      let failures = Task {
        if let error = await capture.failure.value(within: Self.openDeadline) {
          arrival.fulfil(.failure(CameraError(source: error, camera: id, origin: origin)))
        }
      }
      defer {
        frames.cancel()
        failures.cancel()
      }
      guard let first = try await arrival.value(within: Self.openDeadline)?.get() else { throw late }
      guard let caps = first.sample.caps, let format = SourceFormat(caps) else {
        throw CameraError(.notSupported, "camera '\(id)' delivers frames without a size", camera: id)
      }
      _ = try Decoding.elements(for: format, camera: id)
      return format
    } catch {
      Task { await capture.close() }  // may block as long as the device does
      tap.reset()
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
    await close(closing, "camera '\(id)'")
    publish { status in
      if status.state != .failed { status.state = .cold }
      status.format = nil
    }
    tap.reset()
    await encoder.close()
    if viewers.isEmpty { releaseMemorySoon() }
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
