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

  init(_ words: CommandLineWords) throws(UsageError) {
    guard let text = words.arguments.first else {
      mode = nil
      return
    }
    guard let mode = CaptureMode(rawValue: text) else {
      throw UsageError("'\(text)' is no mode: expected photo or video")
    }
    self.mode = mode
  }

  func run(_ context: Context) throws {
    let client = try context.connect()
    guard let mode else {
      return try show(context, try client.call(GetStatus.self, timeout: Context.shortTimeout).value)
    }
    let answer = try client.call(
      SetMode.self, SetMode.Parameters(camera: context.camera, mode: mode), timeout: Context.longTimeout)
    if context.json { return try Output.json(answer.json) }
    try Output.line(answer.value.mode.rawValue)
    if let path = answer.value.finished?.asset?.path { Output.note("the recording was finished: \(path)") }
  }

  /// One line for each camera; the mode alone where only one is meant.
  private func show(_ context: Context, _ reply: GetStatus.Reply) throws {
    struct Line: Encodable { var camera: String, mode: CaptureMode }
    let cameras = reply.status.cameras.filter { context.camera == nil || $0.id == context.camera }
    if cameras.isEmpty {
      throw CameraError(.noSuchCamera, context.camera.map { "there is no camera '\($0)'" } ?? "there is no camera")
    }
    if context.json { return try Output.json(["cameras": cameras.map { Line(camera: $0.id, mode: $0.mode) }]) }
    if cameras.count == 1 { return try Output.line(cameras[0].mode.rawValue) }
    for line in Text.table(cameras.map { [$0.id, $0.mode.rawValue] }) { try Output.line(line) }
  }
}
