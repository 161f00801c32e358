/// The implementation of one interface.
public protocol Service: Sendable {
  /// The interface. The parameters of a call are held against it before `handle` is called.
  var interface: InterfaceDescription { get }

  /// Handles a call, in a task of its own; one call of a connection at a time.
  ///
  /// It sends one reply without `continues`, last, or throws; for a call with `oneway` replies go nowhere. The task is
  /// cancelled when the client hangs up, unless the call is `oneway`, and when the server stops: a stream at once,
  /// other calls after the grace. Then an error, `CancellationError` too, is answered where the client is still there.
  func handle(_ call: Call, _ replies: ReplyWriter) async throws

  /// What an error that `handle` threw becomes on the wire, where it isn't a `ServiceError` itself.
  func serviceError(for error: any Error, in call: Call) -> ServiceError
}

/// A call of a method.
public struct Call: Sendable {
  /// The qualified name, such as `org.varlink.service.GetInfo`.
  public let method: String
  /// True where the client takes several replies.
  public let more: Bool
  /// True where the client takes no reply.
  public let oneway: Bool
  /// Who calls.
  public let peer: PeerCredentials
  /// Names the connection among all of its server.
  public let connectionID: UInt64
  /// The parameters, a JSON object.
  public let parameters: [UInt8]
  private let descriptors: CallDescriptors

  init(_ message: CallMessage, descriptors: CallDescriptors, peer: PeerCredentials, connectionID: UInt64) {
    method = message.method
    more = message.more
    oneway = message.oneway
    parameters = message.parameters
    self.descriptors = descriptors
    self.peer = peer
    self.connectionID = connectionID
  }

  /// The name without the interface's.
  public var methodName: String {
    String(method[(method.lastIndex(of: ".").map(method.index(after:)) ?? method.startIndex)...])
  }

  /// The parameters as a value.
  ///
  /// - Throws: `ServiceError` `InvalidParameter` where a value doesn't fit.
  public func decode<T: Decodable>(_ type: T.Type = T.self) throws -> T {
    do {
      return try decodeJSON(type, parameters)
    } catch let error as DecodingError {
      throw ServiceError.invalidParameter(error.path)
    }
  }

  /// Fails unless the client takes several replies.
  ///
  /// - Throws: `ServiceError` `ExpectedMore`.
  public func requireMore() throws {
    if !more { throw ServiceError.expectedMore }
  }

  /// How many descriptors came with the call.
  public var descriptorCount: Int { descriptors.count }

  /// The descriptor of that index; each can be taken once. Those that nobody takes are closed with the call.
  public func takeDescriptor(at index: Int) -> FileDescriptor? { descriptors.take(index) }
}

extension DecodingError {
  /// The path of the value that doesn't fit.
  var path: String {
    let context: Context? =
      switch self {
      case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context): context
      case .keyNotFound(let key, let context):
        Context(codingPath: context.codingPath + [key], debugDescription: "")
      @unknown default: nil
      }
    return (context?.codingPath ?? []).reduce(into: "") { path, key in
      if let index = key.intValue {
        path += "[\(index)]"
      } else {
        path += path.isEmpty ? key.stringValue : ".\(key.stringValue)"
      }
    }
  }
}
