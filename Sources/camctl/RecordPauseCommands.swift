import CameraClient
import CameraProtocol

/// `camctl record pause`
struct RecordPauseCommand: Command {
  static let words = ["record", "pause"]
  static let summary = "let a recording stand still"
  static let details = "The movie has no gap there."

  init(_ words: CommandLineWords) throws(UsageError) {}

  func run(_ context: Context) throws { try context.change(PauseRecording.self) }
}

/// `camctl record resume`
struct RecordResumeCommand: Command {
  static let words = ["record", "resume"]
  static let summary = "go on with a recording that stands still"

  init(_ words: CommandLineWords) throws(UsageError) {}

  func run(_ context: Context) throws { try context.change(ResumeRecording.self) }
}

extension Context {
  /// Changes the recording, and tells how far it is.
  fileprivate func change<Method: CameraMethod>(_ method: Method.Type) throws
  where Method.Parameters == CameraSelection, Method.Reply == StartRecording.Reply {
    let answer = try connect().call(method, CameraSelection(camera: camera), timeout: Self.shortTimeout)
    if json { return try Output.json(answer.json) }
    let recording = answer.value.recording
    try Output.line("\(recording.state.rawValue): \(recording.progress)")
  }
}
