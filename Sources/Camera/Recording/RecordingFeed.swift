import CameraProtocol
import GStreamer
import Synchronization

/// Feeds a recording from the streaming threads: counts, limits, and keeps sound and picture on one time line.
final class RecordingFeed: FrameConsumer {
  /// How long pictures may wait for the encoder before they are dropped, and counted.
  static let longestQueue: UInt64 = 3_000_000_000

  /// Frames nearer to each other would fall on one tick of the movie's clock.
  static let leastDistance: UInt64 = 1_000_000

  /// A longer time without a frame ends the recording before it: the source or the daemon stood still, and the movie
  /// would show one picture for that long.
  static let longestGap: UInt64 = 10_000_000_000

  /// What ends or begins a recording from within.
  enum Signal: Sendable {
    /// The first frame is in, captured at this running time.
    case began(UInt64)
    /// The maximum duration is reached.
    case durationReached
    /// After so many nanoseconds without a frame, one has come.
    case gap(UInt64)
    /// The next segment has begun with the frame that came.
    case handedOver
    /// The encoder can't keep up: one of so many pictures is recorded from now on.
    case slowed(Int)
  }

  private struct State {
    var timeline = MovieTimeline()
    var pace = EncoderPace()
    /// Whether the next frame ends the pause.
    var isResuming = false
    var closed = false
    /// Takes the frames when this segment is full.
    var successor: RecordingFeed?
    var hasHandedOver = false
    /// Whether this segment ends as soon as there is a successor.
    var isFull = false
    /// The segment before, as long as sound may come for it.
    var predecessor: RecordingFeed?
    var frames = 0
    var dropped = 0
    /// Running time at which the last frame ends.
    var end: UInt64 = 0
    var lastFrame: UInt64 = 0
    /// The longest time between two frames.
    var longestStill: UInt64 = 0
    /// Running time after which no frame is taken.
    var last: UInt64?
    /// Whether a frame was left out that later ones depend on.
    var hasGap = false
    var thinner: FrameThinner
    /// The frame that it begins with, until somebody takes it.
    var opening: Frame?
    /// Who waits for the frame of a running time.
    var awaited: (time: UInt64, promise: Promise<Void>)?
    /// Whether what comes was kept before, and may wait for as long as it takes.
    var isPriming = false
    var caps = FollowedCaps()
    /// nil for a movie without sound.
    var sound: RecordingSound?

    /// Nanoseconds into the movie at which the picture so far ends.
    var length: UInt64 { timeline.position(of: end) }
  }

  private let state: Mutex<State>
  private let video: AppSource?
  private let frameRate: Fraction
  private let sourceRate: Fraction
  private let maxDuration: UInt64?
  private let passes: Bool
  /// Whether the first frame is kept for `takeOpening`.
  let keepsOpening: Bool
  private let segmentDuration: UInt64?
  private let signal: @Sendable (Signal) -> Void
  private let soundComplete = Promise<Void>()

  /// `video` is nil for sound alone. `maxDuration` and `segmentDuration`, after which the successor takes over, in
  /// nanoseconds. `passes`: frames that depend on earlier ones are taken as they come, the first one with those that it
  /// depends on. `keepsOpening`: the first frame is kept for `takeOpening`. `signal` is called on a streaming thread.
  init(
    video: AppSource?, audio: AppSource?, frameRate: Fraction, sourceRate: Fraction, maxDuration: UInt64?,
    segmentDuration: UInt64? = nil, passes: Bool = false, keepsOpening: Bool = false,
    microphone: MicrophoneSwitch = MicrophoneSwitch(),
    signal: @escaping @Sendable (Signal) -> Void
  ) {
    state = Mutex(
      State(
        thinner: FrameThinner(rate: frameRate, sourceRate: sourceRate),
        sound: audio.map { RecordingSound(output: $0, microphone: microphone) }))
    self.video = video
    self.frameRate = frameRate
    self.sourceRate = sourceRate
    self.maxDuration = maxDuration
    self.passes = passes
    self.keepsOpening = keepsOpening
    self.segmentDuration = segmentDuration
    self.signal = signal
  }

  func consume(_ frame: borrowing Sample) {
    guard let video, !passes || startsOrGoesOn(frame, video) else { return }
    take(frame, video)
  }

  /// Whether a frame can be decoded with what was taken before it. Takes what the first one depends on.
  private func startsOrGoesOn(_ frame: borrowing Sample, _ video: AppSource) -> Bool {
    let (isFirst, isMissed) = state.withLock { state in
      let isMissed = state.hasGap && frame.isDelta && !state.hasHandedOver
      if isMissed, !state.timeline.isPaused, !state.closed { state.dropped += 1 }
      return (state.timeline.origin == nil, isMissed)
    }
    guard isFirst else { return !isMissed }
    for earlier in frame.predecessor?.history ?? [] { take(earlier.sample, video) }
    return frame.isDecodable
  }

