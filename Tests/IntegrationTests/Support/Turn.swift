import Dispatch
import Synchronization

/// Runs test bodies that block: on threads of their own, not more at once than the machine can bear.
enum Turn {
  /// What runs at once.
  static let places = 3

  private struct State {
    var free = Turn.places
    var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private static let state = Mutex(State())

  /// Waits for a place, or with `alone` for all of them, then runs the body where it may block.
  static func take<Result: Sendable>(
    alone: Bool = false, _ body: @Sendable () throws -> Result
  ) async throws -> Result {
    let count = alone ? places : 1
    await enter(count)
    defer { leave(count) }
    return try await withTaskExecutorPreference(BlockingExecutor.shared) { try await run(body) }
  }

  private nonisolated static func run<Result: Sendable>(_ body: @Sendable () throws -> Result) async throws -> Result {
    try body()
  }

  private static func enter(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        guard state.waiting.isEmpty, state.free >= count else {
          state.waiting.append((count, continuation))
          return false
        }
        state.free -= count
        return true
      }
      if isFree { continuation.resume() }
    }
  }

  private static func leave(_ count: Int) {
    let next = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      state.free += count
      var next: [CheckedContinuation<Void, Never>] = []
      while let first = state.waiting.first, state.free >= first.count {
        state.free -= first.count
        next.append(state.waiting.removeFirst().continuation)
      }
      return next
    }
    for continuation in next { continuation.resume() }
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
