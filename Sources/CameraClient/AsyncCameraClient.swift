public import CameraProtocol
internal import Dispatch
public import Varlink

/// A connection to the camera daemon for code that must not block. Calls are carried out one after the other.
public final class AsyncCameraClient: Sendable {
  private let client: CameraClient
  private let queue = DispatchQueue(label: "camera.client")

  /// Connects to the daemon.
  ///
  /// - Parameter retryFor: how long to go on trying where nobody listens yet.
  /// - Throws: `VarlinkError`.
  public init(path: String, retryFor: Duration = .zero) async throws {
    client = try await withCheckedThrowingContinuation { continuation in
      DispatchQueue(label: "camera.connect").async {
        continuation.resume(with: Result { try CameraClient(path: path, retryFor: retryFor) })
      }
    }
  }

  deinit { client.close() }

  /// Calls a method and waits for its answer.
  ///
  /// - Parameter timeout: after it `VarlinkError.timedOut` is thrown, and the connection is of no more use.
  public func call<M: CameraMethod>(
    _ method: M.Type, _ parameters: M.Parameters, descriptors: [FileDescriptor] = [],
    timeout: Duration = .seconds(60)
  ) async throws -> CameraClient.Answer<M.Reply> {
    try await perform { try $0.call(method, parameters, descriptors: descriptors, timeout: timeout) }
  }

  /// Calls a method that takes nothing.
  public func call<M: CameraMethod>(
    _ method: M.Type, timeout: Duration = .seconds(60)
  ) async throws -> CameraClient.Answer<M.Reply> where M.Parameters == Nothing {
    try await call(method, Nothing(), timeout: timeout)
  }

  /// Calls a method with several answers, which come until the last one, an error, or `close`. The connection is
  /// busy with it until then; ending the iteration closes it.
  ///
  /// - Returns: when the first answer has come: it is the first that the stream yields.
  public func stream<M: CameraMethod>(
    _ method: M.Type, _ parameters: M.Parameters, descriptors: [FileDescriptor] = [],
    timeout: Duration = .seconds(60)
  ) async throws -> AsyncThrowingStream<CameraClient.Answer<M.Reply>, any Error> {
    let first = try await perform {
      try $0.call(method, parameters, descriptors: descriptors, more: true, timeout: timeout)
    }
    let (stream, continuation) = AsyncThrowingStream<CameraClient.Answer<M.Reply>, any Error>.makeStream()
    continuation.yield(first)
    continuation.onTermination = { [client] reason in
      if case .cancelled = reason { client.close() }
    }
    queue.async { [client] in
      var continues = first.continues
      do {
        while continues {
          let answer = try client.next(method)
          continues = answer.continues
          continuation.yield(answer)
        }
        continuation.finish()
      } catch {
        continuation.finish(throwing: error)
      }
    }
    return stream
  }

  /// Hangs up: what this connection still has going is cancelled, and waits for it fail.
  public func close() { client.close() }

  private func perform<T: Sendable>(_ body: @escaping @Sendable (CameraClient) throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { [client] in continuation.resume(with: Result { try body(client) }) }
    }
  }
}
