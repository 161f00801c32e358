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

  init(_ words: CommandLineWords) throws(UsageError) { mode = try words.choice("flash mode") }

  func run(_ context: Context) throws {
    struct Line: Encodable { var camera: String, flash: FlashMode?, torch: Bool }
    let client = try context.connect()
    guard let mode else {
      return try context.showSetting(
        client, json: { Line(camera: $0.id, flash: $0.flash, torch: $0.torch) },
        word: { $0.flash?.rawValue ?? "none" })
    }
    let answer = try client.call(
      SetFlash.self, SetFlash.Parameters(camera: context.camera, mode: mode), timeout: Context.longTimeout)
    if context.json { return try Output.json(answer.json) }
    try Output.line(answer.value.mode.rawValue)
  }
}
