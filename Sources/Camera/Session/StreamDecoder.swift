import GStreamer
import Synchronization

/// Decodes a stream of frames that depend on each other, from what its first frame depends on. Pictures before that
/// first frame are not shown.
final class StreamDecoder: Sendable {
  /// What is to be told.
  enum Occurrence: Sendable {
    /// So many frames were left out, since the decoder is too slow.
    case dropped(Int)
    case failed(GStreamerError)
  }

  private struct State: ~Copyable {
    var isPrimed = false
    /// Whether frames were left out, so that the next key frame is waited for.
    var hasGap = false
    /// Frames that may wait besides those from before the first one.
    var backlog = 0
    var hasFailed = false
    var newest: Sample?
  }

  /// Frames that may wait: a second of a fluent camera.
  private static let longestQueue = 30

  private let state = Mutex(State())
  private let pipeline: Pipeline
  private let input: AppSource
  private let occur: @Sendable (Occurrence) -> Void

  /// Starts with a frame, which is still to be pushed. `occur` and `show` are called on threads of the decoder. Blocks for
  /// some milliseconds.
  init(
    _ first: borrowing Sample, camera: String, clock: SystemClock, occur: @escaping @Sendable (Occurrence) -> Void,
    show: @escaping @Sendable (borrowing Sample) -> Void
  ) throws {
    guard let caps = first.caps, let format = SourceFormat(caps) else {
      throw GStreamerError("its frames have no size")
    }
    self.occur = occur
    // live, so that the decoder holds back no frame for its threads
    pipeline = try Pipeline(
      launch: "appsrc name=input format=time is-live=true max-bytes=0 max-buffers=0 max-time=0 ! "
        + "\(try Decoding.elements(for: format, camera: camera))"
        + "appsink name=output sync=false enable-last-sample=false", clock: clock)
    input = try AppSource(pipeline, "input")
    input.setCaps(caps)
    let start = first.runningTime
    try AppSink(pipeline, "output").onSample { [weak self] picture in
      guard picture.runningTime >= start else { return }
      self?.state.withLock { $0.newest = picture.retained() }
      show(picture)
    }
    let messages = pipeline.messages
    try pipeline.play()
    Task { [weak self] in
      for await case .error(let error) in messages {
        self?.state.withLock { $0.hasFailed = true }
        occur(.failed(error))
      }
    }
  }

  /// Whether it decodes no more.
  var hasFailed: Bool { state.withLock { $0.hasFailed } }

  /// The last picture.
  var newest: Frame? {
    state.withLock { state in
      guard let sample = state.newest.take() else { return nil }
      let frame = Frame(sample.retained())
      state.newest = consume sample
      return frame
    }
  }

  /// Takes the next frame. On the streaming thread.
  func push(_ frame: borrowing Sample) {
    let isTaken = state.withLock { state in
      if !state.isPrimed, let predecessor = frame.predecessor {
        let history = predecessor.history
        for earlier in history { input.push(earlier.sample) }
        state.backlog = history.count
      }
      state.isPrimed = true
      if state.hasGap, frame.isDelta { return false }
      state.hasGap = input.queuedBuffers >= Self.longestQueue + state.backlog
      if !state.hasGap { input.push(frame) }
      return !state.hasGap
    }
    if !isTaken { occur(.dropped(1)) }
  }

  /// Ends it. Blocks until it is closed.
  func close() { pipeline.stop() }
}
