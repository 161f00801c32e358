import GStreamer
import Synchronization
import Testing

@testable import Camera

/// What a recording does with the frames it is given.
@Suite struct RecordingFeedTests {
  /// What happened to a recording of frames that come so many seconds apart.
  private func record(_ frames: Int, every seconds: Int) async throws -> (signals: [RecordingFeed.Signal], frames: Int)
  {
    try GStreamer.initialize()
    let clock = SystemClock()
    let caps = "video/x-raw,format=I420,width=64,height=48,framerate=1/\(seconds)"
    let movie = try Pipeline(launch: "appsrc name=video format=time ! fakesink sync=false", clock: clock)
    let signals = Mutex<[RecordingFeed.Signal]>([])
    let feed = RecordingFeed(
      video: try AppSource(movie, "video"), audio: nil, frameRate: Fraction(1, seconds),
      sourceRate: Fraction(1, seconds),
      maxDuration: nil
    ) { signal in signals.withLock { $0.append(signal) } }
    let camera = try Pipeline(
      launch: "videotestsrc num-buffers=\(frames) ! \(caps) ! appsink name=sink sync=false", clock: clock)
    try AppSink(camera, "sink").onSample { feed.consume($0) }
    try movie.play()
    try camera.play()
    for await message in camera.messages {
      guard case .endOfStream = message else { continue }
      break
    }
    camera.stop()
    movie.stop()
    let progress = feed.progress
    return (signals.withLock { $0 }, progress.frames + progress.dropped)
  }

  @Test(.timeLimit(.minutes(1))) func aLongGapEndsTheMovieBeforeIt() async throws {
    let (signals, frames) = try await record(3, every: 11)
    #expect(frames == 1)
    guard signals.count == 2, case .began(0) = signals[0], case .gap(11_000_000_000) = signals[1] else {
      Issue.record("\(signals)")
      return
    }
  }

  @Test(.timeLimit(.minutes(1))) func aShorterOneDoesNot() async throws {
    let (signals, frames) = try await record(3, every: 9)
    #expect(frames == 3)
    #expect(!signals.contains { if case .gap = $0 { true } else { false } })
  }
}
