import CameraProtocol

/// Who asked for something.
public struct Requester: Sendable, Equatable {
  /// The user's name, or the number where there is none; nil where it is not known.
  public var user: String?
  /// The program; nil where it had ended before it could be asked.
  public var program: String?
  /// The process; it may have ended since.
  public var process: Int?

  /// Somebody of these values.
  public init(user: String? = nil, program: String? = nil, process: Int? = nil) {
    self.user = user
    self.program = program
    self.process = process
  }

  /// That one as a user of a camera, from now on.
  func consumer(_ use: CameraUse) -> Consumer {
    Consumer(use: use, user: user, program: program, process: process)
  }
}

extension Requester: CustomStringConvertible {
  /// For the journal: `ada (camctl, process 4711)`.
  public var description: String {
    let details = [program, process.map { "process \($0)" }].compactMap { $0 }.joined(separator: ", ")
    return (user ?? "somebody") + (details.isEmpty ? "" : " (\(details))")
  }
}
