/// Sends the replies to one call. Any thread; never blocks.
public struct ReplyWriter: Sendable {
  private let connection: Connection
  private let callID: UInt64
  private let call: CallMessage

  init(connection: Connection, callID: UInt64, call: CallMessage) {
    self.connection = connection
    self.callID = callID
    self.call = call
  }

  /// Sends a reply; with `continues` more will follow.
  ///
  /// The descriptors stay the caller's to close; they may be closed as soon as this returns and nobody else holds them.
  ///
  /// - Throws: `ServiceError` `ExpectedMore` for `continues` where the client takes one reply only;
  ///   `VarlinkError.disconnected` where the client has gone, `.tooSlow` where more than the bound waits for it (it has
  ///   been disconnected), `.alreadyReplied` after the last reply.
  public func reply(_ value: some Encodable, descriptors: [FileDescriptor] = [], continues: Bool = false) throws {
    if continues && !call.more && !call.oneway { throw ServiceError.expectedMore }
    guard !call.oneway else { return }
    let message = ReplyMessage(parameters: try encodeJSON(value), continues: continues)
    try connection.send(message.encoded(), descriptors: descriptors, isLast: !continues, ofCall: callID)
  }

  /// Sends the call's last reply, an error.
  func reply(_ error: ServiceError) throws {
    guard !call.oneway else { return }
    try connection.send(ReplyMessage(error).encoded(), descriptors: [], isLast: true, ofCall: callID)
  }

  /// Replies that wait for the client to read.
  public var queuedReplies: Int { connection.queued.replies }

  /// Bytes that wait for the client to read.
  public var queuedBytes: Int { connection.queued.bytes }

  /// False once the client has hung up or was disconnected.
  public var isConnected: Bool { connection.isConnected }
}

extension ReplyMessage {
  init(_ error: ServiceError) throws {
    self.init(parameters: try error.parameters.map { try encodeJSON($0) } ?? Array("{}".utf8), error: error.name)
  }
}
