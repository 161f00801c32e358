import CameraProtocol
import Dispatch

/// Threads for what waits for files or locks.
private let queue = DispatchQueue(label: "camd.handlers", attributes: .concurrent)

/// Runs what blocks for a moment on a thread that is not one of the shared pool.
func blocking<Value: Sendable>(
  _ body: @escaping @Sendable () throws(CameraError) -> Value
) async throws(CameraError) -> Value {
  let result = await withCheckedContinuation { (continuation: CheckedContinuation<Result<Value, CameraError>, Never>) in
    queue.async {
      do throws(CameraError) {
        continuation.resume(returning: .success(try body()))
      } catch {
        continuation.resume(returning: .failure(error))
      }
    }
  }
  return try result.get()
}
