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
  }

  private struct State {
    var origin: UInt64?
    var closed = false
    var frames = 0
    var dropped = 0
    /// Running time at which the last frame ends.
    var end: UInt64 = 0
    var lastFrame: UInt64 = 0
    /// The longest time between two frames.
    var longestStill: UInt64 = 0
    /// Running time at which the next frame is due, where the movie has fewer frames than the source.
    var due: UInt64 = 0
    var caps: Caps?
    var sound = SoundTrack()
  }

  private let state = Mutex(State())
  private let video: AppSource
  private let audio: AppSource?
  private let frameRate: Fraction
  private let sourceRate: Fraction
  private let maxDuration: UInt64?
  private let signal: @Sendable (Signal) -> Void
  private let soundComplete = Promise<Void>()

  /// `maxDuration` in nanoseconds. `signal` is called on a streaming thread.
  init(
    video: AppSource, audio: AppSource?, frameRate: Fraction, sourceRate: Fraction, maxDuration: UInt64?,
    signal: @escaping @Sendable (Signal) -> Void
  ) {
    self.video = video
    self.audio = audio
    self.frameRate = frameRate
    self.sourceRate = sourceRate
    self.maxDuration = maxDuration
    self.signal = signal
  }

  func consume(_ frame: borrowing Sample) {
    let time = frame.runningTime
    let interval = sourceInterval
    let signals = state.withLock { state -> Signal? in
      guard !state.closed else { return nil }
      var result: Signal?
      if state.origin == nil {
        state.origin = time
        state.due = time
        video.setOrigin(time)
        audio?.setOrigin(time)
        result = .began(time)
      } else if time < state.lastFrame + Self.leastDistance {
        // a source whose time went backwards, or that delivers two frames for one moment
        state.dropped += 1
        return nil
      }
      let origin = state.origin ?? time
      if time > state.lastFrame + Self.longestGap, time != origin {
        state.closed = true
        return .gap(time - state.lastFrame)
      }
      let duration = frame.duration.flatMap { $0 > 0 ? $0 : nil } ?? interval
      if let maxDuration, time - origin + interval / 2 >= maxDuration {
        state.closed = true
        return .durationReached
      }
      guard isDue(time, interval, &state) else { return nil }
      if result == nil { state.longestStill = max(state.longestStill, time - state.lastFrame) }
      state.lastFrame = time
      guard video.queuedTime < Self.longestQueue else {
        state.dropped += 1
        return nil
      }
      if state.caps.map({ !frame.hasCaps($0) }) ?? true, let caps = frame.caps {
        if state.caps.map({ !$0.isEqual(caps) }) ?? true { video.setCaps(caps) }
        state.caps = caps
      }
      video.push(frame)
      state.frames += 1
      state.end = time + (frameRate == sourceRate ? duration : UInt64(1e9 / frameRate.value))
      if let audio {
        let position = SoundFormat.samples(in: Int64(time - origin))
        push(state.sound.pictureReached(position), after: state.sound, origin, to: audio)
      }
      return result
    }
    if let signals { signal(signals) }
  }

  /// Takes a buffer of the microphone. On its streaming thread.
  func consume(sound: borrowing Sample) {
    guard let audio else { return }
    let complete = state.withLock { state -> Bool in
      guard let origin = state.origin, !state.sound.isComplete,
        sound.runningTime <= state.lastFrame + Self.longestGap
      else { return false }
      let count = sound.byteCount / SoundFormat.frameBytes
      let position = SoundFormat.samples(in: Int64(sound.runningTime) - Int64(origin))
      var length = state.sound.length
      for piece in state.sound.place(count, at: position) {
        let time = origin + SoundFormat.nanoseconds(in: length)
        switch piece {
        case .silence(let count):
          audio.pushZeros(
            count * SoundFormat.frameBytes, runningTime: time, duration: SoundFormat.nanoseconds(in: count))
          length += count
        case .sound(let range):
          let bytes = range.lowerBound * SoundFormat.frameBytes..<range.upperBound * SoundFormat.frameBytes
          audio.push(
            sound, bytes: bytes, runningTime: time, duration: SoundFormat.nanoseconds(in: range.count))
          length += range.count
        }
      }
      return state.sound.isComplete
    }
    if complete { soundComplete.fulfil(()) }
  }

  /// Takes no more frames; waits for the sound up to the end of the picture, fills up what doesn't come in time, and
  /// ends both streams.
  func close() async {
    let waits = state.withLock { state -> Bool in
      state.closed = true
      guard let origin = state.origin else { return false }
      state.sound.end = SoundFormat.samples(in: Int64(state.end - origin))
      return audio != nil && !state.sound.isComplete
    }
    if waits { _ = await soundComplete.value(within: .milliseconds(500)) }
    state.withLock { state in
      if let origin = state.origin, let audio, let end = state.sound.end {
        push(state.sound.fill(to: end), after: state.sound, origin, to: audio)
      }
      video.endOfStream()
      audio?.endOfStream()
    }
  }

  /// Takes nothing more, at once.
  func cut() { state.withLock { $0.closed = true } }

  /// What is in so far. Durations in nanoseconds.
  var progress: (frames: Int, dropped: Int, duration: UInt64) {
    state.withLock { ($0.frames, $0.dropped, $0.origin.map { [end = $0.end] origin in end - origin } ?? 0) }
  }

  /// The longest time without a new frame so far, in nanoseconds.
  var longestStill: UInt64 { state.withLock { $0.longestStill } }

  private var sourceInterval: UInt64 {
    sourceRate.numerator > 0 ? UInt64(1e9 / sourceRate.value) : 33_333_333
  }

  /// Whether the movie takes a frame of this time; moves on the time at which the next one is due.
  private func isDue(_ time: UInt64, _ interval: UInt64, _ state: inout State) -> Bool {
    guard frameRate.value < sourceRate.value else { return true }
    guard time + interval / 2 >= state.due else { return false }
    let step = UInt64(1e9 / frameRate.value)
    state.due = max(state.due + step, time >= step ? time - step + step : time)
    return true
  }

  private func push(_ pieces: [SoundTrack.Piece], after track: SoundTrack, _ origin: UInt64, to audio: AppSource) {
    for case .silence(let count) in pieces {
      audio.pushZeros(
        count * SoundFormat.frameBytes,
        runningTime: origin + SoundFormat.nanoseconds(in: track.length - count),
        duration: SoundFormat.nanoseconds(in: count))
    }
  }
}
