public import CameraProtocol
import GStreamer
import MediaLibrary
import Synchronization

/// One camera at work: its source, its microphone, the recording and the previews. Nothing on its executor blocks: devices,
/// encoders and files have executors of their own.
public actor CameraSession {
  /// The longest wait for a device to open and to deliver.
  static let openDeadline = Duration.seconds(5)
  /// Without a frame for so many nanoseconds, a session counts as stalled.
  static let stallAge: UInt64 = 2_000_000_000

  nonisolated let executor = QueueExecutor("camd.session")
  /// The session's own queue.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// The camera.
  public nonisolated let definition: CameraDefinition
  nonisolated let settings: SessionSettings
  nonisolated let tap = FrameTap()
  nonisolated let encoder: PhotoEncoder
  nonisolated let snapshot: Mutex<CameraStatus>
  nonisolated let currentRecorder = Mutex<MovieRecorder?>(nil)
  nonisolated let gate = SerialGate()

  var microphone: MicrophoneDefinition?
  var mode = CaptureMode.photo
  var quality = Quality.medium
  var source: CapturePipeline?
  var sourceFormat: SourceFormat?
  var sound: CapturePipeline?
  var recorder: MovieRecorder?
  var viewers: [String: PreviewStream] = [:]
  var exposure = Exposure.unknown
  var pendingPhotos = 0
  var finishing: Promise<RecordingResult>?
  /// What went wrong with the recording that is about to be ended.
  var stopMessage: String?
  private var idleTimer: Task<Void, Never>?
  private var watchdog: Task<Void, Never>?
  /// Running time of the last frame before the source was closed while viewers watched.
  private var interruptedAt: UInt64?

  /// Whether the source has come to rest since it was opened.
  enum Exposure {
    case unknown
    /// The task's value is the seconds it took.
    case settling(Task<Double, Never>)
    case steady
  }

  /// A cold session.
  public init(_ definition: CameraDefinition, microphone: MicrophoneDefinition?, settings: SessionSettings) {
    self.definition = definition
    self.microphone = microphone
    self.settings = settings
    encoder = PhotoEncoder(camera: definition.id, clock: settings.clock)
    snapshot = Mutex(CameraStatus(id: definition.id, name: definition.name))
  }

  nonisolated var id: String { definition.id }

  /// How the session stands; never waits.
  public nonisolated var status: CameraStatus {
    var status = snapshot.withLock { $0 }
    let progress = tap.progress
    status.frames = progress.frames
    status.lastFrameAge = progress.newest.map { Double(settings.clock.runningTime &- $0) / 1e9 }
    if let recorder = currentRecorder.withLock({ $0 }) { status.recording = recorder.status(camera: id) }
    return status
  }

  /// Switches between photo and video; a recording is finished first, and returned.
  public func setMode(_ mode: CaptureMode) async throws(CameraError) -> RecordingResult? {
    defer { armIdleTimer() }
    return try await perform(.setMode(mode)).finished
  }

  /// Finishes a running recording and closes everything.
  public func shutDown() async throws(CameraError) {
    idleTimer?.cancel()
    _ = try await perform(.shutdown)
    for viewer in viewers.values { viewer.ended.fulfil(nil) }
  }

  // MARK: Requests and their steps

  /// What the steps of a request brought.
  struct Outcome {
    var started: RecordingStatus?
    var finished: RecordingResult?
    var discarded = 0
  }

  /// Carries out a request when its turn has come, to its end.
  func perform(_ request: SessionPlan.Request, recording: RecordingRequest? = nil) async throws(CameraError) -> Outcome
  {
    try await shielded { () throws(CameraError) in try await self.carryOut(request, recording) }
  }

  private func carryOut(
    _ request: SessionPlan.Request, _ recording: RecordingRequest?
  ) async throws(CameraError) -> Outcome {
    await gate.enter()
    defer { gate.leave() }
    var outcome = Outcome()
    for step in try SessionPlan.steps(request, situation, camera: id) {
      switch step {
      case .finishRecording(let reason): outcome.finished = await finishRecording(reason)
      case .discardRecording: outcome.discarded = try await discardRecording()
      case .closeMicrophone: await closeMicrophone()
      case .closeSource: await closeSource()
      case .setMode(let mode): changeMode(mode)
      case .openSource: try await openSource()
      case .openMicrophone: await openMicrophone()
      case .beginRecording:
        guard let recording else { break }
        outcome.started = try await beginRecording(recording)
      }
    }
    return outcome
  }

  private var situation: SessionPlan.Situation {
    SessionPlan.Situation(
      mode: mode, isOpen: source != nil, isRecording: recorder != nil, hasViewers: !viewers.isEmpty,
      formatDependsOnMode: definition.source.formats.best(for: .photo) != definition.source.formats.best(for: .video))
  }

  private func changeMode(_ mode: CaptureMode) {
    self.mode = mode
    publish { $0.mode = mode }
    settings.emit(Event(.modeChanged, camera: id, mode: mode))
  }

  func publish(_ change: (inout CameraStatus) -> Void) {
    snapshot.withLock { change(&$0) }
  }

  // MARK: The source

  private func openSource() async throws(CameraError) {
    publish { status in
      status.state = .starting
      status.message = nil
    }
    let tap = tap
    let capture = CapturePipeline(
      CapturePipeline.video(definition.source, definition.source.formats.best(for: mode)), clock: settings.clock
    ) { sample in tap.receive(sample) }
    do {
      sourceFormat = try await start(capture)
    } catch {
      publish { status in
        status.state = .failed
        status.message = error.detail.message
      }
      settings.log(.error, "\(error)")
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

  /// Opens the device and waits for its first frame, whose caps say the format.
  private func start(_ capture: CapturePipeline) async throws(CameraError) -> SourceFormat {
    let (id, origin) = (id, definition.source.origin)
    let late = CameraError(
      .timedOut, "camera '\(id)' delivered no frame within \(Self.openDeadline.components.seconds) seconds", camera: id)
    let waiter = FrameWaiter()
    tap.add(waiter)
    defer { tap.remove(waiter) }
    do {
      try await withDeadline(Self.openDeadline, timedOut: late) { () throws(CameraError) in
        do throws(GStreamerError) {
          try await capture.open()
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

  private func closeSource() async {
    watchdog?.cancel()
    exposure = .unknown
    interruptedAt = viewers.isEmpty ? nil : tap.progress.newest
    let closing = source
    source = nil
    sourceFormat = nil
    publish { status in
      if status.state != .failed { status.state = .cold }
      status.format = nil
    }
    await close(closing, "camera '\(id)'")
    tap.reset()
    await encoder.close()
    if viewers.isEmpty { GStreamer.releaseFreeMemory() }
  }

  /// Closes a device; one whose driver hangs is left to itself.
  private func close(_ capture: CapturePipeline?, _ what: String) async {
    guard let capture else { return }
    do {
      let late = CameraError(.timedOut, "\(what) did not close within 3 seconds; its driver may hang", camera: id)
      try await withDeadline(.seconds(3), timedOut: late) { () throws(CameraError) in await capture.close() }
    } catch {
      settings.log(.error, "\(error)")
    }
  }

  /// Says how long the picture of the viewers stood still for a change of format.
  private func reportInterruption() {
    guard let interruptedAt, let newest = tap.progress.newest else { return }
    self.interruptedAt = nil
    let gap = Double(newest &- interruptedAt) / 1e9
    settings.emit(
      Event(
        .warning, camera: id,
        message: "the preview stood still for \((gap * 1000).rounded() / 1000) s: the source changed its format"))
  }

  /// Notices when the source fails or falls silent.
  private func watch(_ capture: CapturePipeline) {
    watchdog = Task { [weak self] in
      let failed = Task { [weak self] in
        guard let error = await capture.failure.value(within: nil) else { return }
        await self?.sourceFailed(capture, error)
      }
      while !Task.isCancelled {
        do { try await Task.sleep(for: .seconds(1)) } catch { break }
        await self?.lookForStall()
      }
      failed.cancel()
    }
  }

  private func lookForStall() {
    guard source != nil, let newest = tap.progress.newest else { return }
    let age = settings.clock.runningTime &- newest
    let stalled = age > Self.stallAge
    let state = snapshot.withLock { $0.state }
    guard stalled != (state == .stalled), state == .warm || state == .stalled else { return }
    let message =
      stalled
      ? "camera '\(id)' has delivered no frame for \(age / 1_000_000_000) s" : "camera '\(id)' delivers frames again"
    publish { status in
      status.state = stalled ? .stalled : .warm
      status.message = stalled ? message : nil
    }
    settings.log(.warning, message)
    settings.emit(Event(.warning, camera: id, message: message))
  }

  /// The device is gone.
  func loseSource() async {
    guard let source else { return }
    await sourceFailed(source, GStreamerError("the device is gone", situation: .notFound))
  }

  private func sourceFailed(_ capture: CapturePipeline, _ error: GStreamerError) async {
    guard source === capture else { return }
    let failure = CameraError(source: error, camera: id, origin: definition.source.origin)
    settings.log(.error, "\(failure)")
    publish { status in
      status.state = .failed
      status.message = failure.detail.message
    }
    settings.emit(Event(.cameraDisconnected, camera: id, message: failure.detail.message))
    do {
      _ = try await perform(.sourceLost)
    } catch {
      settings.log(.error, "\(error)")
    }
    for viewer in viewers.values { viewer.ended.fulfil(failure) }
  }

  // MARK: The microphone

  private func openMicrophone() async {
    guard let microphone else { return }
    let capture = CapturePipeline(CapturePipeline.audio(microphone.source), clock: settings.clock) {
      [weak self] sample in
      self?.currentRecorder.withLock { $0 }?.feed.consume(sound: sample)
    }
    do {
      let late = CameraError(.timedOut, "microphone '\(microphone.id)' did not open within 3 seconds")
      try await withDeadline(.seconds(3), timedOut: late) { () throws(CameraError) in
        do throws(GStreamerError) {
          try await capture.open()
        } catch {
          throw CameraError(.captureFailed, "microphone '\(microphone.id)' failed: \(error.message)", cause: "\(error)")
        }
      }
    } catch {
      Task { await capture.close() }
      warnAboutSound("\(error.detail.message); movies will have no sound")
      return
    }
    sound = capture
    publish { $0.microphone = microphone.id }
    Task { [weak self] in
      guard let error = await capture.failure.value(within: nil) else { return }
      await self?.microphoneFailed(capture, error)
    }
  }

  private func microphoneFailed(_ capture: CapturePipeline, _ error: GStreamerError) async {
    guard sound === capture else { return }
    warnAboutSound("microphone '\(microphone?.id ?? "")' is lost: \(error.message); the movie goes on in silence")
    await closeMicrophone()
  }

  func warnAboutSound(_ message: String) {
    settings.log(.warning, message)
    settings.emit(Event(.warning, camera: id, message: message))
  }

  private func closeMicrophone() async {
    let closing = sound
    sound = nil
    publish { $0.microphone = nil }
    await close(closing, "microphone '\(microphone?.id ?? "")'")
  }

  /// The microphone that the next movie is to use; one that is open stays until the mode changes.
  func useMicrophone(_ definition: MicrophoneDefinition?) {
    microphone = definition
  }

  // MARK: Idleness

  /// Lets the session go cold when nothing has used it for a while.
  func armIdleTimer() {
    idleTimer?.cancel()
    guard source != nil else { return }
    let timeout = settings.idleTimeout
    idleTimer = Task { [weak self] in
      do { try await Task.sleep(for: timeout) } catch { return }
      await self?.becomeIdle()
    }
  }

  private func becomeIdle() async {
    guard pendingPhotos == 0 else { return armIdleTimer() }
    do {
      _ = try await perform(.idle)
    } catch {
      settings.log(.error, "\(error)")
    }
  }
}
