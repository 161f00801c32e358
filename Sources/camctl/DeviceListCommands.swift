import CameraClient
import CameraProtocol

/// `camctl camera list`
struct CameraListCommand: Command {
  static let words = ["camera", "list"]
  static let summary = "list the cameras"
  static let details = "The one with a star is meant where no camera is named."

  init(_ words: CommandLineWords) throws(UsageError) {}

  func run(_ context: Context) throws {
    let answer = try context.connect().call(
      ListCameras.self, CameraSelection(camera: context.camera), timeout: Context.shortTimeout)
    if context.json { return try Output.json(answer.json) }
    let rows = answer.value.cameras.map { camera in
      [
        camera.selected ? "*" : "", camera.id, camera.name, camera.position?.rawValue ?? "-", camera.state.rawValue,
        Self.best(camera.formats),
      ]
    }
    if rows.isEmpty { return Output.note("no cameras") }
    for line in Text.table([["", "ID", "NAME", "POSITION", "STATE", "UP TO"]] + rows) { try Output.line(line) }
  }

  /// The format with the most pixels.
  private static func best(_ formats: [Format]) -> String {
    formats.max { ($0.width * $0.height, $0.frameRate) < ($1.width * $1.height, $1.frameRate) }.map(Text.format) ?? "-"
  }
}

/// `camctl mic list`
struct MicrophoneListCommand: Command {
  static let words = ["mic", "list"]
  static let summary = "list the microphones"
  static let details = "Movies get the sound of the one with a star."

  init(_ words: CommandLineWords) throws(UsageError) {}

  func run(_ context: Context) throws {
    let answer = try context.connect().call(ListMicrophones.self, timeout: Context.shortTimeout)
    if context.json { return try Output.json(answer.json) }
    let rows = answer.value.microphones.map {
      [$0.selected ? "*" : "", $0.id, $0.name, $0.state.rawValue]
    }
    if rows.isEmpty { return Output.note("no microphones") }
    for line in Text.table([["", "ID", "NAME", "STATE"]] + rows) { try Output.line(line) }
  }
}
