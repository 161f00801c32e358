import Dispatch
import Synchronization

/// Runs test bodies that block: on threads of their own, not more at once than the machine can bear.
enum Turn {
  /// What runs at once.
  static let places = 3

  private struct State {
    var free = Turn.places
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private static let state = Mutex(State())

  /// Waits for a place, then runs the body where it may block.
  static func take<Result: Sendable>(_ body: @Sendable () throws -> Result) async throws -> Result {
    await enter()
    defer { leave() }
    return try await withTaskExecutorPreference(BlockingExecutor.shared) { try await run(body) }
  }

  private nonisolated static func run<Result: Sendable>(_ body: @Sendable () throws -> Result) async throws -> Result {
    try body()
  }

  private static func enter() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        if state.free == 0 {
          state.waiting.append(continuation)
          return false
        }
        state.free -= 1
        return true
      }
      if isFree { continuation.resume() }
    }
  }

  private static func leave() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      if state.waiting.isEmpty {
        state.free += 1
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.resume()
  }
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
