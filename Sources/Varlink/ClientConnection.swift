internal import Glibc
internal import Synchronization

/// The calling end of a connection. Blocking; one thread at a time gets its turn, only `close` may interrupt it.
public final class ClientConnection: Sendable {
  /// What a service answered.
  public struct Reply: Sendable {
    /// A JSON object.
    public let parameters: [UInt8]
    /// True where more replies to the same call follow.
    public let continues: Bool
    private let descriptors: CallDescriptors

    init(_ message: ReplyMessage, _ descriptors: [FileDescriptor]) {
      parameters = message.parameters
      continues = message.continues
      self.descriptors = CallDescriptors(descriptors)
    }

    /// The parameters as a value.
    ///
    /// - Throws: `VarlinkError.malformed` where they don't fit.
    public func decode<T: Decodable>(_ type: T.Type = T.self) throws -> T {
      do {
        return try decodeJSON(type, parameters)
      } catch let error as DecodingError {
        throw VarlinkError.malformed("'\(error.path)' is missing or of the wrong type")
      }
    }

    /// How many descriptors came with the reply.
    public var descriptorCount: Int { descriptors.count }

    /// The descriptor of that index; each can be taken once. The rest is closed with the reply.
    public func takeDescriptor(at index: Int) -> FileDescriptor? { descriptors.take(index) }
  }

  /// A call without parameters.
  public struct NoParameters: Codable, Sendable {
    /// The one value there is.
    public init() {}
  }

  /// Bytes of the largest reply that is taken.
  static let maxMessageBytes = 64 << 20
  private static let chunkSize = 1 << 16

  /// The socket, for those who wait on it; not to be read from.
  public let descriptor: FileDescriptor
  private let input = Mutex(MessageBuffer())

  /// Connects to a service.
  ///
  /// - Parameter timeout: for the service to take the connection.
  /// - Throws: `VarlinkError.system`, where nobody listens there or the caller may not connect.
  public init(path: String, timeout: Duration = .seconds(5)) throws(VarlinkError) {
    guard let address = UnixAddress(path: path) else {
      throw .system(SystemError("connect to \(path)", code: ENAMETOOLONG))
    }
    do throws(SystemError) {
      // Blocking, since only that waits where the queue of connections is full; reads and writes don't block anyway.
      descriptor = try UnixAddress.makeSocket(nonBlocking: false)
    } catch { throw .system(error) }
    var limit = timeval()
    limit.tv_sec = Int(timeout.components.seconds)
    limit.tv_usec = Int(timeout.components.attoseconds / 1_000_000_000_000)
    setsockopt(descriptor.rawValue, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var result: CInt
    repeat { result = address.connect(descriptor.rawValue) } while result != 0 && errno == EINTR
    if result != 0 {
      throw errno == EAGAIN ? .timedOut : .system(SystemError("connect to \(path)"))
    }
  }

  /// Uses a socket that is connected already.
  public init(adopting descriptor: FileDescriptor) {
    self.descriptor = descriptor
  }

  /// Hangs up: running calls of this connection are cancelled, and a `receive` on another thread fails.
  public func close() {
    shutdown(descriptor.rawValue, CInt(SHUT_RDWR))
  }

  /// Sends a call; its replies come by `receive`, in the order of the calls.
  ///
  /// - Parameters:
  ///   - oneway: no reply will come.
  ///   - more: several replies may come.
  ///   - timeout: for the service to take it.
  public func send(
    _ method: String, _ parameters: some Encodable = NoParameters(), descriptors: [FileDescriptor] = [],
    oneway: Bool = false, more: Bool = false, timeout: Duration = .seconds(30)
  ) throws {
    let call = CallMessage(method: method, parameters: try encodeJSON(parameters), more: more, oneway: oneway)
    try send(rawMessage: call.encoded(), descriptors: descriptors, timeout: timeout)
  }

  /// Sends bytes as they are; they should be a message and its NUL.
  public func send(rawMessage bytes: [UInt8], descriptors: [FileDescriptor] = [], timeout: Duration = .seconds(30))
    throws
  {
    let deadline = ContinuousClock.now + timeout
    var queue = ReplyQueue()
    queue.append(bytes, descriptors: descriptors)
    while true {
      do throws(SystemError) { _ = try queue.flush(to: descriptor.rawValue) } catch { throw Self.error(for: error) }
      if queue.isEmpty { return }
      var polled = [pollfd(fd: descriptor.rawValue, events: Int16(POLLOUT), revents: 0)]
      if try !Self.poll(&polled, until: deadline) { throw VarlinkError.timedOut }
    }
  }

  /// The next reply.
  ///
  /// - Parameters:
  ///   - timeout: nil to wait for as long as it takes.
  ///   - interrupt: a descriptor that ends the wait when it becomes readable.
  /// - Throws: `VarlinkError`: `.remote` for an error reply, `.timedOut`, `.interrupted`, `.disconnected`,
  /// `.malformed`.
  public func receive(timeout: Duration? = nil, interrupt: FileDescriptor? = nil) throws -> Reply {
    let deadline = timeout.map { ContinuousClock.now + $0 }
    return try input.withLock { input in
      while true {
        if let message = input.next() {
          let reply = try ReplyMessage(message.bytes)
          if let error = reply.error { throw VarlinkError.remote(name: error, parameters: reply.parameters) }
          return Reply(reply, message.descriptors)
        }
        if try fill(&input) { continue }
        switch try Self.wait(for: [descriptor], interrupt: interrupt, until: deadline) {
        case .ready: break
        case .interrupted: throw VarlinkError.interrupted
        case .timedOut: throw VarlinkError.timedOut
        }
      }
    }
  }

  /// Calls a method and waits for its reply, or the first of several.
  public func call(
    _ method: String, _ parameters: some Encodable = NoParameters(), descriptors: [FileDescriptor] = [],
    more: Bool = false, timeout: Duration? = nil
  ) throws -> Reply {
    try send(method, parameters, descriptors: descriptors, more: more)
    return try receive(timeout: timeout)
  }
}

extension ClientConnection {
  /// How a wait ended.
  public enum Wake: Sendable, Equatable {
    /// Something can be received from the connection of that index, or it was closed.
    case ready(Int)
    case interrupted
    case timedOut
  }

