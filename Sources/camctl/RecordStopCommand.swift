import CameraClient
import CameraProtocol

/// `camctl record stop`
struct RecordStopCommand: Command {
  static let words = ["record", "stop"]
  static let summary = "end a recording"
  static let usage = "[--trim START END]"
  static let details = """
    Prints the movie's path as soon as the file is complete. With --trim it makes a
    movie of a part at once, as 'edit trim' does, and prints that path too; the
    whole movie stays.
    """
  static let options = [
    Option("--trim", value: "START END", "seconds, M:SS or H:MM:SS, with '-' in front from\nthe end; END may be 'end'")
  ]
  static let maxArguments = 1

  private let part: (start: Double, end: Double?)?

  init(_ words: CommandLineWords) throws(UsageError) {
    guard let start = words.options["--trim"] else {
      guard words.arguments.isEmpty else {
        throw UsageError("unexpected word '\(words.arguments[0])' behind 'record stop'")
      }
      part = nil
      return
    }
    guard let end = words.arguments.first else { throw UsageError("'--trim' needs START and END, such as 2.5 -1") }
    part = try MovieTimeText.range(start, end)
  }

  func run(_ context: Context) throws {
    let answer = try context.connect().call(
      StopRecording.self, CameraSelection(camera: context.camera), timeout: Context.longTimeout)
    try answer.value.show(json: context.json ? answer.json : nil)
    guard let part, let movie = answer.value.asset else { return }
    try EditRun.run(
      TrimMovie.self,
      TrimMovie.Parameters(id: movie.id, start: part.start, end: part.end, cancelOnDisconnect: true), context)
  }
}

/// `camctl record cancel`
struct RecordCancelCommand: Command {
  static let words = ["record", "cancel"]
  static let summary = "end a recording and discard it"

  init(_ words: CommandLineWords) throws(UsageError) {}

  func run(_ context: Context) throws {
    let answer = try context.connect().call(
      CancelRecording.self, CameraSelection(camera: context.camera), timeout: Context.longTimeout)
    if context.json { return try Output.json(answer.json) }
    try Output.line("Discarded \(Text.count(answer.value.frames, "frame"))")
  }
}

extension RecordingResult {
  /// Prints the movie's path, or the reply where it is given; what went wrong goes to standard error.
  func show(json: [UInt8]?) throws {
    if let json { try Output.json(json) }
    if reason != .stopped {
      Output.note(message.map { "the recording had ended (\(reason.rawValue)): \($0)" } ?? reason.sentence)
    } else if let message {
      Output.note(message)
    }
    if droppedFrames > 0 { Output.note("\(Text.count(droppedFrames, "frame")) had to be dropped") }
    guard let asset else { throw LocalError(message ?? "nothing could be kept of the recording") }
    if json == nil, let path = asset.path { try Output.line(asset.line(path: path)) }
  }
}

extension StopReason {
  /// Why a recording ended, where the daemon has no words of its own for it.
  var sentence: String {
    switch self {
    case .stopped: "the recording was stopped"
    case .maxDuration: "the recording had reached its maximum duration"
    case .maxSize: "the recording had reached its maximum size"
    case .diskFull: "the recording ended because the disk is full"
    case .cameraLost: "the recording ended because the camera went away"
    case .modeChanged: "the recording ended because the mode was changed"
    case .cameraChanged: "the recording ended because another camera was selected"
    case .segment: "the next file of the recording has begun"
    case .shutdown: "the recording ended because the daemon stops"
    case .error: "the recording ended because of an error"
    }
  }
}
