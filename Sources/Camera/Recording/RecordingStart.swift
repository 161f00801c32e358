import GStreamer
import Synchronization

/// Keeps what comes from the moment at which a recording is asked for until its encoder is there, so that the movie begins
/// with the frame of that moment.
final class RecordingStart: FrameConsumer {
  private struct State {
    var frames: [Frame] = []
    var sounds: [Frame] = []
    var feed: RecordingFeed?
  }

  /// Frames that are kept at most: a driver has few buffers. Where the encoder takes longer, the movie begins later.
  private static let mostFrames = 4
  /// Nanoseconds of sound that are kept at most.
  private static let longestSound: UInt64 = 1_000_000_000

  private let state = Mutex(State())

  /// Adds frames that came before this one listened.
  func seed(_ earlier: [Frame]) {
    state.withLock { state in
      let first = state.frames.first?.sample.runningTime ?? .max
      state.frames.insert(contentsOf: earlier.filter { $0.sample.runningTime < first }, at: 0)
    }
  }

  func consume(_ frame: borrowing Sample) {
    state.withLock { state in
      if let feed = state.feed { return feed.consume(frame) }
      if state.frames.count == Self.mostFrames { state.frames.removeFirst() }
      state.frames.append(Frame(frame.retained()))
    }
  }

  func miss(_ count: Int) { state.withLock { $0.feed }?.miss(count) }

  /// Takes a buffer of the microphone. On its streaming thread.
  func consume(sound: borrowing Sample) {
    state.withLock { state in
      if let feed = state.feed { return feed.consume(sound: sound) }
      state.sounds.append(Frame(sound.retained()))
      let time = sound.runningTime
      if let first = state.sounds.first, first.sample.runningTime + Self.longestSound < time {
        state.sounds.removeFirst()
      }
    }
  }

  /// Gives all that was kept to the recording, and from now on everything that comes.
  func begin(_ feed: RecordingFeed) {
    state.withLock { state in
      if let first = state.frames.first { feed.consume(first.sample) }
      for sound in state.sounds { feed.consume(sound: sound.sample) }
      for frame in state.frames.dropFirst() { feed.consume(frame.sample) }
      state = State(feed: feed)
    }
  }
}
