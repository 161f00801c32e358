import CameraClient
import CameraProtocol

/// `camctl library rescan`
struct LibraryRescanCommand: Command {
  static let words = ["library", "rescan"]
  static let summary = "make the index true to the album's files"
  static let details = """
    Looks at every file of the album and reads those that are new or have changed.
    The daemon does that at its start, and notices by itself what is changed later;
    so this is for file systems that don't tell, such as those on a network.
    """

  init(_ words: CommandLineWords) throws(UsageError) {}

  func run(_ context: Context) throws {
    let interrupt = try Interrupt.catching()
    let client = try context.connect()
    defer { client.close() }
    try client.send(RescanLibrary.self, Nothing(), more: true)
    while true {
      let answer = try client.next(RescanLibrary.self, interrupt: interrupt)
      let progress = answer.value.progress
      guard !answer.continues else {
        if Output.errorIsTerminal { Output.progress("\(progress.files) of \(progress.total)") }
        continue
      }
      if Output.errorIsTerminal { Output.progress("") }
      if context.json { return try Output.json(answer.json) }
      return try Output.line(
        "\(Text.count(progress.files, "file")): \(progress.added) added, \(progress.changed) changed, "
          + "\(progress.removed) removed, \(progress.damaged) damaged")
    }
  }
}

/// `camctl library retention`
struct LibraryRetentionCommand: Command {
  static let words = ["library", "retention"]
  static let usage = "[--dry-run]"
  static let summary = "remove what isn't to be kept any longer"
  static let details = """
    What is kept says the section [Library] of camd.conf; the daemon removes the
    rest by itself, the oldest first and never a favourite. A line for each.
    """
  static let options = [Option("--dry-run", "only tell what that would be")]

  private let dryRun: Bool

  init(_ words: CommandLineWords) throws(UsageError) { dryRun = words.has("--dry-run") }

  func run(_ context: Context) throws {
    let answer = try context.connect().call(
      ApplyRetention.self, .init(dryRun: dryRun), timeout: Context.longTimeout)
    if context.json { return try Output.json(answer.json) }
    let reply = answer.value
    let rows = zip(AssetText.table(reply.removed.map(\.asset)), reply.removed)
    for (line, item) in rows { try Output.line("\(item.reason.rawValue)  \(line)") }
    try Output.line(
      "\(dryRun ? "Would remove" : "Removed") \(Text.count(reply.removed.count, "asset")), \(Text.bytes(reply.bytes))")
  }
}
