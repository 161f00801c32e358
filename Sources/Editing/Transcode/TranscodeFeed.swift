import GStreamer
import Synchronization

/// Takes what a movie's reader delivers to the writer of the smaller one, and notes where picture and sound begin. Calls
/// come from the reader's threads and may wait for the encoder.
final class TranscodeFeed: Sendable {
  private struct State {
    /// Nanoseconds of the reader's time at which the pictures begin.
    var pictureStart: Int64?
    /// Of the sound; below 0 where samples come before the part that is played.
    var soundStart: Int64?
    /// When the next picture is due, where some are left out.
    var due: Int64 = 0
    /// When the next packet of sound should come.
    var nextPacket: Int64 = 0
    var caps: Caps?
    var hasSoundCaps = false
    /// Nanoseconds of the newest picture.
    var position: Int64 = 0
    var isPictureOver = false
    var isSoundOver = false
  }

  private let plan: TranscodePlan
  private let video: AppSource
  private let audio: AppSource?
  /// Nanoseconds after which the movie ends.
  private let limit: Int64?
  private let state = Mutex(State())
  private let counter = Atomic<Int>(0)

  init(_ plan: TranscodePlan, video: AppSource, audio: AppSource?, limit: Int64?) {
    self.plan = plan
    self.video = video
    self.audio = audio
    self.limit = limit
  }

  /// Grows with everything that has gone through.
  var activity: Int { counter.load(ordering: .relaxed) }

  /// Nanoseconds of the newest picture.
  var position: Int64 { state.withLock { $0.position } }

  /// Seconds from the first picture to the first sound that is heard; nil where there is none of either.
  var soundOffset: Double? {
    state.withLock { state in
      state.pictureStart.flatMap { picture in state.soundStart.map { Double(max(0, $0) - picture) / 1e9 } }
    }
  }

  /// Nanoseconds of sound before what is heard.
  var soundLead: Int64 { state.withLock { max(0, -($0.soundStart ?? 0)) } }

  /// Takes a picture. False where the movie's end has been reached.
  func take(picture sample: borrowing Sample) -> Bool {
    let time = sample.signedRunningTime
    counter.add(1, ordering: .relaxed)
    let (isOver, place) = state.withLock { state -> (Bool, Int64?) in
      let start = state.pictureStart ?? time
      state.pictureStart = start
      let local = time - start
      state.position = max(state.position, local)
      if let limit, local >= limit { state.isPictureOver = true }
      guard !state.isPictureOver, local >= 0 else { return (state.isPictureOver, nil) }
      if plan.isThinned {
        let step = Int64(1e9 / plan.frameRate)
        guard local >= state.due - step / 4 else { return (false, nil) }
        state.due = local > state.due + step ? local + step : state.due + step
      }
      if let caps = sample.caps, state.caps.map({ !sample.hasCaps($0) }) ?? true {
        state.caps = caps
        let rate = Fraction(Int((plan.frameRate * 1000).rounded()), 1000)
        video.setCaps(caps.with(frameRate: rate) ?? caps)
      }
      return (false, local)
    }
    if let place {
      // of those that are left out, the one before lasts on
      video.push(sample, runningTime: UInt64(place), duration: plan.isThinned ? UInt64(1e9 / plan.frameRate) : nil)
    }
    return !isOver
  }

  /// Takes sound, raw or encoded.
  func take(sound sample: borrowing Sample) {
    guard let audio else { return }
    let time = sample.signedRunningTime
    let duration = Int64(sample.duration ?? 0)
    counter.add(1, ordering: .relaxed)
    let place = state.withLock { state -> (time: Int64, end: Int64)? in
      let start = state.soundStart ?? time
      if state.soundStart == nil { (state.soundStart, state.nextPacket) = (start, 0) }
      var local = time - start
      // times that a container rounds to milliseconds are no gaps
      if abs(local - state.nextPacket) < 40_000_000 { local = state.nextPacket }
      state.nextPacket = local + duration
      guard local >= 0, !state.isSoundOver else { return nil }
      if !state.hasSoundCaps, let caps = sample.caps {
        state.hasSoundCaps = true
        audio.setCaps(caps)
      }
      var end = local + duration
      if let limit {
        // the sound may come long before the first picture is decoded
        end = min(end, (state.pictureStart ?? 0) + limit - start)
        if end < local + duration { state.isSoundOver = true }
      }
      return end > local ? (local, end) : nil
    }
    guard let place else { return }
    let left = place.end - place.time
    guard left < duration else {
      audio.push(sample, runningTime: UInt64(place.time))
      return
    }
    // half a packet can't be played
    guard case .encoded(_, let channels, let rate)? = plan.sound else { return }
    let bytes = Int(Double(left) * Double(rate) / 1e9) * channels * 4
    guard bytes > 0, bytes <= sample.byteCount else { return }
    audio.push(sample, bytes: 0..<bytes, runningTime: UInt64(place.time), duration: UInt64(left))
  }

  /// Says to the writer that nothing more comes.
  func end() {
    video.endOfStream()
    audio?.endOfStream()
  }
}
