/// Takes photos of frames that follow each other.
public enum TakeBurst: CameraMethod {
  /// The method's name on the wire.
  public static let name = "TakeBurst"
  /// What to take; see the interface file.
  public struct Parameters: Codable, Sendable {
    /// The camera; nil for the selected one.
    public var camera: String?
    /// How many photos, 1 to 1000.
    public var count: Int
    /// How they are encoded; nil means JPEG.
    public var format: PhotoFormat?
    /// Quality of JPEG and WebP, 1 to 100; nil means 90.
    public var quality: Int?
    /// Degrees clockwise that bring them upright: 0, 90, 180 or 270; nil for what the camera is configured for.
    public var rotation: Int?
    /// Turn the pixels, in place of a tag that tells viewers to; nil means false.
    public var upright: Bool?
    /// Seconds until the first one; nil for now.
    public var timer: Double?
    /// Parameters of these values.
    public init(
      camera: String? = nil, count: Int, format: PhotoFormat? = nil, quality: Int? = nil, rotation: Int? = nil,
      upright: Bool? = nil, timer: Double? = nil
    ) {
      self.camera = camera
      self.count = count
      self.format = format
      self.quality = quality
      self.rotation = rotation
      self.upright = upright
      self.timer = timer
    }
  }
  /// The answer, or one of several.
  public struct Reply: Codable, Sendable {
    /// The photos that no answer before has told of, in the order of their capture.
    public var assets: [Asset]
    /// Frames between the first photo and the last that could not be taken.
    public var skipped: Int
    /// Seconds that a cold camera was given to come to rest.
    public var settled: Double?
    /// Whether the light was on; nil where there is none.
    public var flash: Bool?
    /// Frames that a recording had to drop meanwhile; nil where none ran.
    public var recordingDropped: Int?
    /// Why there are fewer photos than were asked for; nil where there are as many.
    public var message: String?
    /// An answer of these values.
    public init(
      assets: [Asset], skipped: Int = 0, settled: Double? = nil, flash: Bool? = nil, recordingDropped: Int? = nil,
      message: String? = nil
    ) {
      self.assets = assets
      self.skipped = skipped
      self.settled = settled
      self.flash = flash
      self.recordingDropped = recordingDropped
      self.message = message
    }
  }
}

/// Ends self-timers and bursts.
public enum CancelPhoto: CameraMethod {
  /// The method's name on the wire.
  public static let name = "CancelPhoto"
  /// The camera.
  public typealias Parameters = CameraSelection
  /// The answer.
  public struct Reply: Codable, Sendable {
    /// Self-timers and bursts that were ended.
    public var cancelled: Int
    /// An answer of these values.
    public init(cancelled: Int) { self.cancelled = cancelled }
  }
}
