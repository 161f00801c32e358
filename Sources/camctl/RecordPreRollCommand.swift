import CameraClient
import CameraProtocol

/// `camctl record preroll`
struct RecordPreRollCommand: Command {
  static let words = ["record", "preroll"]
  static let usage = "S|off [--quality Q]"
  static let summary = "keep the last seconds for recordings to come"
  static let details = """
    Recordings of that quality with sound then begin up to S before they are asked
    for; at most 60 s. The camera stays open in video mode and encodes all the time.
    """
  static let options = [
    Option("--quality", value: "Q", "low, medium (the default), high, 640x480, 720p or\n1080p")
  ]
  static let maxArguments = 1

  private let seconds: Double
  private let quality: Quality?

  init(_ words: CommandLineWords) throws(UsageError) {
    guard let text = words.arguments.first else { throw UsageError("'record preroll' needs a duration or 'off'") }
    guard let seconds = text == "off" ? 0 : DurationText.seconds(text) else {
      throw UsageError("'\(text)' is neither 'off' nor \(DurationText.expected)")
    }
    self.seconds = seconds
    quality = try words.value(
      "--quality", expected: Quality.allCases.map(\.rawValue).joined(separator: ", "), Quality.init(rawValue:))
  }

  func run(_ context: Context) throws {
    let answer = try context.connect().call(
      SetPreRoll.self, SetPreRoll.Parameters(camera: context.camera, seconds: seconds, quality: quality),
      timeout: Context.longTimeout)
    if context.json { return try Output.json(answer.json) }
    try Output.line(answer.value.preRoll.map { "\(Text.short($0.seconds)) s at \($0.quality.rawValue)" } ?? "off")
  }
}
