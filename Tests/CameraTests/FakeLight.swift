import Camera
import Foundation
import GStreamer
import Synchronization

/// A light that notes when it was told what.
final class FakeLight: Light {
  struct Change: Equatable {
    var lighting: Lighting
    /// Running time, when it was done.
    var time: UInt64
  }

  private struct State {
    var changes: [Change] = []
    var isBroken = false
    var delay = 0.0
  }

  /// Each change once it is done.
  let done: AsyncStream<Lighting>
  private let sink: AsyncStream<Lighting>.Continuation
  private let clock: SystemClock
  private let state = Mutex(State())

  init(_ clock: SystemClock) {
    self.clock = clock
    (done, sink) = AsyncStream.makeStream()
  }

  func set(_ lighting: Lighting) throws(LightError) {
    Thread.sleep(forTimeInterval: state.withLock { $0.delay })
    let isBroken = state.withLock { state in
      state.changes.append(Change(lighting: lighting, time: clock.runningTime))
      return state.isBroken
    }
    sink.yield(lighting)
    if isBroken { throw LightError("burnt out") }
  }

  /// From now on it fails, or works again.
  func setBroken(_ isBroken: Bool) { state.withLock { $0.isBroken = isBroken } }

  /// Seconds that its driver takes from now on, as a real one may.
  func setDelay(_ seconds: Double) { state.withLock { $0.delay = seconds } }

  /// What it was told so far.
  var changes: [Change] { state.withLock { $0.changes } }
  /// The same without the times.
  var lightings: [Lighting] { changes.map(\.lighting) }
}
