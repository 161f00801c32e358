import CameraClient
import CameraProtocol

/// `camctl camera use`
struct CameraUseCommand: Command {
  static let words = ["camera", "use"]
  static let usage = "CAMERA"
  static let summary = "choose the camera of all further commands"
  static let details = """
    CAMERA is an id, or front, rear or external. It is chosen for all clients until
    the daemon ends. It takes over the mode of the one before, and previews that
    named no camera show it from now on; a recording that runs is finished first.
    """
  static let maxArguments = 1

  private let camera: String

  init(_ words: CommandLineWords) throws(UsageError) {
    guard let camera = words.arguments.first else { throw UsageError("'camera use' needs a camera") }
    self.camera = camera
  }

  func run(_ context: Context) throws {
    let answer = try context.connect().call(
      SelectCamera.self, SelectCamera.Parameters(camera: camera), timeout: Context.longTimeout)
    if context.json { return try Output.json(answer.json) }
    try Output.line(answer.value.camera)
    context.tellFinished(answer.value.finished)
  }
}

/// `camctl mic use`
struct MicrophoneUseCommand: Command {
  static let words = ["mic", "use"]
  static let usage = "ID"
  static let summary = "choose the microphone of the movies"
  static let details = """
    It is chosen for all clients until the daemon ends. A recording that runs gets
    its sound from now on.
    """
  static let maxArguments = 1

  private let microphone: String

  init(_ words: CommandLineWords) throws(UsageError) {
    guard let microphone = words.arguments.first else { throw UsageError("'mic use' needs a microphone") }
    self.microphone = microphone
  }

  func run(_ context: Context) throws {
    let answer = try context.connect().call(
      SelectMicrophone.self, SelectMicrophone.Parameters(microphone: microphone), timeout: Context.longTimeout)
    if context.json { return try Output.json(answer.json) }
    try Output.line(answer.value.microphone)
  }
}
