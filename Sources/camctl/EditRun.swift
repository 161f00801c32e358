import CameraClient
import CameraProtocol
import Varlink

/// An edit that somebody waits for.
enum EditRun {
  /// The id of an asset that was typed, or of which the path was.
  static func id(_ text: String) -> String {
    guard text.hasPrefix("/"), let slash = text.lastIndex(of: "/") else { return text }
    return String(text[text.index(after: slash)...])
  }

  /// Asks for it, shows the progress on a terminal, and prints the path of the new asset. Ctrl-C cancels it.
  static func run<Method: CameraMethod>(
    _ method: Method.Type, _ parameters: Method.Parameters, _ context: Context
  ) throws where Method.Reply == EditReply {
    let answer = try follow(method, parameters, context)
    if context.json { return try Output.json(answer.json) }
    if let asset = answer.value.edited { try Output.line(asset.line(path: asset.path ?? asset.id)) }
  }

  /// The last answer.
  static func follow<Method: CameraMethod>(
    _ method: Method.Type, _ parameters: Method.Parameters, _ context: Context
  ) throws -> CameraClient.Answer<EditReply> where Method.Reply == EditReply {
    let interrupt = try Interrupt.catching()
    let client = try context.connect()
    try client.send(method, parameters, more: true)
    var edit: Edit?
    defer { if edit != nil, Output.errorIsTerminal { Output.progress("") } }
    while true {
      do {
        // an edit takes as long as it takes; the connection ends when the daemon does
        let answer = try client.next(method, interrupt: interrupt)
        guard answer.continues else { return answer }
        edit = answer.value.edit
        if Output.errorIsTerminal { Output.progress(line(answer.value.edit)) }
      } catch VarlinkError.interrupted {
        guard let id = edit?.id else { throw LocalError("interrupted") }
        try cancel(id, context)
        throw LocalError("the edit was cancelled; nothing is left of it")
      }
    }
  }

  private static func cancel(_ id: String, _ context: Context) throws {
    do {
      _ = try context.connect().call(CancelEdit.self, CancelEdit.Parameters(id: id), timeout: Context.shortTimeout)
    } catch let error as CameraError where error.kind == .noSuchEdit {
      throw LocalError("the edit was over before it could be cancelled")
    }
  }

  /// Such as `[########            ]  40 %`.
  private static func line(_ edit: Edit) -> String {
    guard edit.state != .waiting else { return "waiting for other edits" }
    let done = max(0, min(40, Int(edit.progress * 40)))
    let bar = String(repeating: "#", count: done) + String(repeating: " ", count: 40 - done)
    return "[\(bar)] \(Text.fixed(edit.progress * 100, 0)) %"
  }
}

/// `camctl edit list`
struct EditListCommand: Command {
  static let words = ["edit", "list"]
  static let summary = "list the edits that wait, run or were made"
  static let details = "A line for each: id, what it does, how it stands, what it is made of and made."

  init(_ words: CommandLineWords) throws(UsageError) {}

  func run(_ context: Context) throws {
    let answer = try context.connect().call(ListEdits.self, timeout: Context.shortTimeout)
    if context.json { return try Output.json(answer.json) }
    for line in Text.table(answer.value.edits.map(\.row)) { try Output.line(line) }
  }
}

/// `camctl edit cancel`
struct EditCancelCommand: Command {
  static let words = ["edit", "cancel"]
  static let usage = "ID"
  static let summary = "end an edit; nothing of it is left"
  static let details = "ID is the number that 'edit list' shows."
  static let maxArguments = 1

  private let id: String

  init(_ words: CommandLineWords) throws(UsageError) {
    guard let id = words.arguments.first else { throw UsageError("'edit cancel' needs the id of an edit") }
    self.id = id
  }

  func run(_ context: Context) throws {
    let answer = try context.connect().call(
      CancelEdit.self, CancelEdit.Parameters(id: id), timeout: Context.longTimeout)
    if context.json { try Output.json(answer.json) }
  }
}

extension Edit {
  fileprivate var row: [String] {
    let standing = state == .running ? "\(Text.fixed(progress * 100, 0)) %" : state.rawValue
    return [id, kind.rawValue, standing, source, asset?.id ?? message ?? ""]
  }

  /// For `watch`.
  var facts: String {
    "edit \(id), \(kind.rawValue) of \(source), "
      + (asset.map { $0.path ?? $0.id } ?? message ?? "\(Text.fixed(progress * 100, 0)) %")
  }
}
