public import CameraProtocol
import GStreamer
import MediaLibrary
import Synchronization

/// One camera at work: its source, its microphone, the recording and the previews. Nothing on its executor blocks:
/// devices, encoders and files have executors of their own.
public actor CameraSession {
  /// The longest wait for a device to open and to deliver.
  static let openDeadline = Duration.seconds(5)
  /// Without a frame for so many seconds, a session counts as stalled.
  static let stallSeconds = 2
  /// Without a frame for so many seconds, a source is restarted.
  static let restartSeconds = 10
  /// The longest wait for the viewers of a camera that is closed to take what they were sent.
  static let drainDeadline = Duration.seconds(2)

  nonisolated let executor = QueueExecutor("camd.session")
  /// The session's own queue.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// The camera.
  public nonisolated let definition: CameraDefinition
  nonisolated let settings: SessionSettings
  /// The source's frames as it delivers them.
  nonisolated let tap = FrameTap()
  /// The same as pictures that can be looked at one by one.
  nonisolated let pictures: PictureTap
  nonisolated let intake: FrameIntake
  nonisolated let encoder: PhotoEncoder
  nonisolated let snapshot: Mutex<CameraStatus>
  nonisolated let currentRecorder = Mutex<MovieRecorder?>(nil)
  nonisolated let currentStart = Mutex<RecordingStart?>(nil)
  nonisolated let currentPreRoll = Mutex<PreRoll?>(nil)
  nonisolated let gate = SerialGate()
  nonisolated let microphoneSwitch = MicrophoneSwitch()
  nonisolated let soundLevel = SoundLevelMeter()
  nonisolated let controls: CameraControls
  /// Stands in for the camera's node; nil for that node itself.
  nonisolated let controlDevice: (any ControlDevice)?
  nonisolated let flash: SessionFlash?

  /// Where the camera's frames come from now; the node changes when a device is plugged in anew.
  var deviceSource: DeviceSource
  var microphone: MicrophoneDefinition?
  var mode = CaptureMode.photo
  var quality = Quality.medium
  var source: CapturePipeline?
  var sourceFormat: SourceFormat?
  /// Running time of the opening. A film's picture and its sound, both from a file, begin together there.
  var openedAt: UInt64 = 0
  /// The launch line of a source that is known to deliver H.264.
  var parsedLaunch: String?
  var sound: CapturePipeline?
  var recorder: MovieRecorder?
  /// The next segment, made ready.
  var nextRecorder: MovieRecorder?
  /// Whether one is being made.
  var preparesSegment = false
  /// The segments that are being finished.
  var finishingSegments: [Task<Void, Never>] = []
  var recordingRequest: RecordingRequest?
  /// What is to be kept for recordings that begin before they are asked for.
  var preRollSetting: PreRollSetting?
  /// What this machine has shown that it can't do.
  var strain = Strain()
  var viewers: [String: PreviewStream] = [:]
  /// Who asked for the recording that runs.
  var recordingConsumer: Consumer?
  var exposure = Exposure.unknown
  var pendingPhotos = 0
  /// Comes when no photo is being taken, where somebody waits for that.
  var photosEnded: Promise<Void>?
  /// Self-timers and bursts that can be ended.
  var cancellations: [Cancellation] = []
  /// One burst at a time.
  nonisolated let bursts = SerialGate()
  /// Encode side by side; made for the first burst.
  var burstEncoders: [PhotoEncoder] = []
  /// The time-lapse that runs.
  var timelapse: Timelapse?
  var finishing: Promise<RecordingResult>?
  /// How many frames were damaged before the recording that runs.
  var damagedBefore = 0
  /// What went wrong with the recording that is about to be ended.
  var stopMessage: String?
  var idleTimer: Task<Void, Never>?
  var lastUse = ContinuousClock.now
  var watchdog: Task<Void, Never>?
  /// Runs while a lost camera is waited for.
  var recovery: Task<Void, Never>?
  /// Comes when the wait is over.
  var recovered = Promise<Void>()
  /// Why the camera was lost, the last time.
  var lostBecause: CameraError?
  /// Whether the camera was open when its frames ceased, and has not delivered since.
  var isSilent = false
  /// Comes when the device is found again.
  var deviceReturned = Promise<Void>()
  /// Running time of the last frame before the source was closed while viewers watched.
  var interruptedAt: UInt64?
  var flashMode = FlashMode.auto
  /// Whether the scene was too dark when the recording that runs was started in flash mode `auto`.
  var recordsDarkScene = false

  /// Whether the source has come to rest since it was opened.
  enum Exposure {
    case unknown
    /// The task's value is the seconds it took.
    case settling(Task<Double, Never>)
    case steady
  }

  /// A cold session. `controlDevice` has the camera's controls; nil for those of its node, if it has one.
  public init(
    _ definition: CameraDefinition, microphone: MicrophoneDefinition?, settings: SessionSettings,
    controlDevice: (any ControlDevice)? = nil
  ) {
    self.definition = definition
    deviceSource = definition.source
    self.microphone = microphone
    self.settings = settings
    self.controlDevice = controlDevice
    controls = CameraControls(camera: definition.id, store: settings.controlStore)
    encoder = PhotoEncoder(camera: definition.id, clock: settings.clock)
    pictures = PictureTap(camera: definition.id, clock: settings.clock, log: settings.log)
    tap.add(pictures)
    intake = FrameIntake(onDamage: Self.damageReport(definition.id, settings)) { [tap] in tap.receive($0) }
    flash = definition.flash.map { flash in
      SessionFlash(Lamp(flash, light: settings.light(flash), camera: definition.id, clock: settings.clock))
    }
    snapshot = Mutex(CameraStatus(definition))
  }

  nonisolated var id: String { definition.id }

  /// How the session stands; never waits.
  public nonisolated var status: CameraStatus {
    var status = snapshot.withLock { $0 }
    status.torch = flash?.lamp.isOn ?? false
    let progress = tap.progress
    status.frames = progress.frames
    let newest = status.state == .cold ? nil : progress.last
    status.lastFrameAge = newest.map { max(0, Double(settings.clock.age(of: $0)) / 1e9) }
    status.damagedFrames = intake.damaged
    status.preRoll = preRollStatus
    if let recorder = currentRecorder.withLock({ $0 }) { status.recording = recorder.status(camera: id) }
    return status
  }

  /// Switches between photo and video; a recording is finished first, and returned.
  public func setMode(_ mode: CaptureMode) async throws(CameraError) -> RecordingResult? {
    defer { armIdleTimer() }
    return try await perform(.setMode(mode)).finished
  }

  /// Takes over the mode of the camera that was selected before, unless it is in use in its own.
  func takeOver(_ mode: CaptureMode) async {
    await gate.enter()
    defer { gate.leave() }
    if source == nil, self.mode != mode { changeMode(mode) }
  }

  /// Finishes its recording, which is returned, and hands the previews of the selected camera to another session. Throws
  /// where that one can't be opened for them; then nothing has changed.
  func yield(to target: CameraSession) async throws(CameraError) -> RecordingResult? {
    defer { armIdleTimer() }
    if !followers.isEmpty { try await target.open() }
    var finished: RecordingResult?
    if recorder != nil, finishing == nil {
      do throws(CameraError) {
        finished = try await perform(.stopRecording(.cameraChanged)).finished
      } catch {
        // it has ended by itself meanwhile
        settings.log(.debug, "\(error)")
      }
    }
    try await target.adopt(followers, from: self)
    return finished
  }

  private func open() async throws(CameraError) {
    if source == nil { _ = try await perform(.open) }
    armIdleTimer()
  }

  /// Finishes a running recording and closes everything.
  public func shutDown() async throws(CameraError) {
    idleTimer?.cancel()
    _ = cancelPhotos()
    await endTimelapse()
    await awaitPhotos()
    recovery?.cancel()
    await retireFlash()
    for viewer in viewers.values { viewer.ended.fulfil(nil) }
    _ = try await perform(.shutdown)
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
      await updateTorch()
    }
    await updatePreRoll()
    return outcome
  }

  private var situation: SessionPlan.Situation {
    SessionPlan.Situation(
      mode: mode, isOpen: source != nil, isRecording: recorder != nil, hasViewers: isWatched,
      lacksMicrophone: mode == .video && sound == nil && microphone != nil,
      formatDependsOnMode: deviceSource.formats.best(for: .photo) != deviceSource.formats.best(for: .video))
  }

  /// Whether somebody needs the camera although nobody asks it for something now.
  var isWatched: Bool { !viewers.isEmpty || preRollSetting != nil }

  private func changeMode(_ mode: CaptureMode) {
    self.mode = mode
    publish { $0.mode = mode }
    settings.emit(Event(.modeChanged, camera: id, mode: mode))
  }

  func publish(_ change: (inout CameraStatus) -> Void) {
    snapshot.withLock { change(&$0) }
  }
}