  /// Waits until one of several connections has something to receive.
  public static func wait(
    for connections: [ClientConnection], interrupt: FileDescriptor? = nil,
    until deadline: ContinuousClock.Instant? = nil
  ) throws -> Wake {
    for (index, connection) in connections.enumerated() where connection.input.withLock({ $0.hasMessage }) {
      return .ready(index)
    }
    return try wait(for: connections.map(\.descriptor), interrupt: interrupt, until: deadline)
  }

  private static func wait(
    for descriptors: [FileDescriptor], interrupt: FileDescriptor?, until deadline: ContinuousClock.Instant?
  ) throws -> Wake {
    var polled = (descriptors + (interrupt.map { [$0] } ?? [])).map {
      pollfd(fd: $0.rawValue, events: Int16(POLLIN), revents: 0)
    }
    guard try poll(&polled, until: deadline) else { return .timedOut }
    if let index = polled.prefix(descriptors.count).firstIndex(where: { $0.revents != 0 }) { return .ready(index) }
    return .interrupted
  }

  /// Waits for one of the descriptors; false where the deadline passed.
  private static func poll(_ polled: inout [pollfd], until deadline: ContinuousClock.Instant?) throws -> Bool {
    while true {
      var timeout: CInt = -1
      if let deadline {
        let left = max(deadline - .now, .zero).components
        timeout = CInt(clamping: left.seconds * 1000 + (left.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
      }
      let count = Glibc.poll(&polled, nfds_t(polled.count), timeout)
      if count > 0 { return true }
      if count == 0 { return false }
      if errno != EINTR { throw VarlinkError.system(SystemError("wait")) }
    }
  }

  /// Reads what is there; false where there is nothing yet.
  private func fill(_ input: inout MessageBuffer) throws -> Bool {
    try withUnsafeTemporaryAllocation(byteCount: Self.chunkSize, alignment: 1) { buffer in
      switch Transport.receive(descriptor.rawValue, into: buffer) {
      case .bytes(let count, let descriptors):
        input.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]), descriptors: descriptors)
        if input.count > Self.maxMessageBytes { throw VarlinkError.messageTooLarge(limit: Self.maxMessageBytes) }
        return true
      case .nothingYet: return false
      case .end: throw VarlinkError.disconnected
      case .failed(let error): throw Self.error(for: error)
      case .descriptorsLost: throw VarlinkError.malformed("more descriptors than can be taken")
      }
    }
  }

  private static func error(for error: SystemError) -> VarlinkError {
    error.code == EPIPE || error.code == ECONNRESET ? .disconnected : .system(error)
  }
}
