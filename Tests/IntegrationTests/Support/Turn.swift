import Synchronization
import TestSupport

/// Runs test bodies that block: on threads of their own, not more at once than the machine can bear.
enum Turn {
  /// How much of the machine a test needs.
  enum Share: Int {
    /// What any test may run beside.
    case quarter = 1
    /// A camera in real time, of which no frame may be late; one more of that kind can run beside it.
    case half = 2
    /// All that the machine has.
    case whole = 4
  }

  private struct State {
    var free = Share.whole.rawValue
    var waiting: [(share: Share, continuation: CheckedContinuation<Void, Never>)] = []

    /// Who is let in next. Those who want much come last: others would have to wait for them to get it.
    mutating func next() -> CheckedContinuation<Void, Never>? {
      guard let index = waiting.indices.min(by: { waiting[$0].share.rawValue < waiting[$1].share.rawValue }),
        free >= waiting[index].share.rawValue
      else { return nil }
      free -= waiting[index].share.rawValue
      return waiting.remove(at: index).continuation
    }
  }

  private static let state = Mutex(State())

  /// Waits for a share of the machine, then runs the body where it may block.
  static func take<Result: Sendable>(
    _ share: Share = .quarter, _ body: @Sendable () throws -> Result
  ) async throws -> Result {
    await enter(share)
    defer { leave(share) }
    return try await offPool(body)
  }

  private static func enter(_ share: Share) async {
    await withCheckedContinuation { continuation in
      state.withLock { $0.waiting.append((share, continuation)) }
      admit()
    }
  }

  private static func leave(_ share: Share) {
    state.withLock { $0.free += share.rawValue }
    admit()
  }

  private static func admit() {
    while let next = state.withLock({ $0.next() }) { next.resume() }
  }
}
