import CameraProtocol
import Glibc
import Varlink

/// A command line that can't be understood.
struct UsageError: Error, Equatable {
  var message: String

  init(_ message: String) {
    self.message = message
  }
}

/// Something on this side that went wrong, such as a file that can't be written.
struct LocalError: Error, Equatable {
  var message: String

  init(_ message: String) {
    self.message = message
  }
}

/// Nobody answers at the socket.
struct NoDaemon: Error {
  var path: String
  var cause: VarlinkError
}

/// How camctl ends; the numbers are documented.
enum ExitStatus: CInt {
  case done = 0
  case refused = 1
  case usage = 2
  case noDaemon = 3
  case connectionLost = 4

  /// The status and the words for an error.
  static func of(_ error: any Error) -> (status: ExitStatus, message: String) {
    switch error {
    case let error as UsageError: (.usage, error.message)
    case let error as LocalError: (.refused, error.message)
    case let error as CameraError: (.refused, error.description)
    case let error as NoDaemon: (.noDaemon, message(for: error))
    case VarlinkError.remote(let name, let parameters): (.refused, message(name, parameters))
    case VarlinkError.disconnected: (.connectionLost, "the daemon closed the connection")
    case let error as VarlinkError: (.connectionLost, "the connection was lost: \(error)")
    default: (.refused, "\(error)")
    }
  }

  private static func message(for error: NoDaemon) -> String {
    guard case .system(let cause) = error.cause else {
      return "the daemon at \(error.path) does not answer: \(error.cause)"
    }
    return switch cause.code {
    case ENOENT, ECONNREFUSED: "no daemon listens on \(error.path); is camd running?"
    default: "cannot \(cause)"
    }
  }

  private static func message(_ name: String, _ parameters: [UInt8]) -> String {
    let detail = String(decoding: parameters, as: UTF8.self)
    let what = detail.split(separator: "\"").dropFirst(3).first.map(String.init) ?? ""
    return switch name {
    case "org.varlink.service.InvalidParameter": "the daemon does not take that value of '\(what)'"
    case "org.varlink.service.MethodNotFound", "org.varlink.service.InterfaceNotFound",
      "org.varlink.service.MethodNotImplemented":
      "this daemon does not know '\(what)'; it may be older than camctl"
    case "org.varlink.service.PermissionDenied": "the daemon does not permit that"
    default: "\(name) \(detail)"
    }
  }
}
