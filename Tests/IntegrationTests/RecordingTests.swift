import CameraProtocol
import Foundation
import TestSupport
import Testing

/// Recordings of a daemon at work, judged by ffprobe and ffmpeg.
@Suite struct RecordingTests {
  @Test func recordsPictureAndSound() async throws {
    try await withDaemon(share: .half) { daemon in
      let client = try daemon.client()
      let events = try daemon.events()
      let status = try client.start()
      #expect(status.state == .recording)
      #expect(status.audio)
      try events.next(.recordingStarted) { $0.recording?.audio == true }
      // two reports, a second apart
      try events.next(.recordingProgress)
      let progress = try events.next(.recordingProgress)
      #expect((progress.recording?.duration ?? 0) > 1)
      #expect((progress.recording?.bytes ?? 0) > 0)
      let result = try client.stop()
      #expect(try events.next(.recordingFinished).result == result)
      #expect(result.reason == .stopped)
      #expect(result.droppedFrames == 0)
      #expect(result.audio)
      #expect(result.message == nil)
      try expectPlayable(result)
      let judge = try result.judge()
      try expectOrdinary(judge)
      try expectEqualExtent(judge)
      #expect(abs(try judge.duration() * 30 - Double(result.frames)) <= 1)
      #expect(try judge.largestGap() < 2.0 / 30)
      let asset = try #require(result.asset)
      #expect(asset.time.timeInterval(since: status.time) == 0)
      let created = try judge.entries("format_tags=creation_time").first ?? ""
      let moment = try #require(Timestamp(created))
      #expect(abs(moment.timeInterval(since: asset.time)) < 1.1)
      #expect(try judge.entries("stream=codec_name").sorted() == ["aac", "h264"])
    }
  }

  /// The file is complete at the moment of the answer.
  @Test func answersWhenTheFileIsComplete() async throws {
    try await withDaemon { daemon in
      let client = try daemon.client()
      let result = try client.record(1.5)
      let path = try result.judge().path
      let atOnce = try Data(contentsOf: URL(filePath: path))
      pass(1)
      #expect(try Data(contentsOf: URL(filePath: path)) == atOnce)
      #expect(atOnce.count == result.asset?.bytes)
      #expect(try daemon.files(".mp4") == [path])
    }
  }

  /// Starts in the middle of a running stream, at any moment of it.
  @Test func beginsWithAKeyFrameAtAnyMoment() async throws {
    try await withDaemon(.init(camera: Source.bars, microphone: Source.tone)) { daemon in
      let client = try daemon.client()
      try client.setMode(.video)
      let reference = try client.photo().asset.file()
      for round in 0..<8 {
        pass(0.1 + Double(round * 37 % 100) / 250)
        let result = try client.record(0.6)
        try expectPlayable(result)
        let judge = try result.judge()
        #expect(abs(try judge.extent("a:0")?.start ?? 1) < 1 / 30.0)
        let comparison = try Tool.run([
          "ffmpeg", "-v", "info", "-i", judge.path, "-i", reference, "-frames:v", "1", "-filter_complex",
          "[0:v]format=yuv420p[a];[1:v]scale=640:360:out_range=tv,format=yuv420p[b];[a][b]psnr", "-f", "null", "-",
        ])
        let average = comparison.errors.components(separatedBy: "average:").last?.prefix { $0 != " " }
        #expect(average.flatMap { Double($0) } ?? 0 > 25, "\(comparison.errors.suffix(300))")
      }
    }
  }

  @Test func endsAtItsMaximumDuration() async throws {
    try await withDaemon { daemon in
      let client = try daemon.client()
      let events = try daemon.events()
      try client.start(maxDuration: 1.5)
      let result = try #require(try events.next(.recordingFinished).result)
      #expect(result.reason == .maxDuration)
      #expect(result.frames == 45)
      try expectPlayable(result)
      let duration = try result.judge().duration()
      #expect(abs(duration - 1.5) < 1.0 / 30, "\(duration)")
      try expectEqualExtent(try result.judge())
      #expect(try refusal { _ = try client.stop() } == .notRecording)
    }
  }

  @Test func endsAtItsMaximumSize() async throws {
    try await withDaemon(.init(camera: Source.video("pattern=snow", 640, 360))) { daemon in
      let client = try daemon.client()
      let events = try daemon.events()
      try client.start(.high, maxBytes: 2_000_000)
      let result = try #require(try events.next(.recordingFinished).result)
      #expect(result.reason == .maxSize)
      #expect((result.asset?.bytes ?? 0) <= 2_000_000)
      #expect((result.asset?.bytes ?? 0) > 500_000)
      try expectPlayable(result)
    }
  }

  @Test func recordsWithoutAMicrophone() async throws {
    try await withDaemon(.init(microphone: nil)) { daemon in
      let client = try daemon.client()
      let events = try daemon.events([.warning])
      let result = try client.record(1)
      #expect(try events.next(.warning).message?.contains("microphone") == true)
      #expect(!result.audio)
      try expectPlayable(result)
    }
  }

  @Test func recordsWithoutSoundWhereNoneIsWanted() async throws {
    try await withDaemon { daemon in
      let client = try daemon.client()
      let status = try client.start(audio: false)
      #expect(!status.audio)
      pass(1)
      let result = try client.stop()
      #expect(!result.audio)
      try expectPlayable(result)
    }
  }

