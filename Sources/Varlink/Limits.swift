/// What one client can cost.
public struct Limits: Sendable {
  /// Connections at once; the one too many is closed at once.
  public var maxConnections = 256
  /// Bytes of one message; a larger one closes its connection.
  public var maxMessageBytes = 1 << 20
  /// Descriptors that may come with one message; more close the connection.
  public var maxDescriptors = 8
  /// Replies that wait for a client to read. With more, its next calls wait, and a stream is disconnected.
  public var maxQueuedReplies = 256
  /// Bytes that wait for a client to read, likewise.
  public var maxQueuedBytes = 1 << 20
  /// For a message that has begun to be complete; then the connection is closed.
  public var messageTimeout = Duration.seconds(30)
  /// For a client to read at least something of what waits for it; then the connection is closed.
  public var writeTimeout = Duration.seconds(10)

  /// The default limits.
  public init() {}
}
