/// What goes wrong between the two ends of a connection.
public enum VarlinkError: Error, Sendable, Equatable {
  /// The other end has closed the connection.
  case disconnected
  /// The client did not read its replies and was disconnected.
  case tooSlow
  /// The call has had its last reply already.
  case alreadyReplied
  /// A handler returned without its last reply.
  case noReply
  /// A deadline passed.
  case timedOut
  /// The descriptor that interrupts a wait became readable.
  case interrupted
  /// A system call failed.
  case system(SystemError)
  /// The other end sent what isn't a message; the text says why.
  case malformed(String)
  /// The message is larger than the bound, in bytes.
  case messageTooLarge(limit: Int)
  /// The service answered with an error; the parameters are a JSON object.
  case remote(name: String, parameters: [UInt8])
}

extension VarlinkError: CustomStringConvertible {
  /// For people.
  public var description: String {
    switch self {
    case .disconnected: "the connection was closed by the other side"
    case .tooSlow: "the client does not read its replies"
    case .alreadyReplied: "the call has been answered already"
    case .noReply: "the call was left without an answer"
    case .timedOut: "no answer in time"
    case .interrupted: "interrupted"
    case .system(let error): "cannot \(error)"
    case .malformed(let reason): "not a Varlink message: \(reason)"
    case .messageTooLarge(let limit): "a message of more than \(limit) bytes"
    case .remote(let name, let parameters): "\(name) \(String(decoding: parameters, as: UTF8.self))"
    }
  }
}
