/// Lets a recording stand still.
public enum PauseRecording: CameraMethod {
  /// The method's name on the wire.
  public static let name = "PauseRecording"
  /// The camera.
  public typealias Parameters = CameraSelection
  /// The recording.
  public typealias Reply = StartRecording.Reply
}

/// Goes on with a recording that stands still.
public enum ResumeRecording: CameraMethod {
  /// The method's name on the wire.
  public static let name = "ResumeRecording"
  /// The camera.
  public typealias Parameters = CameraSelection
  /// The recording.
  public typealias Reply = StartRecording.Reply
}

/// Records silence in place of the microphone's sound, or its sound again.
public enum SetMute: CameraMethod {
  /// The method's name on the wire.
  public static let name = "SetMute"
  /// Whether it is muted.
  public struct Parameters: Codable, Sendable {
    /// The camera; nil for the selected one.
    public var camera: String?
    /// True for silence.
    public var muted: Bool
    /// Parameters of these values.
    public init(camera: String? = nil, muted: Bool) {
      self.camera = camera
      self.muted = muted
    }
  }
  /// The answer.
  public struct Reply: Codable, Sendable {
    /// The camera that was meant.
    public var camera: String
    /// Whether it is muted now.
    public var muted: Bool
    /// An answer of these values.
    public init(camera: String, muted: Bool) {
      self.camera = camera
      self.muted = muted
    }
  }
}
