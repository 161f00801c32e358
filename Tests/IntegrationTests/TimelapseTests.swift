import CameraProtocol
import Foundation
import TestSupport
import Testing

/// Pictures at an interval.
@Suite struct TimelapseTests {
  private func times(_ events: EventReader, _ count: Int) throws -> [Timestamp] {
    try (0..<count).map { _ in try #require(try events.next(.photoSaved).asset).time }
  }

  /// Each photo is due by the first one, to a frame and what a loaded machine takes.
  private func expectSteady(_ times: [Timestamp], _ interval: Double, sourceLocation: SourceLocation = #_sourceLocation)
  {
    for (index, time) in times.enumerated() {
      let offset = time.timeInterval(since: times[0]) - Double(index) * interval
      #expect(abs(offset) < 0.15, "photo \(index) is off by \(offset)", sourceLocation: sourceLocation)
    }
  }

  @Test func photosComeWithoutDrift() async throws {
    try await withDaemon(.init(lines: ["IdleTimeout=1s"]), share: .half) { daemon in
      let client = try daemon.client()
      let (photos, events) = (try daemon.events([.photoSaved]), try daemon.events())
      let started = try client.call(StartTimelapse.self, .init(interval: 0.4, duration: 4)).timelapse
      #expect(started.frames == 1 && started.maxFrames == 10 && !started.movie && started.frameRate == nil)
      #expect(started.interval == 0.4 && started.missed == 0)
      #expect(try #require(started.next).timeInterval(since: started.time) > 0.3)
      try events.next(.timelapseStarted)
      #expect(try refusal { _ = try client.call(StartTimelapse.self, .init(interval: 1)) } == .timelapseInProgress)
      #expect(try client.camera().consumers.map(\.use) == [.timelapse])
      expectSteady(try times(photos, 10), 0.4)
      let finished = try events.next(.timelapseFinished)
      #expect(finished.timelapseResult == TimelapseResult(frames: 10, missed: 0, reason: .completed))
      let progress = events.history.filter { $0.kind == .timelapseProgress }.compactMap { $0.timelapse?.frames }
      #expect(progress == Array(1...10))
      #expect(try client.camera().timelapse == nil)
      #expect(try client.camera().consumers == [])
      #expect(try daemon.files(".jpg").count == 10)
      // the frame's rate is not that of the idle time
      pass(2.5)
      #expect(try client.camera().state == .cold)
      #expect(try refusal { _ = try client.call(StopTimelapse.self, .init()) } == .noTimelapse)
    }
  }

  /// A long interval lets the camera go cold, and wakes it in time, so that the photo is of the moment and settled.
  @Test func wakesTheCameraInTime() async throws {
    try await withDaemon(.init(lines: ["IdleTimeout=1s"]), share: .half) { daemon in
      let client = try daemon.client()
      let photos = try daemon.events([.photoSaved])
      _ = try client.call(StartTimelapse.self, .init(interval: 7, frames: 3))
      var taken = try times(photos, 1)
      pass(2.4)
      #expect(try client.camera().state == .cold)
      #expect(try client.camera().timelapse?.frames == 1)
      taken += try times(photos, 1)
      #expect(try client.camera().frames > 60, "it was opened seconds before")
      taken += try times(photos, 1)
      expectSteady(taken, 7)
    }
  }

  @Test(arguments: [30.0, 12.5]) func aMovieHasItsRate(rate: Double) async throws {
    try await withDaemon(.init(camera: Source.largeBars), share: .half) { daemon in
      let client = try daemon.client()
      let events = try daemon.events([.timelapseFinished, .libraryChanged])
      let started = try client.call(
        StartTimelapse.self, .init(interval: 0.1, movie: true, frameRate: rate, quality: .medium)
      ).timelapse
      #expect(started.movie && started.frameRate == rate && started.quality == .medium)
      pass(3)
      #expect(try client.camera().timelapse?.bytes ?? 0 > 0)
      let result = try client.call(StopTimelapse.self, .init())
      #expect(result.reason == .stopped && result.message == nil)
      #expect(result.frames >= 20 && result.frames + result.missed >= 30, "\(result)")
      let judge = try #require(result.asset).judge()
      try expectPlayable(judge)
      try expectOrdinary(judge)
      let frames = try judge.frameTimes()
      #expect(frames.count == result.frames)
      #expect(zip(frames, frames.dropFirst()).allSatisfy { abs($1 - $0 - 1 / rate) < 0.001 })
      #expect(abs(try judge.duration() - Double(result.frames) / rate) < 0.02)
      #expect(try judge.size() == [640, 360])
      let told = try judge.entries("stream=avg_frame_rate", stream: "v:0").first
      #expect(told == (rate == 30 ? "30/1" : "25/2"))
      #expect(try judge.entries("stream=codec_type", stream: "a") == [])
      try events.next(.timelapseFinished)
      #expect(try events.next(.libraryChanged).asset == result.asset)
      #expect(try daemon.files(".jpg") == [])
    }
  }

  /// What is in the movie are pictures of the moments at which they were due.
  @Test func aMovieHasEachPictureOnce() async throws {
    let folder = try TestFolder()
    let film = try Numbers(in: folder, seconds: 30)
    try await withDaemon(.init(camera: film.source), share: .half) { daemon in
      let client = try daemon.client()
      _ = try client.call(StartTimelapse.self, .init(interval: 0.5, frames: 8, movie: true, quality: .high))
      let finished = try daemon.events([.timelapseFinished]).next(.timelapseFinished)
      let asset = try #require(finished.timelapseResult?.asset)
      let steps = Numbers.steps(try asset.judge().brightness())
      #expect(steps.count == 7)
      #expect(steps.allSatisfy { (14...16).contains($0) }, "\(steps)")
    }
  }

  @Test func theMovieIsFinishedWithTheDaemon() async throws {
    try await withDaemon { daemon in
      let client = try daemon.client()
      let events = try daemon.events([.timelapseProgress, .timelapseFinished])
      _ = try client.call(StartTimelapse.self, .init(interval: 0.3, movie: true))
      for _ in 0..<5 { try events.next(.timelapseProgress) }
      daemon.process.send(SIGTERM)
      let result = try #require(try events.next(.timelapseFinished).timelapseResult)
      #expect(result.reason == .shutdown)
      let judge = try #require(result.asset).judge()
      try expectPlayable(judge)
      #expect(try judge.frameTimes().count == result.frames)
    }
  }

  /// A kill costs at most what was taken last.
  @Test func aKilledMoviePlays() async throws {
    try await Turn.take {
      let daemon = try TestDaemon(.init(microphone: nil), in: try TestFolder())
      let events = try daemon.events([.timelapseProgress])
      _ = try daemon.client().call(StartTimelapse.self, .init(interval: 1, movie: true))
      for _ in 0..<7 { try events.next(.timelapseProgress) { $0.timelapse?.missed == 0 } }
      // the muxer holds two; what it let go has the time to the next picture to reach the file
      let draftBefore = MovieJudge(try #require(try daemon.files(".partial").first))
      let deadline = ContinuousClock.now + .milliseconds(900)
      while try draftBefore.frameTimes().count < 5, .now < deadline { pass(0.02) }
      daemon.process.send(SIGKILL)
      #expect(daemon.process.waitForExit(within: 5) == .signalled(SIGKILL))
      let draft = MovieJudge(try #require(try daemon.files(".partial").first))
      #expect(try draft.complaints() == "")
      #expect(try draft.frameTimes().count >= 5)
      let second = try TestDaemon(.init(microphone: nil), in: daemon.folder)
      let movie = MovieJudge(try #require(try second.files(".mp4").first))
      try expectPlayable(movie)
      try expectOrdinary(movie)
      #expect(try movie.frameTimes().count >= 5)
      try second.stop()
    }
  }

  /// A camera that is gone for a while: what is missing is counted and told, and it goes on.
  @Test func goesOnWhenTheCameraIsBack() async throws {
    let camera = try NetworkCamera.grey { _ in 100 }
    defer { camera.end() }
    try await withDaemon(.init(camera: camera.source(), microphone: nil), share: .half) { daemon in
      let client = try daemon.client()
      let events = try daemon.events([.timelapseProgress, .warning])
      let started = try client.call(StartTimelapse.self, .init(interval: 0.5, movie: true, frameRate: 10)).timelapse
      try events.next(.timelapseProgress) { $0.timelapse?.frames == 3 }
      camera.pause(true)
      let missed = try events.next(.timelapseProgress) { event in event.timelapse.map { $0.missed > 0 } ?? false }
      let reason = missed.timelapse?.message ?? ""
      #expect(reason.contains("frames"))
      camera.pause(false)
      let back = try events.next(.timelapseProgress) { event in
        event.timelapse.map { $0.message == nil && $0.missed > 2 } ?? false
      }
      let enough = (back.timelapse?.frames ?? 0) + 3
      try events.next(.timelapseProgress) { event in event.timelapse.map { $0.frames >= enough } ?? false }
      let result = try client.call(StopTimelapse.self, .init())
      let elapsed = Timestamp.now.timeInterval(since: started.time)
      #expect(result.missed > 2)
      #expect(abs(Double(result.frames + result.missed) - elapsed / 0.5) <= 2, "\(result) in \(elapsed) s")
      #expect(try #require(result.asset).judge().frameTimes().count == result.frames)
      let warnings = events.history.filter { $0.kind == .warning }.compactMap(\.message)
      #expect(warnings.contains { $0.contains("misses a picture") })
      #expect(warnings.contains { $0.contains("goes on") })
    }
  }

  @Test func refusesWhatIsNoTimelapse() async throws {
    try await withDaemon(.init(camera: Source.bars)) { daemon in
      let client = try daemon.client()
      for parameters: StartTimelapse.Parameters in [
        .init(interval: 0), .init(interval: 0.09), .init(interval: 700_000), .init(interval: 1, frames: 0),
        .init(interval: 1, duration: 0), .init(interval: 1, movie: true, frameRate: 0.5),
        .init(interval: 1, movie: true, frameRate: 121),
      ] {
        #expect(throws: (any Error).self) { try client.call(StartTimelapse.self, parameters) }
      }
      let error = try cameraError {
        _ = try client.call(StartTimelapse.self, .init(interval: 1, movie: true, quality: .hd1080))
      }
      #expect(error?.kind == .notSupported)
      #expect(try client.camera().timelapse == nil)
      #expect(try daemon.album() == [])
      #expect(try refusal { _ = try client.call(StopTimelapse.self, .init()) } == .noTimelapse)
    }
  }
}
