import GStreamer
import Synchronization

/// Ends a self-timer or a burst before its time. From any thread.
final class Cancellation: Sendable {
  private let promise = Promise<Void>()
  private let isHolding = Atomic<Bool>(false)

  /// Whether the camera must not be closed for want of use.
  var holdsCamera: Bool {
    get { isHolding.load(ordering: .relaxed) }
    set { isHolding.store(newValue, ordering: .relaxed) }
  }

  func cancel() { promise.fulfil(()) }

  var isCancelled: Bool { promise.current != nil }

  /// Waits for it; nothing where the task is cancelled first.
  func waitForIt() async { _ = await promise.value(within: nil) }

  /// Waits for a running time; false where it was ended before.
  func wait(until runningTime: UInt64, _ clock: SystemClock) async -> Bool {
    await promise.value(within: .nanoseconds(max(0, -clock.age(of: runningTime)))) == nil
  }
}
