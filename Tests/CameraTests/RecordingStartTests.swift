import CameraProtocol
import Foundation
import GStreamer
import MediaLibrary
import Synchronization
import TestSupport
import Testing

@testable import Camera

/// A movie begins with the frame of the moment at which it is asked for.
@Suite(.timeLimit(.minutes(1))) struct RecordingStartTests {
  init() throws { try GStreamer.initialize() }

  /// Frames that are 100 ms apart.
  private func frames(_ count: Int) throws -> [Frame] {
    let pipeline = try Pipeline(
      launch: "videotestsrc num-buffers=\(count) ! video/x-raw,format=I420,width=64,height=48,framerate=10/1 ! "
        + "appsink name=out sync=false", clock: SystemClock())
    defer { pipeline.stop() }
    let sink = try AppSink(pipeline, "out")
    try pipeline.play()
    var frames: [Frame] = []
    for _ in 0..<count {
      guard let sample = sink.pull(timeout: 10_000_000_000) else { throw GStreamerError("no frame") }
      frames.append(Frame(sample))
    }
    return frames
  }

  /// What a recording gets of frames of which some came before anybody listened, and the running time that it begins at.
  private func record(
    seed: ArraySlice<Frame>, before: ArraySlice<Frame>, after: ArraySlice<Frame>
  ) throws -> (count: Int, began: UInt64?) {
    let movie = try Pipeline(launch: "appsrc name=video format=time ! fakesink sync=false", clock: SystemClock())
    defer { movie.stop() }
    let began = Mutex<UInt64?>(nil)
    let feed = RecordingFeed(
      video: try AppSource(movie, "video"), audio: nil, frameRate: Fraction(10), sourceRate: Fraction(10),
      maxDuration: nil
    ) { signal in
      if case .began(let time) = signal { began.withLock { $0 = time } }
    }
    try movie.play()
    let start = RecordingStart()
    for frame in before { start.consume(frame.sample) }
    start.seed(Array(seed))
    start.begin(feed)
    for frame in after { start.consume(frame.sample) }
    let progress = feed.progress
    #expect(progress.dropped == 0)
    return (progress.frames, began.withLock { $0 })
  }

  @Test func whatCameBeforeTheEncoderIsIn() throws {
    let frames = try frames(6)
    // frame 1 was kept by the tap, and came to the listener as well
    let (count, began) = try record(seed: frames[0...1], before: frames[1...2], after: frames[3...5])
    #expect(count == 6)
    #expect(began == frames[0].sample.runningTime)
  }

  /// A driver has few buffers: where the encoder takes long, the movie begins later.
  @Test func fewFramesAreKept() throws {
    let frames = try frames(8)
    let (count, began) = try record(seed: [], before: frames[0...6], after: frames[7...7])
    #expect(count == 5)
    #expect(began == frames[3].sample.runningTime)
  }

  /// With a camera of one frame a second, the one before the request is a second before the one after it.
  @Test func aSessionBeginsWithTheFrameOfTheMoment() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "start-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let clock = SystemClock()
    let settings = SessionSettings(
      library: MediaLibrary(root: folder, software: "test"), clock: clock, idleTimeout: .seconds(30), emit: { _ in },
      log: { _, _ in })
    let session = CameraSession(
      CameraDefinition(
        id: "c", name: "c", position: nil,
        source: DeviceSource(
          launch: "videotestsrc is-live=true ! video/x-raw,format=I420,width=64,height=48,framerate=1/1")),
      microphone: nil, settings: settings)
    _ = try await session.setMode(.video)
    _ = try await session.perform(.open)
    let newest = try #require(await FrameWaiter.next(from: session.tap, within: .seconds(5)))
    var request = RecordingRequest(maxDuration: nil, audio: false)
    let moment = newest.sample.runningTime + 10_000_000
    request.requestedAt = moment
    _ = try await session.startRecording(request)
    let origin = try #require(await session.recorder?.feed.origin)
    #expect(origin == newest.sample.runningTime)
    _ = try await session.stopRecording()
    try await session.shutDown()
  }
}
