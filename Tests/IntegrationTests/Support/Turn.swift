import Dispatch
import Synchronization

/// Runs test bodies that block: on threads of their own, not more at once than the machine can bear.
enum Turn {
  /// What runs at once.
  static let places = 4

  private struct State {
    var free = Turn.places
    var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    /// Who is let in next. Those who want to be alone come last: for each, all places have to become free.
    mutating func next() -> CheckedContinuation<Void, Never>? {
      guard let index = waiting.firstIndex(where: { $0.count == 1 }) ?? waiting.indices.first,
        free >= waiting[index].count
      else { return nil }
      free -= waiting[index].count
      return waiting.remove(at: index).continuation
    }
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
      state.withLock { $0.waiting.append((count, continuation)) }
      admit()
    }
  }

  private static func leave(_ count: Int) {
    state.withLock { $0.free += count }
    admit()
  }

  private static func admit() {
    while let next = state.withLock({ $0.next() }) { next.resume() }
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
