import CameraClient
import CameraProtocol

/// `camctl flash`
struct FlashCommand: Command {
  static let words = ["flash"]
  static let usage = "[auto|on|off]"
  static let summary = "show when the light is on, or set it"
  static let details = """
    auto: where the scene is dark, for each photo or for a recording that starts.
    on: for each photo; in video mode as a steady torch, at once. off: never.
    """
  static let maxArguments = 1

  private let mode: FlashMode?

  init(_ words: CommandLineWords) throws(UsageError) {
    guard let text = words.arguments.first else {
      mode = nil
      return
    }
    guard let mode = FlashMode(rawValue: text) else {
      throw UsageError("'\(text)' is no flash mode: expected auto, on or off")
    }
    self.mode = mode
  }

  func run(_ context: Context) throws {
    let client = try context.connect()
    guard let mode else {
      return try show(context, try client.call(GetStatus.self, timeout: Context.shortTimeout).value)
    }
    let answer = try client.call(
      SetFlash.self, SetFlash.Parameters(camera: context.camera, mode: mode), timeout: Context.longTimeout)
    if context.json { return try Output.json(answer.json) }
    try Output.line(answer.value.mode.rawValue)
  }

  /// One line for each camera; the mode alone where only one is meant.
  private func show(_ context: Context, _ reply: GetStatus.Reply) throws {
    struct Line: Encodable { var camera: String, flash: FlashMode?, torch: Bool }
    let cameras = reply.status.cameras.filter { context.camera == nil || $0.id == context.camera }
    if cameras.isEmpty {
      throw CameraError(.noSuchCamera, context.camera.map { "there is no camera '\($0)'" } ?? "there is no camera")
    }
    if context.json {
      return try Output.json(["cameras": cameras.map { Line(camera: $0.id, flash: $0.flash, torch: $0.torch) }])
    }
    if cameras.count == 1 { return try Output.line(cameras[0].flash?.rawValue ?? "none") }
    for line in Text.table(cameras.map { [$0.id, $0.flash?.rawValue ?? "none"] }) { try Output.line(line) }
  }
}