  private func take(_ frame: borrowing Sample, _ video: AppSource) {
    let time = frame.runningTime
    let interval = sourceInterval
    var reached: Promise<Void>?
    defer { reached?.fulfil(()) }
    let (signals, next) = state.withLock { state -> (Signal?, RecordingFeed?) in
      if state.hasHandedOver { return (nil, state.successor) }
      guard !state.closed else { return (nil, nil) }
      var result: Signal?
      if state.timeline.isPaused {
        guard state.isResuming else { return (nil, nil) }
        resume(at: time, interval, &state)
      }
      if state.timeline.origin == nil {
        begin(time, &state)
        if keepsOpening { state.opening = Self.kept(frame) }
        result = .began(time)
      } else if time < state.lastFrame + Self.leastDistance {
        // a source whose time went backwards, or that delivers two frames for one moment
        state.dropped += 1
        return (nil, nil)
      }
      if let awaited = state.awaited, time + interval / 2 >= awaited.time {
        state.awaited = nil
        reached = awaited.promise
      }
      if let last = state.last, time > last { return (nil, nil) }
      let origin = state.timeline.origin ?? time
      if time > state.lastFrame + Self.longestGap, time != origin {
        state.closed = true
        return (.gap(time - state.lastFrame), nil)
      }
      let duration = frame.duration.flatMap { $0 > 0 ? $0 : nil } ?? interval
      let position = state.timeline.position(of: time)
      if let maxDuration, position + interval / 2 >= maxDuration {
        state.closed = true
        return (.durationReached, nil)
      }
      if let successor = state.successor, !passes || !frame.isDelta,
        state.isFull || segmentDuration.map({ position + interval / 2 >= $0 }) ?? false
      {
        (state.closed, state.hasHandedOver) = (true, true)
        let length = state.length
        state.sound?.end(at: length)
        successor.follow(self)
        return (.handedOver, successor)
      }
      guard state.thinner.takes(time, interval: interval) else { return (nil, nil) }
      if result == nil { state.longestStill = max(state.longestStill, time - state.lastFrame) }
      state.lastFrame = time
      let waiting = video.queuedTime
      // what depends on what came before can't be left out
      let (takes, slowed) = passes ? (true, false) : state.pace.take(time, waiting: waiting, interval: interval)
      if slowed, result == nil { result = .slowed(state.pace.divisor) }
      state.hasGap = waiting >= Self.longestQueue && !state.isPriming
      guard takes, !state.hasGap else {
        state.dropped += 1
        return (result, nil)
      }
      state.caps.follow(frame, into: video, frameRate: frameRate == sourceRate ? nil : frameRate)
      if state.timeline.paused == 0 {
        video.push(frame)
      } else {
        video.push(frame, runningTime: time - state.timeline.paused)
      }
      state.frames += 1
      state.end = time + (frameRate == sourceRate ? duration : UInt64(1e9 / frameRate.value))
      state.sound?.pictureReached(position, origin: origin)
      return (result, nil)
    }
    next?.consume(frame)
    if let signals { signal(signals) }
  }

  /// Takes a frame that was kept, however many wait already.
  func prime(_ frame: borrowing Sample) {
    state.withLock { $0.isPriming = true }
    consume(frame)
    state.withLock { $0.isPriming = false }
  }

  private func begin(_ time: UInt64, _ state: inout State) {
    state.timeline.begin(at: time)
    state.thinner.begin(at: time)
    video?.setOrigin(time)
    state.sound?.begin(at: time)
    if let maxDuration { state.sound?.end(at: maxDuration) }
  }

  /// What a driver has few of is copied: nobody knows how soon the frame is looked at.
  private static func kept(_ frame: borrowing Sample) -> Frame {
    if frame.isScarce, let copy = frame.copied(after: nil) { return Frame(copy) }
    return Frame(frame.retained())
  }

  /// The frame that the movie begins with, once; nil where it is one that depends on others.
  func takeOpening() -> Frame? {
    state.withLock { state in
      defer { state.opening = nil }
      return state.opening
    }
  }

  func miss(_ count: Int) {
    state.withLock { state in
      if state.timeline.origin != nil, !state.closed { state.dropped += count }
    }
  }

  // MARK: Pauses

  /// Takes nothing until `resume`; the movie's time stands still.
  func pause() {
    state.withLock { state in
      state.isResuming = false
      state.hasGap = true
      if state.timeline.origin != nil { state.timeline.pause(at: state.end) }
    }
  }

  /// Goes on with the next frame, which follows the last one without a gap.
  func resume() { state.withLock { $0.isResuming = true } }

  /// Whether it takes nothing now.
  var isPaused: Bool { state.withLock { $0.timeline.isPaused && !$0.isResuming } }

  private func resume(at time: UInt64, _ interval: UInt64, _ state: inout State) {
    state.isResuming = false
    state.timeline.resume(at: max(time, state.end))
    state.thinner.begin(at: time)
    // the pause is no silence of the camera
    state.lastFrame = time > interval ? time - interval : 0
    state.sound?.resume(at: state.timeline.position(of: max(time, state.end)))
  }

