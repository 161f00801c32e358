/// One thing that camctl can do.
protocol Command {
  /// What is typed, one or two words.
  static var words: [String] { get }
  /// How it is typed, behind the words.
  static var usage: String { get }
  /// What it does, one line of at most 50 columns.
  static var summary: String { get }
  /// More about it; lines of at most 80 columns.
  static var details: String { get }
  /// Its own options.
  static var options: [Option] { get }
  /// How many further words it takes.
  static var maxArguments: Int { get }

  /// Reads what was typed.
  init(_ words: CommandLineWords) throws(UsageError)

  /// Does it.
  func run(_ context: Context) throws
}

extension Command {
  static var name: String { words.joined(separator: " ") }
  static var usage: String { "" }
  static var details: String { "" }
  static var options: [Option] { [] }
  static var maxArguments: Int { 0 }
}

/// All commands, in the order of the help.
enum CommandTable {
  static var commands: [any Command.Type] {
    [
      PhotoCommand.self, RecordCommand.self, RecordStartCommand.self, RecordStopCommand.self, RecordCancelCommand.self,
      ModeCommand.self, PreviewCommand.self, StatusCommand.self, WatchCommand.self, CameraListCommand.self,
      MicrophoneListCommand.self,
    ]
  }
}
