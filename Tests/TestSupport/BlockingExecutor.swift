import Dispatch

/// Runs what blocks on a thread that is not one of the shared pool, as a part of the test.
public func offPool<Value: Sendable>(_ body: @Sendable () throws -> Value) async throws -> Value {
  try await withTaskExecutorPreference(BlockingExecutor.shared) { try await run(body) }
}

private nonisolated func run<Value: Sendable>(_ body: @Sendable () throws -> Value) async throws -> Value {
  try body()
}

/// Threads that may block, so that the pool of other tests stays free.
private final class BlockingExecutor: TaskExecutor {
  static let shared = BlockingExecutor()
  private let queue = DispatchQueue(label: "tests.blocking", attributes: .concurrent)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
