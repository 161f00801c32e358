import CameraProtocol
import GStreamer
import Synchronization

/// Collects frames that follow each other, for those who encode them. What waits is bounded; frames that find no room
/// are counted.
final class BurstCollector: FrameConsumer {
  /// A frame and its place in the burst, from 0.
  struct Item: Sendable {
    var index: Int
    var frame: Frame
  }

  private struct State {
    var taken = 0
    var skipped = 0
    var waiting: [Item] = []
    var bytes = 0
    var encoders: [CheckedContinuation<Item?, Never>] = []
    var last: UInt64?
    var caps: Caps?
    var format: SourceFormat?
    var isOver = false
    var error: CameraError?
  }

  /// Frames that may wait.
  static let longestQueue = 30
  /// Bytes of frames that may wait, unless there is one only.
  static let largestQueue = 128 << 20

  /// Comes when no more frames are collected.
  let collected = Promise<Void>()
  private let state = Mutex(State())
  private let count: Int
  private let start: UInt64
  private let camera: String

  /// Collects so many frames, the first ones that were captured at a running time or later.
  init(_ count: Int, since start: UInt64, camera: String) {
    self.count = count
    self.start = start
    self.camera = camera
  }

  func consume(_ frame: borrowing Sample) {
    guard frame.runningTime >= start, frame.isDecodable, admits(frame) else { return }
    // a driver's buffers are few, and encoding takes longer than the next frame
    guard let kept = keep(frame) else { return state.withLock { $0.skipped += 1 } }
    let (encoder, item, isLast) = state.withLock { state -> (CheckedContinuation<Item?, Never>?, Item?, Bool) in
      guard !state.isOver else { return (nil, nil, false) }
      let item = Item(index: state.taken, frame: kept)
      state.taken += 1
      let isLast = state.taken == count
      state.isOver = isLast
      if !state.encoders.isEmpty { return (state.encoders.removeFirst(), item, isLast) }
      state.waiting.append(item)
      state.bytes += item.frame.sample.byteCount
      return (nil, nil, isLast)
    }
    encoder?.resume(returning: item)
    if isLast { release() }
  }

  /// nil where there is no memory for it.
  private func keep(_ frame: borrowing Sample) -> Frame? {
    guard frame.isScarce else { return Frame(frame.retained()) }
    guard let copy = frame.copied(after: frame.predecessor) else { return nil }
    return Frame(copy)
  }

  func miss(_ count: Int) {
    state.withLock { state in
      if state.taken > 0, !state.isOver { state.skipped += count }
    }
  }

  /// Whether a frame is one of the burst and finds room.
  private func admits(_ frame: borrowing Sample) -> Bool {
    let (admits, changed) = state.withLock { state -> (Bool, Bool) in
      guard !state.isOver, state.last.map({ frame.runningTime > $0 }) ?? true else { return (false, false) }
      if state.caps.map({ !frame.hasCaps($0) }) ?? true, let caps = frame.caps {
        let format = SourceFormat(caps)
        if let before = state.format, before != format { return (false, true) }
        (state.caps, state.format) = (caps, format)
      }
      state.last = frame.runningTime
      let isFull =
        state.waiting.count >= Self.longestQueue
        || state.waiting.count > 1 && state.bytes + frame.byteCount > Self.largestQueue
      if isFull { state.skipped += 1 }
      return (!isFull, false)
    }
    if changed {
      end(CameraError(.captureFailed, "camera '\(camera)' was set up anew during the burst", camera: camera))
    }
    return admits
  }

  /// The next frame, when there is one; nil where none is left.
  func next() async -> Item? {
    await withCheckedContinuation { continuation in
      let item = state.withLock { state -> Item?? in
        if !state.waiting.isEmpty {
          let item = state.waiting.removeFirst()
          state.bytes -= item.frame.sample.byteCount
          return item
        }
        if state.isOver { return .some(nil) }
        state.encoders.append(continuation)
        return nil
      }
      if let item { continuation.resume(returning: item) }
    }
  }

  /// Ends the burst, with a reason where it is not complete; what waits is dropped. The first reason counts.
  func end(_ error: CameraError) {
    state.withLock { state in
      if state.error == nil { state.error = error }
      (state.isOver, state.waiting, state.bytes) = (true, [], 0)
    }
    release()
  }

  /// Frames that were taken and that were left out, and why there are no more, where there should be.
  var outcome: (taken: Int, skipped: Int, error: CameraError?) {
    state.withLock { ($0.taken, $0.skipped, $0.error) }
  }

  private func release() {
    let encoders = state.withLock { state in
      defer { state.encoders = [] }
      return state.encoders
    }
    for encoder in encoders { encoder.resume(returning: nil) }
    collected.fulfil(())
  }
}

/// What frames of a burst became, told in the order of their capture.
actor BurstResults<Result: Sendable> {
  private var ready: [Int: Result] = [:]
  private var told: [Result] = []
  private var next = 0
  private let tell: @Sendable (Result, _ skipped: Int) -> Void

  init(_ tell: @escaping @Sendable (Result, _ skipped: Int) -> Void) { self.tell = tell }

  /// Takes what a frame became.
  func add(_ result: Result, at index: Int, skipped: Int) {
    ready[index] = result
    while let result = ready.removeValue(forKey: next) {
      pass(result, skipped)
      next += 1
    }
  }

  /// All of them, those behind a frame that failed included.
  func complete(skipped: Int) -> [Result] {
    for (_, result) in ready.sorted(by: { $0.key < $1.key }) { pass(result, skipped) }
    ready = [:]
    return told
  }

  private func pass(_ result: Result, _ skipped: Int) {
    told.append(result)
    tell(result, skipped)
  }
}
