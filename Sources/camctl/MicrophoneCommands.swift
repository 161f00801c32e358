import CameraClient
import CameraProtocol
import Varlink

/// `camctl mic mute`
struct MicrophoneMuteCommand: Command {
  static let words = ["mic", "mute"]
  static let summary = "record silence from now on"
  static let details = "A recording that runs gets silence at once; 'mic unmute' ends that."

  init(_ words: CommandLineWords) throws(UsageError) {}

  func run(_ context: Context) throws { try context.mute(true) }
}

/// `camctl mic unmute`
struct MicrophoneUnmuteCommand: Command {
  static let words = ["mic", "unmute"]
  static let summary = "record sound again"

  init(_ words: CommandLineWords) throws(UsageError) {}

  func run(_ context: Context) throws { try context.mute(false) }
}

/// `camctl mic level`
struct MicrophoneLevelCommand: Command {
  static let words = ["mic", "level"]
  static let summary = "show how loud the microphone is, until Ctrl-C"
  static let details = """
    The microphone is open in video mode only. In decibels below full scale: the
    loudest sample and the mean of each channel.
    """

  init(_ words: CommandLineWords) throws(UsageError) {}

  func run(_ context: Context) throws {
    let interrupt = try Interrupt.catching()
    let client = try context.connect()
    defer { if Output.isTerminal { Output.progress("") } }
    do {
      try client.send(Subscribe.self, Subscribe.Parameters(kinds: [.soundLevel]), more: true)
      while true {
        let event = try client.next(Subscribe.self, interrupt: interrupt).value.event
        guard let level = event.level else { continue }
        if context.json {
          try Output.json(event)
        } else if Output.isTerminal {
          Output.progress(level.bar)
        } else {
          try Output.line(level.text)
        }
      }
    } catch VarlinkError.interrupted {
      client.close()
    }
  }
}

extension SoundLevel {
  fileprivate var text: String {
    zip(peak, rms).map { "\(Text.fixed($0, 1)) dB (\(Text.fixed($1, 1)))" }.joined(separator: "  ")
  }

  /// From -60 dB on, a column for every decibel and a half.
  fileprivate var bar: String {
    let length = max(0, min(40, Int(((peak.max() ?? -120) + 60) / 1.5)))
    return String(repeating: "#", count: length) + String(repeating: ".", count: 40 - length) + "  " + text
  }
}

extension Context {
  fileprivate func mute(_ muted: Bool) throws {
    let answer = try connect().call(
      SetMute.self, SetMute.Parameters(camera: camera, muted: muted), timeout: Self.shortTimeout)
    if json { return try Output.json(answer.json) }
    try Output.line(answer.value.muted ? "muted" : "not muted")
  }
}