  @Test func refusesWhatMakesNoSense() async throws {
    try await withDaemon { daemon in
      let client = try daemon.client()
      #expect(try refusal { _ = try client.stop() } == .notRecording)
      #expect(try refusal { try client.call(CancelRecording.self, .init()) } == .notRecording)
      try client.start()
      #expect(try refusal { try client.start() } == .recordingInProgress)
      pass(0.7)
      try expectPlayable(try client.stop())
      #expect(try daemon.files(".mp4").count == 1)
      #expect(try refusal { try client.start(camera: "other") } == .noSuchCamera)
      #expect(try client.camera().recording == nil)
    }
  }

  @Test func cancelsWithoutATrace() async throws {
    try await withDaemon { daemon in
      let client = try daemon.client()
      try client.start()
      pass(0.7)
      #expect(try client.call(CancelRecording.self, .init()).frames > 5)
      #expect(try daemon.album() == [])
      #expect(try client.camera().recording == nil)
      try expectPlayable(try client.record(0.7))
    }
  }

  /// One client stops while another starts: every request gets one answer, and a file comes of each start.
  @Test func survivesStartsAndStopsThatCross() async throws {
    try await withDaemon { daemon in
      let (stopper, starter) = (try daemon.client(), try daemon.client())
      try starter.start()
      var starts = 1
      var results: [RecordingResult] = []
      for round in 0..<20 {
        pass(0.2)
        try stopper.send(StopRecording.self, .init())
        pass(Double(round) / 1000)
        try starter.send(StartRecording.self, .init())
        results.append(try stopper.next(StopRecording.self))
        let refused = try refusal { _ = try starter.next(StartRecording.self) }
        #expect(refused == nil || refused == .recordingInProgress)
        if refused == nil {
          starts += 1
        } else {
          try starter.start()
          starts += 1
        }
      }
      results.append(try stopper.stop())
      #expect(results.count == starts)
      #expect(try refusal { _ = try stopper.stop() } == .notRecording)
      #expect(try daemon.files(".mp4").count == starts)
      for result in results { #expect(try result.judge().complaints() == "") }
      #expect(try starter.camera().recording == nil)
    }
  }

  @Test func alternatesMoviesAndPhotos() async throws {
    try await withDaemon(.init(camera: Source.largeBars)) { daemon in
      let client = try daemon.client()
      for _ in 0..<10 {
        try client.setMode(.video)
        try expectPlayable(try client.record(0.5))
        try client.setMode(.photo)
        #expect(try client.photo().asset.size == [1280, 720])
      }
      #expect(try daemon.files(".mp4").count == 10)
      #expect(try daemon.files(".jpg").count == 10)
    }
  }

  /// A change of mode ends the recording cleanly; another camera doesn't touch it.
  @Test func keepsAMovieWholeWhateverIsChanged() async throws {
    var setup = TestDaemon.Setup()
    setup.cameras.append(("other", Source.video("pattern=ball", 320, 240)))
    try await withDaemon(setup) { daemon in
      let client = try daemon.client()
      try client.start()
      pass(0.5)
      #expect(try refusal { try client.start(.high) } == .recordingInProgress)
      #expect(try client.photo().asset.size == [640, 360])
      #expect(try client.photo(.init(camera: "other")).asset.size == [320, 240])
      try client.start(camera: "other", audio: false)
      pass(0.5)
      let finished = try client.setMode(.photo).finished
      let result = try #require(finished)
      #expect(result.reason == .modeChanged)
      #expect((result.asset?.duration ?? 0) > 0.9)
      try expectPlayable(result)
      let other = try client.call(StopRecording.self, .init(camera: "other"))
      try expectPlayable(other)
      #expect(try other.judge().size() == [320, 240])
    }
  }

  /// Many short takes leave nothing behind.
  @Test func leavesNothingOpenAfterManyTakes() async throws {
    try await withDaemon { daemon in
      let client = try daemon.client()
      try client.setMode(.video)
      func opened() throws -> (descriptors: Int, threads: Int) {
        (try daemon.process.descriptorCount(), try daemon.process.threadCount())
      }
      var first: (descriptors: Int, threads: Int, loudness: Double)?
      for take in 0..<15 {
        let result = try client.record(0.5)
        try expectPlayable(result)
        #expect(abs((result.asset?.duration ?? 0) - 0.5) < 0.3)
        let loudness = try #require(try result.judge().sound().first).loudness
        // threads of the last pipeline may still be on their way out, and the index is open for half a second
        pass(take == 0 ? 1 : 0.1)
        var now = try opened()
        guard take > 0, let first else {
          first = (now.descriptors, now.threads, loudness)
          continue
        }
        let deadline = ContinuousClock.now + .seconds(10)
        while now.descriptors > first.descriptors + 2 || now.threads > first.threads + 2, .now < deadline {
          pass(0.1)
          now = try opened()
        }
        #expect(now.descriptors <= first.descriptors + 2, "take \(take): \(now), first \(first)")
        #expect(now.threads <= first.threads + 2, "take \(take): \(now), first \(first)")
        #expect(abs(20 * log10(loudness / first.loudness)) < 1)
      }
    }
  }
}
