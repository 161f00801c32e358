import GStreamer
import Synchronization

/// Something that takes every frame of a session. Called on a streaming thread; it must not block.
protocol FrameConsumer: AnyObject, Sendable {
  func consume(_ frame: borrowing Sample)
  /// So many frames were lost before they got here.
  func miss(_ count: Int)
}

extension FrameConsumer {
  func miss(_ count: Int) {}
}

/// Where frames leave a source: hands each to all consumers, and keeps the newest for the shutter.
final class FrameTap: Sendable {
  private struct State: ~Copyable {
    var consumers: [any FrameConsumer] = []
    var isOpen = false
    // Two, so that the frame of the moment of a request is still there when the next one comes while it is handled. Not
    // more: a V4L2 driver's pool is small.
    var newest: Sample?
    var previous: Sample?
    var frames = 0
    var newestRunningTime: UInt64?
    /// The same, kept when the source closes.
    var lastRunningTime: UInt64?
  }

  private let state = Mutex(State())

  /// Takes a frame from the source. On the streaming thread.
  func receive(_ sample: borrowing Sample) {
    // the list is copied by reference; consumers are called without the lock
    let consumers = state.withLock { state -> [any FrameConsumer] in
      guard state.isOpen else { return [] }
      swap(&state.newest, &state.previous)
      state.newest = sample.retained()
      state.newestRunningTime = sample.runningTime
      state.lastRunningTime = sample.runningTime
      state.frames += 1
      return state.consumers
    }
    for consumer in consumers { consumer.consume(sample) }
  }

  func add(_ consumer: any FrameConsumer) {
    state.withLock { $0.consumers.append(consumer) }
  }

  /// Puts a consumer in another one's place; each frame goes to one of them.
  func replace(_ consumer: any FrameConsumer, with other: any FrameConsumer) {
    state.withLock { state in
      state.consumers = state.consumers.map { $0 === consumer ? other : $0 }
    }
  }

  /// After this returns, one last frame may still be on its way to the consumer.
  func remove(_ consumer: any FrameConsumer) {
    state.withLock { state in state.consumers.removeAll { $0 === consumer } }
  }

  /// The newest frame that was captured at or before a running time; else the oldest that is kept.
  func frame(at runningTime: UInt64) -> Frame? {
    state.withLock { state -> Frame? in
      guard let newest = state.newestRunningTime else { return nil }
      if newest > runningTime, let frame = Self.keep(&state.previous) { return frame }
      return Self.keep(&state.newest)
    }
  }

  /// The frames that are kept from a running time's own on, the oldest first.
  func frames(from runningTime: UInt64) -> [Frame] {
    state.withLock { state -> [Frame] in
      guard let newest = state.newestRunningTime else { return [] }
      let kept =
        newest > runningTime ? [Self.keep(&state.previous), Self.keep(&state.newest)] : [Self.keep(&state.newest)]
      return kept.compactMap(\.self)
    }
  }

  private static func keep(_ slot: inout Sample?) -> Frame? {
    guard let sample = slot.take() else { return nil }
    let frame = Frame(sample.retained())
    slot = consume sample
    return frame
  }

  /// Frames so far, and the running time of the newest in nanoseconds; `last` stays when the source closes.
  var progress: (frames: Int, newest: UInt64?, last: UInt64?) {
    state.withLock { ($0.frames, $0.newestRunningTime, $0.lastRunningTime) }
  }

  /// Takes frames from now on; the count starts anew.
  func open() { state.withLock { $0.isOpen = true } }

  /// Takes no more frames and lets go of those that are kept, before the source closes: a V4L2 device doesn't close
  /// before all its buffers are back.
  func close() {
    state.withLock { state in
      state.isOpen = false
      state.newest = nil
      state.previous = nil
      state.newestRunningTime = nil
      state.frames = 0
    }
  }
}

/// Waits for the next frame.
final class FrameWaiter: FrameConsumer {
  private let promise = Promise<Frame>()
  private let takesAny: Bool

  /// `takesAny`: also one that can't be decoded.
  init(takesAny: Bool = false) { self.takesAny = takesAny }

  func consume(_ frame: borrowing Sample) {
    if takesAny || frame.isDecodable, promise.current == nil { promise.fulfil(Frame(frame.retained())) }
  }

  /// The first frame since it was added to a tap.
  func frame(within deadline: Duration) async -> Frame? { await promise.value(within: deadline) }

  /// The next frame from the tap; nil when the deadline passes first.
  static func next(from tap: FrameTap, within deadline: Duration) async -> Frame? {
    let waiter = FrameWaiter()
    tap.add(waiter)
    defer { tap.remove(waiter) }
    return await waiter.frame(within: deadline)
  }
}

/// Waits for the first frame that was captured from a moment on.
final class MomentWaiter: FrameConsumer {
  private let moment: Mutex<UInt64?>
  private let promise = Promise<Frame>()

  /// The moment, in running time; nil where it is still to come.
  init(since moment: UInt64? = nil) { self.moment = Mutex(moment) }

  /// The moment is now. The clock is read under the lock: a frame that was let pass before came earlier.
  func begin(_ clock: SystemClock) { moment.withLock { $0 = clock.runningTime } }

  func consume(_ frame: borrowing Sample) {
    let runningTime = frame.runningTime
    let isMeant = moment.withLock { moment in moment.map { runningTime >= $0 } ?? false }
    if isMeant, frame.isDecodable, promise.current == nil { promise.fulfil(Frame(frame.retained())) }
  }

  /// The frame; nil when the deadline passes first.
  func frame(within deadline: Duration) async -> Frame? { await promise.value(within: deadline) }
}
