import Dispatch
import Synchronization

/// Calls once after a while, unless it is cancelled. A cancelled `Task.sleep` leaves its timer behind, which wakes the
/// process for nothing when its time comes; this doesn't.
final class Alarm: Sendable {
  private static let queue = DispatchQueue(label: "camd.alarm")
  private let timer: Mutex<any DispatchSourceTimer>

  /// `action` is called on a queue of its own.
  init(after delay: Duration, _ action: @escaping @Sendable () -> Void) {
    let timer = DispatchSource.makeTimerSource(queue: Self.queue)
    timer.schedule(deadline: .now() + delay.inSeconds)
    timer.setEventHandler(handler: action)
    timer.resume()
    self.timer = Mutex(timer)
  }

  /// Calls no more. From any thread.
  func cancel() { timer.withLock { $0.cancel() } }
}

extension Duration {
  /// The same as a number.
  var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) / 1e18
  }
}
