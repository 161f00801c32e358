import Synchronization

/// Lets one operation through at a time, in the order in which they came. What changes a session goes through it, so
/// that no operation sees another half done.
final class SerialGate: Sendable {
  private struct State {
    var busy = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  /// Waits for its turn; `leave` must follow. Operations have deadlines of their own, so a turn always comes.
  func enter() async {
    await withCheckedContinuation { continuation in
      let free = state.withLock { state in
        if state.busy {
          state.waiting.append(continuation)
          return false
        }
        state.busy = true
        return true
      }
      if free { continuation.resume() }
    }
  }

  /// Ends the turn.
  func leave() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard !state.waiting.isEmpty else {
        state.busy = false
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.resume()
  }
}
