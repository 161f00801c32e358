import CameraClient
import CameraProtocol

/// `camctl shutter`
struct ShutterCommand: Command {
  static let words = ["shutter"]
  static let summary = "press the one button"
  static let details = """
    Takes a photo in photo mode and prints its path. In video mode it starts a
    recording, or stops the one that runs and prints the movie's path.
    """

  init(_ words: CommandLineWords) throws(UsageError) {}

  func run(_ context: Context) throws {
    let answer = try context.connect().call(
      Shutter.self, CameraSelection(camera: context.camera), timeout: Context.longTimeout)
    if context.json { return try Output.json(answer.json) }
    let reply = answer.value
    if let asset = reply.asset, let path = asset.path { try Output.line(asset.line(path: path)) }
    if let recording = reply.recording { try Output.line("Recording \(recording.summary)") }
    if let finished = reply.finished { try finished.show(json: nil) }
  }
}
