import CameraClient
import CameraProtocol
import Glibc
import Varlink

/// `camctl edit can`
struct EditCanCommand: Command {
  static let words = ["edit", "can"]
  static let usage = "FILE|ASSET"
  static let summary = "tell whether something can be edited, and how"
  static let details = """
    Exits with 0 where it can be edited in some way, and with 1 where it can't. A
    FILE is opened here, so it may be anywhere; what is no file is an asset of the
    album.
    """
  static let maxArguments = 1

  private let subject: String

  init(_ words: CommandLineWords) throws(UsageError) {
    guard let subject = words.arguments.first, !subject.isEmpty else {
      throw UsageError("'edit can' needs a file or the id of an asset")
    }
    self.subject = subject
  }

  func run(_ context: Context) throws {
    let raw = open(subject, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    let number = errno
    guard raw >= 0 || number == ENOENT else {
      throw LocalError("cannot read \(subject): \(String(cString: strerror(number)))")
    }
    let file = raw >= 0 ? FileDescriptor(owning: raw) : nil
    let parameters = CanEdit.Parameters(
      id: file == nil ? EditRun.id(subject) : nil, descriptor: file == nil ? nil : 0)
    let answer = try context.connect().call(
      CanEdit.self, parameters, descriptors: file.map { [$0] } ?? [], timeout: Context.longTimeout)
    let found = answer.value
    if context.json {
      try Output.json(answer.json)
    } else {
      let presets = found.qualities.map(\.rawValue).joined(separator: ", ")
      let rows = [
        ["trim", Self.word(found.trim)], ["crop", Self.word(found.crop)],
        ["transcode", Self.word(found.transcode) + (presets.isEmpty ? "" : ": \(presets)")],
      ]
      for line in Text.table(rows) { try Output.line(line) }
    }
    if ![found.trim, found.crop, found.transcode].contains(where: \.possible) { throw Refusal() }
  }

  private static func word(_ answer: EditPossibility) -> String {
    answer.possible ? "yes" : "no\(answer.reason.map { ", \($0)" } ?? "")"
  }
}
