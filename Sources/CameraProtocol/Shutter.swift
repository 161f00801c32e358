/// What the one button did.
public enum ShutterAction: String, Codable, Sendable, CaseIterable {
  case photoTaken, recordingStarted, recordingStopped
}

/// Presses the one button.
public enum Shutter: CameraMethod {
  /// The method's name on the wire.
  public static let name = "Shutter"
  /// The camera.
  public typealias Parameters = CameraSelection
  /// The answer.
  public struct Reply: Codable, Sendable {
    /// What it did.
    public var action: ShutterAction
    /// The photo that was taken.
    public var asset: Asset?
    /// The recording that was started.
    public var recording: RecordingStatus?
    /// The recording that was stopped.
    public var finished: RecordingResult?
    /// An answer of these values.
    public init(
      action: ShutterAction, asset: Asset? = nil, recording: RecordingStatus? = nil,
      finished: RecordingResult? = nil
    ) {
      self.action = action
      self.asset = asset
      self.recording = recording
      self.finished = finished
    }
  }
}
