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
  static var usage: String { "" }
  static var details: String { "" }
  static var options: [Option] { [] }
  static var maxArguments: Int { 0 }
}

/// A command as the parser and the help see it.
struct CommandEntry {
  let words: [String]
  let usage: String
  let summary: String
  let details: String
  let options: [Option]
  let maxArguments: Int
  /// Reads what was typed.
  let make: (CommandLineWords) throws(UsageError) -> any Command

  init<C: Command>(_ command: C.Type) {
    words = command.words
    usage = command.usage
    summary = command.summary
    details = command.details
    options = command.options
    maxArguments = command.maxArguments
    make = { (words) throws(UsageError) in try command.init(words) }
  }

  var name: String { words.joined(separator: " ") }

  /// All commands, in the order of the help.
  static var all: [CommandEntry] {
    [
      CommandEntry(PhotoCommand.self), CommandEntry(ShutterCommand.self), CommandEntry(TimelapseStartCommand.self),
      CommandEntry(TimelapseStopCommand.self), CommandEntry(TimelapseStatusCommand.self),
      CommandEntry(RecordCommand.self), CommandEntry(RecordStartCommand.self),
      CommandEntry(RecordStopCommand.self), CommandEntry(RecordPauseCommand.self),
      CommandEntry(RecordResumeCommand.self), CommandEntry(RecordPreRollCommand.self),
      CommandEntry(RecordCancelCommand.self), CommandEntry(ModeCommand.self),
      CommandEntry(ThumbnailCommand.self),
      CommandEntry(LibraryImportCommand.self), CommandEntry(LibraryExportCommand.self),
      CommandEntry(FlashCommand.self), CommandEntry(PreviewCommand.self), CommandEntry(StatusCommand.self),
      CommandEntry(WatchCommand.self),
      CommandEntry(AvailableCommand.self),
      CommandEntry(CameraListCommand.self), CommandEntry(CameraShowCommand.self), CommandEntry(CameraUseCommand.self),
      CommandEntry(MicrophoneListCommand.self), CommandEntry(MicrophoneUseCommand.self),
      CommandEntry(MicrophoneMuteCommand.self), CommandEntry(MicrophoneUnmuteCommand.self),
      CommandEntry(MicrophoneLevelCommand.self),
      CommandEntry(ControlListCommand.self), CommandEntry(ControlSetCommand.self),
      CommandEntry(ControlResetCommand.self), CommandEntry(ControlPointCommand.self),
      CommandEntry(EditTrimCommand.self), CommandEntry(EditCropCommand.self), CommandEntry(EditRotateCommand.self),
      CommandEntry(EditTranscodeCommand.self), CommandEntry(EditListCommand.self), CommandEntry(EditCancelCommand.self),
      CommandEntry(EditCanCommand.self),
      CommandEntry(LocationSetCommand.self), CommandEntry(LocationClearCommand.self),
      CommandEntry(LocationShowCommand.self),
      CommandEntry(LibraryListCommand.self), CommandEntry(LibraryShowCommand.self),
      CommandEntry(LibraryPathCommand.self), CommandEntry(LibraryOpenCommand.self),
      CommandEntry(LibraryFavoriteCommand.self), CommandEntry(LibraryRemoveCommand.self),
      CommandEntry(LibraryRestoreCommand.self), CommandEntry(LibraryEmptyTrashCommand.self),
      CommandEntry(LibraryRescanCommand.self), CommandEntry(LibraryRetentionCommand.self),
    ]
  }
}
