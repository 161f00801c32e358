public import CameraProtocol
internal import FoundationEssentials
internal import Glibc
public import Varlink

/// A connection to the camera daemon whose calls have types. Blocking; see `AsyncCameraClient` for the other kind.
///
/// A call that the daemon refuses throws `CameraError`, everything else that goes wrong `VarlinkError`.
public final class CameraClient: Sendable {
  /// An answer to a call.
  public struct Answer<Value: Decodable & Sendable>: Sendable {
    /// What it says.
    public let value: Value
    /// As it came: a JSON object.
    public let json: [UInt8]
    /// True where more answers to the same call follow.
    public let continues: Bool
    private let reply: ClientConnection.Reply

    init(_ reply: ClientConnection.Reply) throws {
      value = try reply.decode(Value.self)
      json = reply.parameters
      continues = reply.continues
      self.reply = reply
    }

    /// The descriptor of that index among those that came with the answer; each can be taken once.
    public func takeDescriptor(at index: Int) -> FileDescriptor? { reply.takeDescriptor(at: index) }
  }

  /// The connection underneath.
  public let connection: ClientConnection

  /// Connects to the daemon.
  ///
  /// - Parameter retryFor: how long to go on trying where nobody listens yet.
  /// - Throws: `VarlinkError`.
  public init(path: String, retryFor: Duration = .zero) throws(VarlinkError) {
    let deadline = ContinuousClock.now + retryFor
    while true {
      do throws(VarlinkError) {
        connection = try ClientConnection(path: path)
        return
      } catch {
        guard case .system(let cause) = error, cause.code == ENOENT || cause.code == ECONNREFUSED, .now < deadline
        else {
          throw error
        }
      }
      usleep(10_000)
    }
  }

  /// Calls a method and waits for its answer, or the first of several.
  ///
  /// - Parameters:
  ///   - more: several answers may come; `next` takes the others.
  ///   - timeout: nil to wait for as long as it takes.
  ///   - interrupt: a descriptor that ends the wait when it becomes readable.
  public func call<M: CameraMethod>(
    _ method: M.Type, _ parameters: M.Parameters, descriptors: [FileDescriptor] = [], more: Bool = false,
    timeout: Duration? = nil, interrupt: FileDescriptor? = nil
  ) throws -> Answer<M.Reply> {
    try send(method, parameters, descriptors: descriptors, more: more)
    return try next(method, timeout: timeout, interrupt: interrupt)
  }

  /// Calls a method that takes nothing.
  public func call<M: CameraMethod>(_ method: M.Type, timeout: Duration? = nil) throws -> Answer<M.Reply>
  where M.Parameters == Nothing {
    try call(method, Nothing(), timeout: timeout)
  }

  /// Sends a call without waiting for its answer.
  public func send<M: CameraMethod>(
    _ method: M.Type, _ parameters: M.Parameters, descriptors: [FileDescriptor] = [], more: Bool = false
  ) throws {
    try connection.send(M.qualifiedName, parameters, descriptors: descriptors, more: more)
  }

  /// The next answer to the oldest call that is still being answered, which must be of that method.
  public func next<M: CameraMethod>(
    _ method: M.Type, timeout: Duration? = nil, interrupt: FileDescriptor? = nil
  ) throws -> Answer<M.Reply> {
    do {
      return try Answer(try connection.receive(timeout: timeout, interrupt: interrupt))
    } catch VarlinkError.remote(let name, let parameters) {
      throw Self.error(name, parameters)
    }
  }

  /// Hangs up: what this connection still has going is cancelled, and waits on other threads fail.
  public func close() { connection.close() }

  /// An error reply as what it means.
  static func error(_ name: String, _ parameters: [UInt8]) -> any Error {
    guard let kind = CameraError.Kind(qualifiedName: name),
      // Without the fields that the interface promises it is no error of the interface.
      let detail = try? JSONDecoder().decode(CameraError.Detail.self, from: Data(parameters))
    else { return VarlinkError.remote(name: name, parameters: parameters) }
    return CameraError(kind, detail: detail)
  }
}
