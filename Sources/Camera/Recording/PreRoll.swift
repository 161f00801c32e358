import CameraProtocol
import GStreamer
import Synchronization

/// The last seconds, encoded: what a recording begins with that is asked for when the thing to see has happened already.
/// One encoder serves what is kept and the recording that follows, so the one costs little more than the other.
final class PreRoll: FrameConsumer {
  private struct State {
    /// From a key frame on.
    var frames: [Frame] = []
    var sounds: [Frame] = []
    var bytes = 0
    var dropped = 0
    var caps = FollowedCaps()
    var thinner: FrameThinner
    /// The recording that takes everything now.
    var feed: RecordingFeed?
  }

  /// Nanoseconds that are kept at most, whatever is asked for.
  static let longest: UInt64 = 60_000_000_000
  /// Bytes of pictures that are kept at most; then fewer seconds are.
  static let largest = 96 << 20
  /// Seconds between two key frames, with one of which a recording begins.
  static let keyInterval = 1.0
  /// Nanoseconds of pictures that may wait for the encoder.
  private static let longestQueue: UInt64 = 3_000_000_000

  /// What was asked for.
  let setting: PreRollSetting
  /// What is recorded.
  let plan: MoviePlan
  /// What the encoder delivers.
  let format: SourceFormat
  private let duration: UInt64
  private let interval: UInt64
  /// Why it ended by itself.
  let failure = Promise<GStreamerError>()
  private let pipeline: Pipeline
  private let input: AppSource
  private let microphone: MicrophoneSwitch
  private let state: Mutex<State>

  /// Starts to encode what it is given, or with `encoder` nil to keep it as it comes. Blocks for some milliseconds.
  init(
    _ setting: PreRollSetting, plan: MoviePlan, source: SourceFormat, encoder: VideoEncoder?,
    microphone: MicrophoneSwitch, camera: String, clock: SystemClock
  ) throws(CameraError) {
    self.setting = setting
    self.plan = plan
    format = SourceFormat(
      width: plan.width, height: plan.height, frameRate: plan.frameRate, mediaType: SourceFormat.h264)
    duration = min(setting.duration, Self.longest)
    interval = source.frameRate.numerator > 0 ? UInt64(1e9 / source.frameRate.value) : 33_333_333
    state = Mutex(State(thinner: FrameThinner(rate: plan.frameRate, sourceRate: source.frameRate)))
    self.microphone = microphone
    let launch = try plan.videoBranch(source, camera: camera, encoder, keySeconds: Self.keyInterval)
    do {
      pipeline = try Pipeline(
        launch: "\(launch) ! appsink name=encoded sync=false enable-last-sample=false", clock: clock)
      input = try AppSource(pipeline, "video")
      try AppSink(pipeline, "encoded").onSample { [weak self] in self?.keep($0) }
      try pipeline.play()
    } catch {
      throw CameraError(capture: error, camera: camera, what: "the pre-roll")
    }
    let (messages, failure) = (pipeline.messages, failure)
    Task {
      for await case .error(let error) in messages { failure.fulfil(error) }
    }
  }

  func consume(_ frame: borrowing Sample) {
    state.withLock { state in
      guard state.thinner.takes(frame.runningTime, interval: interval) else { return }
      guard input.queuedTime < Self.longestQueue else {
        state.dropped += 1
        state.feed?.miss(1)
        return
      }
      state.caps.follow(frame, into: input)
      input.push(frame)
    }
  }

  func miss(_ count: Int) { state.withLock { $0.feed }?.miss(count) }

  /// Takes a buffer of the microphone. On its streaming thread.
  func consume(sound: borrowing Sample) {
    state.withLock { state in
      if let feed = state.feed { return feed.consume(sound: sound) }
      let oldest = sound.runningTime > duration ? sound.runningTime - duration : 0
      state.sounds.removeFirst(while: { $0.sample.runningTime < oldest })
      if !microphone.isMuted { state.sounds.append(Frame(sound.retained())) }
    }
  }

  /// On the encoder's thread.
  private func keep(_ frame: borrowing Sample) {
    state.withLock { state in
      if let feed = state.feed { return feed.consume(frame) }
      guard !frame.isDelta || !state.frames.isEmpty else { return }
      state.frames.append(Frame(frame.retained()))
      state.bytes += frame.byteCount
      let oldest = frame.runningTime > duration ? frame.runningTime - duration : 0
      trim(&state) { $0 < oldest }
      while state.bytes > Self.largest, trim(&state, where: { _ in true }) {}
    }
  }

  /// Lets go of the first key frame and of what depends on it, if it is to go and there is a later one.
  @discardableResult
  private func trim(_ state: inout State, where isOld: (UInt64) -> Bool) -> Bool {
    guard let first = state.frames.first, isOld(first.sample.runningTime),
      let next = state.frames.indices.dropFirst().first(where: { !state.frames[$0].sample.isDelta })
    else { return false }
    for frame in state.frames[..<next] { state.bytes -= frame.sample.byteCount }
    state.frames.removeFirst(next)
    return true
  }

  /// Gives all that is kept to a recording, and from now on everything that comes.
  func begin(_ feed: RecordingFeed) {
    state.withLock { state in
      // the first picture says where the sound begins, and the sound must not lag behind the others
      if let first = state.frames.first { feed.prime(first.sample) }
      for sound in state.sounds { feed.consume(sound: sound.sample) }
      for frame in state.frames.dropFirst() { feed.prime(frame.sample) }
      (state.frames, state.sounds, state.bytes, state.feed) = ([], [], 0, feed)
    }
  }

  /// Another segment of the recording takes what comes.
  func replace(_ feed: RecordingFeed, with next: RecordingFeed) {
    state.withLock { state in
      if state.feed === feed { state.feed = next }
    }
  }

  /// The recording takes nothing more; what comes is kept again.
  func end() { state.withLock { $0.feed = nil } }

  /// What is kept now: nanoseconds and bytes.
  var extent: (duration: UInt64, bytes: Int) {
    state.withLock { state in
      guard let first = state.frames.first, let last = state.frames.last else { return (0, 0) }
      let sounds = state.sounds.reduce(0) { $0 + $1.sample.byteCount }
      return (last.sample.runningTime - first.sample.runningTime, state.bytes + sounds)
    }
  }

  /// Ends it. Blocks for some milliseconds.
  func close() {
    pipeline.stop()
    state.withLock { ($0.frames, $0.sounds, $0.bytes, $0.feed) = ([], [], 0, nil) }
  }
}

extension [Frame] {
  /// Removes from the beginning as long as the condition holds.
  fileprivate mutating func removeFirst(while condition: (Frame) -> Bool) {
    removeFirst(firstIndex { !condition($0) } ?? count)
  }
}
