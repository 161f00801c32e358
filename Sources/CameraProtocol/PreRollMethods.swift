/// What a recording that is started now would begin with.
public struct PreRollStatus: Codable, Sendable, Equatable {
  /// Seconds that are kept at most.
  public var seconds: Double
  /// Seconds that are kept now.
  public var available: Double
  /// Bytes that they take in memory.
  public var bytes: Int
  /// The preset that they are encoded in.
  public var quality: Quality

  /// A status of these values.
  public init(seconds: Double, available: Double, bytes: Int, quality: Quality) {
    self.seconds = seconds
    self.available = available
    self.bytes = bytes
    self.quality = quality
  }
}

/// Keeps the last seconds, so that recordings can begin before they are asked for.
public enum SetPreRoll: CameraMethod {
  /// The method's name on the wire.
  public static let name = "SetPreRoll"
  /// How much is kept.
  public struct Parameters: Codable, Sendable {
    /// The camera; nil for the selected one.
    public var camera: String?
    /// Seconds, at most 60; 0 keeps nothing.
    public var seconds: Double
    /// The preset of the recordings; nil means medium.
    public var quality: Quality?
    /// Parameters of these values.
    public init(camera: String? = nil, seconds: Double, quality: Quality? = nil) {
      self.camera = camera
      self.seconds = seconds
      self.quality = quality
    }
  }
  /// The answer.
  public struct Reply: Codable, Sendable {
    /// The camera that was meant.
    public var camera: String
    /// What is kept; nil for nothing.
    public var preRoll: PreRollStatus?
    /// An answer of these values.
    public init(camera: String, preRoll: PreRollStatus?) {
      self.camera = camera
      self.preRoll = preRoll
    }
  }
}
