import CameraProtocol
import Dispatch

/// Runs what blocks for a moment on a thread of its own kind, never on an actor's or on the shared pool's.
func blocking<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
  await withCheckedContinuation { continuation in
    DispatchQueue.global().async { continuation.resume(returning: body()) }
  }
}

/// The same for what can fail.
func blocking<Value: Sendable>(
  _ body: @escaping @Sendable () throws(CameraError) -> Value
) async throws(CameraError) -> Value {
  let result = await blocking { () -> Result<Value, CameraError> in
    do throws(CameraError) {
      return .success(try body())
    } catch {
      return .failure(error)
    }
  }
  return try result.get()
}

/// Runs an operation to its end even where the caller's task is cancelled, as when a client leaves: what it asked for
/// is done all the same, unless `onCancel` sees to it that it ends.
func shielded<Value: Sendable>(
  onCancel: @escaping @Sendable () -> Void = {}, _ operation: @escaping @Sendable () async throws(CameraError) -> Value
) async throws(CameraError) -> Value {
  let task = Task { () -> Result<Value, CameraError> in
    do throws(CameraError) {
      return .success(try await operation())
    } catch {
      return .failure(error)
    }
  }
  return try await withTaskCancellationHandler {
    await task.value
  } onCancel: {
    onCancel()
  }.get()
}
