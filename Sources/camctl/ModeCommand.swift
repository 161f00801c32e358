import CameraClient
import CameraProtocol

/// `camctl mode`
struct ModeCommand: Command {
  static let words = ["mode"]
  static let usage = "[photo|video]"
  static let summary = "show the mode, or switch it"
  static let details = """
    photo: full still resolution, the microphone is closed. video: the size of the
    movies, the microphone is open. A recording that runs is finished first.
    """
  static let maxArguments = 1

  private let mode: CaptureMode?

  init(_ words: CommandLineWords) throws(UsageError) { mode = try words.choice("mode") }

  func run(_ context: Context) throws {
    struct Line: Encodable { var camera: String, mode: CaptureMode }
    let client = try context.connect()
    guard let mode else {
      return try context.showSetting(
        client, json: { Line(camera: $0.id, mode: $0.mode) }, word: { $0.mode.rawValue })
    }
    let answer = try client.call(
      SetMode.self, SetMode.Parameters(camera: context.camera, mode: mode), timeout: Context.longTimeout)
    if context.json { return try Output.json(answer.json) }
    try Output.line(answer.value.mode.rawValue)
    context.tellFinished(answer.value.finished)
  }
}

extension Context {
  /// Tells of a recording that had to end.
  func tellFinished(_ recording: RecordingResult?) {
    if let path = recording?.asset?.path { Output.note("the recording was finished: \(path)") }
  }
}
