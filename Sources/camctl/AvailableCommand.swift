import CameraClient
import CameraProtocol

/// `camctl available`
struct AvailableCommand: Command {
  /// What can be asked for.
  private enum Subject: String, CaseIterable { case camera, movie, flash, album }

  static let words = ["available"]
  static let usage = "[camera|movie|flash|album]"
  static let summary = "tell what can be had now, for scripts"
  static let details = """
    camera: there is one, and it can be used. movie: it can record movies. flash: it
    has a light. album: there is something in it. Exits with 1 where the answer is
    no. Without a word, tells all of it and exits with 0.
    Reasons: absent, busy, noPermission, empty.
    """
  static let maxArguments = 1

  private let subject: Subject?

  init(_ words: CommandLineWords) throws(UsageError) { subject = try words.choice("such thing") }

  func run(_ context: Context) throws {
    let answer = try context.connect().call(
      GetAvailability.self, CameraSelection(camera: context.camera), timeout: Context.shortTimeout)
    let reply = answer.value
    if context.json {
      try Output.json(answer.json)
    } else if let subject {
      try Output.line(Self.word(subject, reply))
    } else {
      try Output.line(
        Text.table(Subject.allCases.map { [$0.rawValue, Self.word($0, reply)] }).joined(separator: "\n"))
    }
    if let subject, !Self.isThere(subject, reply) { throw Refusal() }
  }

  private static func isThere(_ subject: Subject, _ reply: GetAvailability.Reply) -> Bool {
    switch subject {
    case .camera: reply.camera.available
    case .movie: reply.camera.mediaTypes.contains(.movie)
    case .flash: reply.flash
    case .album: reply.album.available
    }
  }

  private static func word(_ subject: Subject, _ reply: GetAvailability.Reply) -> String {
    guard !isThere(subject, reply) else {
      switch subject {
      case .camera: return "yes, \(reply.id ?? ""): \(reply.camera.modes.map(\.rawValue).joined(separator: ", "))"
      case .album: return "yes, \(reply.album.mediaTypes.map(\.rawValue).joined(separator: ", "))"
      case .movie, .flash: return "yes"
      }
    }
    let missing = subject == .album ? reply.album : reply.camera
    guard let reason = missing.reason else { return "no" }
    return "no, \(reason.rawValue)\(missing.message.map { ": \($0)" } ?? "")"
  }
}

/// The answer is no; it has been printed.
struct Refusal: Error {}
