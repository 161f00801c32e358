import CameraProtocol
import Synchronization

/// A value that comes once, and those who wait for it, each with a deadline.
final class Promise<Value: Sendable>: Sendable {
  private struct State {
    var value: Value?
    var waiters: [Int: CheckedContinuation<Value?, Never>] = [:]
    /// Those who are about to wait. One whose deadline has passed by then is not among them any more.
    var arriving: Set<Int> = []
    var next = 0
  }

  private let state = Mutex(State())

  /// Sets the value; the first one counts, and false is returned for later ones. From any thread.
  @discardableResult
  func fulfil(_ value: Value) -> Bool {
    let waiters = state.withLock { state -> [CheckedContinuation<Value?, Never>]? in
      guard state.value == nil else { return nil }
      state.value = value
      defer { state.waiters = [:] }
      return Array(state.waiters.values)
    }
    for waiter in waiters ?? [] { waiter.resume(returning: value) }
    return waiters != nil
  }

  /// The value, if it is there already.
  var current: Value? { state.withLock { $0.value } }

  /// Waits for the value; nil when the deadline passes or the task is cancelled first. Without a deadline it is for
  /// watchers that nobody waits for.
  func value(within deadline: Duration?) async -> Value? {
    if let value = current { return value }
    let id = state.withLock { state in
      state.next += 1
      state.arriving.insert(state.next)
      return state.next
    }
    let alarm = deadline.map { Alarm(after: $0) { self.giveUp(id) } }
    defer { alarm?.cancel() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let immediate = state.withLock { state -> Value?? in
          let waits = state.arriving.remove(id) != nil
          if let value = state.value { return .some(value) }
          guard waits else { return .some(nil) }
          state.waiters[id] = continuation
          return nil
        }
        if let immediate { continuation.resume(returning: immediate) }
      }
    } onCancel: {
      giveUp(id)
    }
  }

  private func giveUp(_ id: Int) {
    let waiter = state.withLock { state -> CheckedContinuation<Value?, Never>? in
      state.arriving.remove(id)
      return state.waiters.removeValue(forKey: id)
    }
    waiter?.resume(returning: nil)
  }
}

/// Runs an operation that may block for long, and waits for it at most until the deadline. Past that the operation goes
/// on alone and `timedOut` is thrown; what it makes then is given to `late`.
func withDeadline<Value: Sendable>(
  _ deadline: Duration, timedOut: CameraError, late: @escaping @Sendable (Value) async -> Void = { _ in },
  _ operation: @escaping @Sendable () async throws(CameraError) -> Value
) async throws(CameraError) -> Value {
  let promise = Promise<Result<Value, CameraError>>()
  Task {
    do throws(CameraError) {
      let value = try await operation()
      if !promise.fulfil(.success(value)) { await late(value) }
    } catch {
      promise.fulfil(.failure(error))
    }
  }
  if await promise.value(within: deadline) == nil { promise.fulfil(.failure(timedOut)) }
  guard let result = promise.current else { throw timedOut }
  return try result.get()
}
