/// What kind of thing happened.
public enum EventKind: String, Codable, Sendable, CaseIterable {
  case subscribed, photoSaved, photoFailed, recordingStarted, recordingProgress, recordingFinished, recordingFailed
  case timerTick, timerCancelled, timelapseStarted, timelapseProgress, timelapseFinished
  case recordingPaused, recordingResumed, segmentFinished, microphoneMuted, soundLevel
  case modeChanged, flashChanged, cameraSelected, cameraConnected, cameraDisconnected
  case microphoneSelected, microphoneConnected, microphoneDisconnected, libraryChanged, warning
  case editStarted, editProgress, editFinished, editFailed
}

/// How loud a microphone was for a tenth of a second, for each channel, in decibels below full scale (0 to -120).
public struct SoundLevel: Codable, Sendable, Equatable {
  /// The loudest sample.
  public var peak: [Double]
  /// The root mean square.
  public var rms: [Double]

  /// A level of these values.
  public init(peak: [Double], rms: [Double]) {
    self.peak = peak
    self.rms = rms
  }
}

/// Something that happened.
public struct Event: Codable, Sendable, Equatable {
  /// What kind of thing.
  public var kind: EventKind
  /// When.
  public var time: Timestamp
  /// To which camera.
  public var camera: String?
  /// To which microphone.
  public var microphone: String?
  /// The photo that was saved, or the asset that changed.
  public var asset: Asset?
  /// The recording that runs.
  public var recording: RecordingStatus?
  /// The recording that ended.
  public var result: RecordingResult?
  /// The mode that is on now.
  public var mode: CaptureMode?
  /// The flash mode that is set now.
  public var flash: FlashMode?
  /// Whether the microphone is muted now.
  public var muted: Bool?
  /// How loud the microphone is.
  public var level: SoundLevel?
  /// Seconds until the self-timer's photo.
  public var secondsLeft: Double?
  /// The time-lapse that runs.
  public var timelapse: TimelapseStatus?
  /// The time-lapse that ended.
  public var timelapseResult: TimelapseResult?
  /// The edit that goes on or has ended.
  public var edit: Edit?
  /// What to tell a person.
  public var message: String?

  /// An event of these values.
  public init(
    _ kind: EventKind, time: Timestamp = .now, camera: String? = nil, microphone: String? = nil,
    asset: Asset? = nil, recording: RecordingStatus? = nil, result: RecordingResult? = nil,
    mode: CaptureMode? = nil, flash: FlashMode? = nil, muted: Bool? = nil, level: SoundLevel? = nil,
    secondsLeft: Double? = nil, timelapse: TimelapseStatus? = nil, timelapseResult: TimelapseResult? = nil,
    edit: Edit? = nil, message: String? = nil
  ) {
    self.secondsLeft = secondsLeft
    self.timelapse = timelapse
    self.timelapseResult = timelapseResult
    self.muted = muted
    self.level = level
    self.kind = kind
    self.time = time
    self.camera = camera
    self.microphone = microphone
    self.asset = asset
    self.recording = recording
    self.result = result
    self.mode = mode
    self.flash = flash
    self.edit = edit
    self.message = message
  }
}
