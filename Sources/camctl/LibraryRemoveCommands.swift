import CameraClient
import CameraProtocol

/// The ids behind a command; at least one.
private func ids(_ words: CommandLineWords, _ command: String) throws(UsageError) -> [String] {
  guard !words.arguments.isEmpty else { throw UsageError("'\(command)' needs the id of an asset behind it") }
  return words.arguments
}

/// `camctl library rm`
struct LibraryRemoveCommand: Command {
  static let words = ["library", "rm"]
  static let usage = "[--now] ID ..."
  static let summary = "move assets into the trash, or remove them"
  static let details = """
    What is in the trash stays there for 30 days, or until the trash takes a tenth
    of the disk or a capture needs the room; 'library restore' takes it out.
    """
  static let options = [Option("--now", "remove the files for good, also from the trash")]
  static let maxArguments = Int.max

  private let parameters: DeleteAssets.Parameters

  init(_ words: CommandLineWords) throws(UsageError) {
    parameters = DeleteAssets.Parameters(
      ids: try ids(words, "library rm"), permanently: words.has("--now") ? true : nil)
  }

  func run(_ context: Context) throws {
    let answer = try context.connect().call(DeleteAssets.self, parameters, timeout: Context.longTimeout)
    if context.json { try Output.json(answer.json) }
  }
}

/// `camctl library restore`
struct LibraryRestoreCommand: Command {
  static let words = ["library", "restore"]
  static let usage = "ID ..."
  static let summary = "take assets out of the trash"
  static let details = "'library list --trash' tells what is in it. Prints the paths."
  static let maxArguments = Int.max

  private let parameters: RestoreAssets.Parameters

  init(_ words: CommandLineWords) throws(UsageError) {
    parameters = RestoreAssets.Parameters(ids: try ids(words, "library restore"))
  }

  func run(_ context: Context) throws {
    let answer = try context.connect().call(RestoreAssets.self, parameters, timeout: Context.longTimeout)
    if context.json { return try Output.json(answer.json) }
    for asset in answer.value.assets { try Output.line(asset.path ?? asset.id) }
  }
}

/// `camctl library empty-trash`
struct LibraryEmptyTrashCommand: Command {
  static let words = ["library", "empty-trash"]
  static let summary = "remove for good what is in the trash"

  init(_ words: CommandLineWords) throws(UsageError) {}

  func run(_ context: Context) throws {
    let answer = try context.connect().call(EmptyTrash.self, timeout: Context.longTimeout)
    if context.json { return try Output.json(answer.json) }
    try Output.line("Removed \(Text.count(answer.value.files, "file")), \(Text.bytes(answer.value.bytes))")
  }
}

/// `camctl library favorite`
struct LibraryFavoriteCommand: Command {
  static let words = ["library", "favorite"]
  static let usage = "[--off] ID ..."
  static let summary = "mark assets as favourites"
  static let details = "Retention never removes a favourite."
  static let options = [Option("--off", "take the mark away")]
  static let maxArguments = Int.max

  private let parameters: SetFavorite.Parameters

  init(_ words: CommandLineWords) throws(UsageError) {
    parameters = SetFavorite.Parameters(ids: try ids(words, "library favorite"), favorite: !words.has("--off"))
  }

  func run(_ context: Context) throws {
    let answer = try context.connect().call(SetFavorite.self, parameters, timeout: Context.longTimeout)
    if context.json { try Output.json(answer.json) }
  }
}
