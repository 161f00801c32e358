public import Glibc

/// A system call that failed.
public struct SystemError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The value of `errno`.
  public var code: CInt
  /// What was attempted, to what.
  public var operation: String

  /// The error of the call that has just failed.
  public init(_ operation: String, code: CInt = errno) {
    self.code = code
    self.operation = operation
  }

  /// The operation and the system's word for what went wrong.
  public var description: String { "\(operation): \(String(cString: strerror(code)))" }
}
