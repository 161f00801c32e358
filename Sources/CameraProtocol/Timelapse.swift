/// Why a time-lapse ended.
public enum TimelapseReason: String, Codable, Sendable, CaseIterable {
  case completed, stopped, diskFull, shutdown, error
}

/// A time-lapse that runs.
public struct TimelapseStatus: Codable, Sendable, Equatable {
  /// The id of the camera.
  public var camera: String
  /// When the first picture was due.
  public var time: Timestamp
  /// Seconds from picture to picture.
  public var interval: Double
  /// Pictures that were taken.
  public var frames: Int
  /// Pictures that were due and could not be taken.
  public var missed: Int
  /// Pictures that are due in all; nil for no end.
  public var maxFrames: Int?
  /// When the next picture is due; nil where none is.
  public var next: Timestamp?
  /// Whether the pictures become a movie.
  public var movie: Bool
  /// The movie's frames per second.
  public var frameRate: Double?
  /// The movie's preset.
  public var quality: Quality?
  /// The movie's size in bytes so far.
  public var bytes: Int?
  /// Why the last picture that was due could not be taken, if so.
  public var message: String?

  /// A status of these values.
  public init(
    camera: String, time: Timestamp, interval: Double, frames: Int = 0, missed: Int = 0, maxFrames: Int? = nil,
    next: Timestamp? = nil, movie: Bool, frameRate: Double? = nil, quality: Quality? = nil, bytes: Int? = nil,
    message: String? = nil
  ) {
    self.camera = camera
    self.time = time
    self.interval = interval
    self.frames = frames
    self.missed = missed
    self.maxFrames = maxFrames
    self.next = next
    self.movie = movie
    self.frameRate = frameRate
    self.quality = quality
    self.bytes = bytes
    self.message = message
  }
}

/// A time-lapse that has ended.
public struct TimelapseResult: Codable, Sendable, Equatable {
  /// Pictures that were taken.
  public var frames: Int
  /// Pictures that were due and could not be taken.
  public var missed: Int
  /// The movie; nil for photos, and where nothing could be kept.
  public var asset: Asset?
  /// Why it ended.
  public var reason: TimelapseReason
  /// What went wrong, where something did.
  public var message: String?

  /// A result of these values.
  public init(frames: Int, missed: Int, asset: Asset? = nil, reason: TimelapseReason, message: String? = nil) {
    self.frames = frames
    self.missed = missed
    self.asset = asset
    self.reason = reason
    self.message = message
  }
}

/// Starts a time-lapse.
public enum StartTimelapse: CameraMethod {
  /// The method's name on the wire.
  public static let name = "StartTimelapse"
  /// What to take; see the interface file.
  public struct Parameters: Codable, Sendable {
    /// The camera; nil for the selected one.
    public var camera: String?
    /// Seconds from picture to picture, 0.1 to 604800.
    public var interval: Double
    /// Pictures after which it ends; nil for no end.
    public var frames: Int?
    /// Seconds after which it ends; nil for no end.
    public var duration: Double?
    /// Make a movie in place of photos; nil means false.
    public var movie: Bool?
    /// The movie's frames per second, 1 to 120; nil means 30.
    public var frameRate: Double?
    /// The movie's preset; nil means medium.
    public var quality: Quality?
    /// How photos are encoded; nil means JPEG.
    public var format: PhotoFormat?
    /// Parameters of these values.
    public init(
      camera: String? = nil, interval: Double, frames: Int? = nil, duration: Double? = nil, movie: Bool? = nil,
      frameRate: Double? = nil, quality: Quality? = nil, format: PhotoFormat? = nil
    ) {
      self.camera = camera
      self.interval = interval
      self.frames = frames
      self.duration = duration
      self.movie = movie
      self.frameRate = frameRate
      self.quality = quality
      self.format = format
    }
  }
  /// The answer.
  public struct Reply: Codable, Sendable {
    /// The time-lapse that has begun.
    public var timelapse: TimelapseStatus
    /// An answer of these values.
    public init(timelapse: TimelapseStatus) { self.timelapse = timelapse }
  }
}

/// Ends a time-lapse; answers when what it took is complete.
public enum StopTimelapse: CameraMethod {
  /// The method's name on the wire.
  public static let name = "StopTimelapse"
  /// The camera.
  public typealias Parameters = CameraSelection
  /// The time-lapse that has ended.
  public typealias Reply = TimelapseResult
}