  // MARK: Segments

  /// The feed that takes over, with no frame between, when this segment is full.
  func prepare(_ successor: RecordingFeed) { state.withLock { $0.successor = successor } }

  /// The segment is full whatever its duration.
  func fill() { state.withLock { $0.isFull = true } }

  /// Takes the successor back, so that this segment is the last; false where it has begun.
  func withdraw() -> Bool {
    state.withLock { state in
      guard !state.hasHandedOver else { return false }
      state.successor = nil
      return true
    }
  }

  /// Whether the successor has begun.
  var hasHandedOver: Bool { state.withLock { $0.hasHandedOver } }

  /// Passes on the sound of the end of another segment.
  private func follow(_ predecessor: RecordingFeed) { state.withLock { $0.predecessor = predecessor } }

  // MARK: Sound

  /// Takes a buffer of the microphone. On its streaming thread.
  func consume(sound: borrowing Sample) {
    let (before, after) = state.withLock { ($0.predecessor, $0.hasHandedOver ? $0.successor : nil) }
    if let before, !before.take(sound) { state.withLock { $0.predecessor = nil } }
    take(sound)
    after?.take(sound)
  }

  /// False where no more sound is wanted.
  @discardableResult
  private func take(_ sound: borrowing Sample) -> Bool {
    let (complete, signals) = state.withLock { state -> (Bool, [Signal]) in
      guard state.sound?.isComplete == false else { return (true, []) }
      var signals: [Signal] = []
      if video == nil, !keepTime(of: sound, &state, &signals) { return (false, []) }
      guard state.timeline.origin != nil, sound.runningTime <= state.lastFrame + Self.longestGap else {
        return (false, [])
      }
      state.sound?.take(sound, state.timeline)
      let isComplete = state.sound?.isComplete ?? true
      if video == nil, isComplete { signals.append(.durationReached) }
      return (isComplete, signals)
    }
    if complete { soundComplete.fulfil(()) }
    for one in signals { signal(one) }
    return !complete
  }

  /// Does for sound alone what frames do elsewhere: begins, ends a pause, moves the end on. False where the sound is not
  /// wanted.
  private func keepTime(of sound: borrowing Sample, _ state: inout State, _ signals: inout [Signal]) -> Bool {
    let time = sound.runningTime
    let duration = SoundFormat.nanoseconds(in: sound.byteCount / SoundFormat.frameBytes)
    guard !state.closed else { return false }
    if state.timeline.isPaused {
      guard state.isResuming else { return false }
      resume(at: time, duration, &state)
    }
    if state.timeline.origin == nil {
      begin(time, &state)
      signals.append(.began(time))
    }
    state.lastFrame = time
    state.end = max(state.end, time + duration)
    return true
  }

  // MARK: End

  /// Comes when the frame of a running time has come, or one after it.
  func reached(_ time: UInt64) -> Promise<Void> {
    state.withLock { state in
      let promise = Promise<Void>()
      if state.closed || state.timeline.isPaused || state.lastFrame + sourceInterval / 2 >= time {
        promise.fulfil(())
      } else {
        state.awaited = (time, promise)
      }
      return promise
    }
  }

  /// Takes no frame that was captured after a running time, and no sound beyond it. For a source whose pictures come
  /// later than their sound.
  func end(after time: UInt64) {
    state.withLock { state in
      guard let origin = state.timeline.origin, time > origin, !state.timeline.isPaused else { return }
      state.last = time
      state.sound?.end(at: state.timeline.position(of: time + sourceInterval))
    }
  }

  /// Takes no more frames; waits for the sound up to the end of the picture, fills up what doesn't come in time, and
  /// ends both streams.
  func close() async {
    let waits = state.withLock { state -> Bool in
      state.closed = true
      guard state.timeline.origin != nil else { return false }
      let length = state.length
      state.sound?.end(at: length)
      return state.sound?.isComplete == false
    }
    if waits { _ = await soundComplete.value(within: .milliseconds(500)) }
    state.withLock { state in
      video?.endOfStream()
      state.sound?.close(origin: state.timeline.origin)
      state.successor = nil
    }
  }

  /// Takes nothing more, at once.
  func cut() { state.withLock { $0.closed = true } }

  /// What is in so far. Durations in nanoseconds.
  var progress: (frames: Int, dropped: Int, duration: UInt64) {
    state.withLock { state in
      (state.frames, state.dropped, state.timeline.origin == nil ? 0 : state.length)
    }
  }

  /// Running time of the first frame; nil before it.
  var origin: UInt64? { state.withLock { $0.timeline.origin } }

  /// The longest time without a new frame so far, in nanoseconds.
  var longestStill: UInt64 { state.withLock { $0.longestStill } }

  private var sourceInterval: UInt64 {
    sourceRate.numerator > 0 ? UInt64(1e9 / sourceRate.value) : 33_333_333
  }
}
