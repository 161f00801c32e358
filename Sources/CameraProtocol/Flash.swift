/// When a camera's light is on.
public enum FlashMode: String, Codable, Sendable, CaseIterable {
  /// Where the scene is dark: for each photo, or for a recording that starts.
  case auto
  /// For each photo; in video mode all the time.
  case on
  /// Never.
  case off
}

/// Sets when a camera's light is on.
public enum SetFlash: CameraMethod {
  /// The method's name on the wire.
  public static let name = "SetFlash"
  /// Which mode.
  public struct Parameters: Codable, Sendable {
    /// The camera; nil for the default one.
    public var camera: String?
    /// The mode to set.
    public var mode: FlashMode
    /// Parameters of these values.
    public init(camera: String? = nil, mode: FlashMode) {
      self.camera = camera
      self.mode = mode
    }
  }
  /// The answer.
  public struct Reply: Codable, Sendable {
    /// The camera that was meant.
    public var camera: String
    /// The mode that is set now.
    public var mode: FlashMode
    /// An answer of these values.
    public init(camera: String, mode: FlashMode) {
      self.camera = camera
      self.mode = mode
    }
  }
}
