/// How a movie will be cut.
public struct TrimPlan: Sendable {
  /// Seconds of the source's time line at which the cut begins.
  public let start: Double
  /// Seconds that the result lasts.
  public let duration: Double
  /// Pictures that the result shows.
  public let frames: Int
  /// Pictures that have to be encoded anew.
  public let reencodedFrames: Int
  /// The end of the result's file name: `mp4`, `mov`, `m4a`, `mkv`, `mka` or `webm`.
  public let format: String
  let content: Content

  enum Content: Sendable {
    case boxes(BoxTrim)
    case matroska(MatroskaTrim)
  }
}
