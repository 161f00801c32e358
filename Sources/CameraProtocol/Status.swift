/// How a camera's session stands.
public enum SessionState: String, Codable, Sendable, CaseIterable {
  /// Closed; the first request opens it.
  case cold
  /// Being opened.
  case starting
  /// Frames flow.
  case warm
  /// Open, but no frame has come for a while.
  case stalled
  /// The last attempt to open it failed.
  case failed
}

/// What somebody uses a camera for.
public enum CameraUse: String, Codable, Sendable, CaseIterable {
  case preview, recording, photo, timelapse
}

/// Somebody who uses a camera now.
public struct Consumer: Codable, Sendable, Equatable {
  /// What for; a recording uses the microphone as well, if it has sound.
  public var use: CameraUse
  /// Since when.
  public var time: Timestamp
  /// The name of the user who asked for it, or the number where there is no name; nil where it is not known.
  public var user: String?
  /// The name of the program that asked for it; nil where it had ended already.
  public var program: String?
  /// The process that asked for it; it may have ended since.
  public var process: Int?

  /// A consumer of these values.
  public init(
    use: CameraUse, time: Timestamp = .now, user: String? = nil, program: String? = nil, process: Int? = nil
  ) {
    self.use = use
    self.time = time
    self.user = user
    self.program = program
    self.process = process
  }
}

/// A camera and its session now.
public struct CameraStatus: Codable, Sendable, Equatable {
  /// The camera's id.
  public var id: String
  /// The camera's name, for people.
  public var name: String
  /// How the session stands.
  public var state: SessionState
  /// What it is set up for.
  public var mode: CaptureMode
  /// The preset that the next recording takes.
  public var quality: Quality
  /// What the source delivers; nil while it is closed.
  public var format: Format?
  /// Frames that the source delivered since it was opened.
  public var frames: Int
  /// Frames since then that were cut off, garbled or marked as damaged, and were left out.
  public var damagedFrames: Int
  /// Seconds since the newest frame; nil where there is none.
  public var lastFrameAge: Double?
  /// Previews that run.
  public var viewers: Int
  /// The id of the microphone that is open.
  public var microphone: String?
  /// Whether silence is recorded in place of its sound.
  public var muted: Bool
  /// The recording that runs.
  public var recording: RecordingStatus?
  /// When the light is on; nil where there is none.
  public var flash: FlashMode?
  /// Whether the light is on now.
  public var torch: Bool
  /// Why the session failed.
  public var message: String?
  /// Whether requests that name no camera mean it.
  public var selected: Bool
  /// What a recording would begin with; nil where nothing is kept.
  public var preRoll: PreRollStatus?
  /// Who uses it now.
  public var consumers: [Consumer]
  /// The time-lapse that runs.
  public var timelapse: TimelapseStatus?
  /// Seconds of recording at this quality for which there is room on the disk, by the bit rate; nil where that is not
  /// known.
  public var secondsLeft: Double?

  /// A status of these values.
  public init(
    id: String, name: String, state: SessionState = .cold, mode: CaptureMode = .photo, quality: Quality = .medium,
    format: Format? = nil, frames: Int = 0, damagedFrames: Int = 0, lastFrameAge: Double? = nil, viewers: Int = 0,
    microphone: String? = nil, recording: RecordingStatus? = nil, flash: FlashMode? = nil, torch: Bool = false,
    message: String? = nil, selected: Bool = false, consumers: [Consumer] = [], muted: Bool = false,
    secondsLeft: Double? = nil,
    preRoll: PreRollStatus? = nil, timelapse: TimelapseStatus? = nil
  ) {
    self.timelapse = timelapse
    self.secondsLeft = secondsLeft
    self.preRoll = preRoll
    self.muted = muted
    self.selected = selected
    self.consumers = consumers
    self.id = id
    self.name = name
    self.state = state
    self.mode = mode
    self.quality = quality
    self.format = format
    self.frames = frames
    self.damagedFrames = damagedFrames
    self.lastFrameAge = lastFrameAge
    self.viewers = viewers
    self.microphone = microphone
    self.recording = recording
    self.flash = flash
    self.torch = torch
    self.message = message
  }
}

/// The album's folder.
public struct LibraryStatus: Codable, Sendable, Equatable {
  /// The folder.
  public var path: String
  /// Bytes that are free there; nil where the folder can't be reached.
  public var freeBytes: Int?
  /// True where captures can be saved.
  public var writable: Bool
  /// Why nothing can be saved, if so.
  public var message: String?

  /// A status of these values.
  public init(path: String, freeBytes: Int?, writable: Bool, message: String? = nil) {
    self.path = path
    self.freeBytes = freeBytes
    self.writable = writable
    self.message = message
  }
}

/// The whole daemon now.
public struct Status: Codable, Sendable, Equatable {
  /// The daemon's version.
  public var version: String
  /// Where captures go.
  public var library: LibraryStatus
  /// Every camera.
  public var cameras: [CameraStatus]
  /// Every microphone.
  public var microphones: [Microphone]

  /// A status of these values.
  public init(
    version: String, library: LibraryStatus, cameras: [CameraStatus], microphones: [Microphone] = []
  ) {
    self.microphones = microphones
    self.version = version
    self.library = library
    self.cameras = cameras
  }
}
