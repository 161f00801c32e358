import CameraProtocol
import Foundation
import TestSupport
import Testing

/// Recordings that stand still, that go on in a new file, and whose sound is turned off.
@Suite struct PauseTests {
  /// A film for camera and microphone: at each second the picture is white for a frame and there is a beep of 40 ms.
  private static func film(in folder: TestFolder, seconds: Int) throws -> TestDaemon.Setup {
    let file = folder.file("film.mp4")
    let picture = "color=black:size=320x180:rate=25,drawbox=color=white:thickness=fill:enable='lt(mod(t,1),0.04)'"
    let sound = "aevalsrc='0.8*sin(2*PI*1000*t)*lt(mod(t,1),0.04)':sample_rate=48000:channel_layout=stereo"
    let made = try Tool.run([
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i", picture, "-f", "lavfi", "-i", sound, "-t", "\(seconds)", "-c:v",
      "libx264", "-g", "25", "-bf", "0", "-pix_fmt", "yuv420p", "-c:a", "aac", file,
    ])
    guard made.status == 0 else { throw NoFile(message: made.errors) }
    return TestDaemon.Setup(
      camera: "filesrc location=\(file) ! qtdemux ! video/x-h264 ! h264parse ! avdec_h264",
      microphone: "filesrc location=\(file) ! qtdemux ! audio/mpeg ! aacparse ! avdec_aac")
  }

  /// Where the picture is white.
  private func flashes(_ judge: MovieJudge) throws -> [Double] {
    zip(try judge.frameTimes(), try judge.brightness()).filter { $1 > 128 }.map(\.0)
  }

  /// Where a beep begins.
  private func beeps(_ judge: MovieJudge) throws -> [Double] {
    let samples = try #require(try judge.sound().first)
    var times: [Double] = []
    var last = -48_000
    for (index, sample) in samples.enumerated() where abs(sample) > 0.2 {
      if index - last > 4_800 { times.append(Double(index) / 48_000) }
      last = index
    }
    return times
  }

  @Test func soundAndPictureStayTogetherOverTwentyPauses() async throws {
    let folder = try TestFolder()
    let setup = try Self.film(in: folder, seconds: 40)
    try await withDaemon(setup, share: .half) { daemon in
      let client = try daemon.client()
      let events = try daemon.events([.recordingPaused, .recordingResumed])
      try client.start(.medium)
      for round in 0..<20 {
        pass(0.55 + Double(round % 3) * 0.1)
        #expect(try client.call(PauseRecording.self, .init()).recording.state == .paused)
        try events.next(.recordingPaused)
        let frames = try client.camera().recording?.frames
        pass(0.2 + Double(round % 4) * 0.07)
        #expect(try client.camera().recording?.frames == frames)
        #expect(try client.call(ResumeRecording.self, .init()).recording.state == .recording)
        try events.next(.recordingResumed)
      }
      let result = try client.stop()
      #expect(result.droppedFrames == 0)
      try expectPlayable(result)
      let judge = try result.judge()
      try expectEqualExtent(judge, rate: 25)
      #expect(try judge.largestGap() < 0.081)
      let (flashes, beeps) = (try flashes(judge), try beeps(judge))
      #expect(flashes.count >= 8)
      // a cut may go through the one and not through the other
      let offsets = flashes.compactMap { flash in beeps.map { $0 - flash }.min { abs($0) < abs($1) } }
      let together = offsets.filter { abs($0) <= 0.04 }
      #expect(together.count >= flashes.count - 3, "\(flashes), \(beeps)")
    }
  }

  @Test func pausingIsRefusedWithoutARecordingAndHarmlessTwice() async throws {
    try await withDaemon { daemon in
      let client = try daemon.client()
      #expect(try refusal { try client.call(PauseRecording.self, .init()) } == .notRecording)
      #expect(try refusal { try client.call(ResumeRecording.self, .init()) } == .notRecording)
      try client.start()
      #expect(try client.call(ResumeRecording.self, .init()).recording.state == .recording)
      for _ in 0..<2 { #expect(try client.call(PauseRecording.self, .init()).recording.state == .paused) }
      pass(0.5)
      // one that is ended while it stands still is complete
      let result = try client.stop()
      try expectPlayable(result)
      try expectEqualExtent(try result.judge())
    }
  }

  /// Every frame of the camera is in one of the files, and none twice.
  @Test func segmentsLoseNoFrame() async throws {
    // a film each of whose frames is a little brighter than the one before
    let folder = try TestFolder()
    let film = folder.file("numbers.mp4")
    let made = try Tool.run([
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "nullsrc=size=64x48:rate=30,geq=lum='20+mod(N,50)*4':cb=128:cr=128",
      "-t", "30", "-c:v", "libx264", "-qp", "1", "-bf", "0", "-pix_fmt", "yuv420p", film,
    ])
    #expect(made.status == 0, "\(made.errors)")
    let camera = "filesrc location=\(film) ! qtdemux ! h264parse ! avdec_h264"
    try await withDaemon(.init(camera: camera), share: .half) { daemon in
      let client = try daemon.client()
      let events = try daemon.events([.segmentFinished, .recordingFinished])
      let started = try client.call(
        StartRecording.self, .init(quality: .high, segmentDuration: 1.5)
      ).recording
      #expect(started.segment == 1 && started.maxDuration == nil)
      var results: [RecordingResult] = []
      for _ in 0..<3 { results.append(try #require(try events.next(.segmentFinished).result)) }
      #expect(try client.camera().recording?.segment == 4)
      pass(0.4)
      results.append(try client.stop())
      #expect(results.map(\.reason) == [.segment, .segment, .segment, .stopped])
      var levels: [Int] = []
      for result in results {
        #expect(result.droppedFrames == 0)
        try expectPlayable(result)
        try expectEqualExtent(try result.judge())
        levels += try result.judge().brightness().map(Numbers.number)
      }
      #expect(levels.count > 130)
      let steps = Numbers.differences(levels)
      #expect(steps.allSatisfy { $0 == 1 }, "\(levels)")
      for result in results.dropLast() { #expect((result.asset?.duration ?? 0) > 1.4) }
      // the sound goes on from one file to the next
      var (sound, picture) = (0.0, 0.0)
      for result in results {
        sound += Double(try result.judge().sound().first?.count ?? 0) / 48_000
        picture += result.asset?.duration ?? 0
      }
      #expect(abs(sound - picture) < 0.2)
    }
  }

  @Test func segmentsCanBeOfASize() async throws {
    try await withDaemon(.init(camera: Source.video("pattern=snow", 640, 360))) { daemon in
      let client = try daemon.client()
      let events = try daemon.events([.segmentFinished])
      _ = try client.call(StartRecording.self, .init(quality: .high, segmentBytes: 2_000_000))
      let first = try #require(try events.next(.segmentFinished).result)
      let bytes = first.asset?.bytes ?? 0
      #expect(bytes < 2_100_000 && bytes > 500_000, "\(bytes)")
      try expectPlayable(first)
      try expectPlayable(try client.stop())
    }
  }

  @Test func aMutedMicrophoneIsSilence() async throws {
    try await withDaemon { daemon in
      let client = try daemon.client()
      let events = try daemon.events([.microphoneMuted])
      try client.start()
      pass(0.8)
      #expect(try client.call(SetMute.self, .init(muted: true)).muted)
      #expect(try events.next(.microphoneMuted).muted == true)
      #expect(try client.camera().muted)
      pass(1)
      _ = try client.call(SetMute.self, .init(muted: false))
      pass(0.8)
      let result = try client.stop()
      try expectPlayable(result)
      try expectEqualExtent(try result.judge())
      let samples = try #require(try result.judge().sound().first)
      // the loudest of each tenth of a second
      let loudness = stride(from: 0, to: samples.count - 4_800, by: 4_800).map { start in
        samples[start..<start + 4_800].reduce(Float(0)) { max($0, abs($1)) }
      }
      let silent = loudness.indices.filter { loudness[$0] < 0.01 }
      #expect((7...12).contains(silent.count), "\(loudness)")
      #expect(silent.count == (silent.last ?? 0) - (silent.first ?? 0) + 1)
      #expect(loudness.first ?? 0 > 0.3 && loudness.last ?? 0 > 0.3)
    }
  }

  /// A sine at half of full scale has its peak at -6 dB and its mean at -9.
  @Test func levelsAreTrueAndOnDemand() async throws {
    try await withDaemon { daemon in
      let client = try daemon.client()
      let (all, levels) = (try daemon.events(), try daemon.events([.soundLevel]))
      try client.setMode(.video)
      try client.start()
      for _ in 0..<5 {
        let level = try #require(try levels.next(.soundLevel).level)
        #expect(level.peak.count == 2 && level.rms.count == 2)
        #expect(level.peak.allSatisfy { abs($0 + 6) < 0.5 }, "\(level)")
        #expect(level.rms.allSatisfy { abs($0 + 9) < 0.5 }, "\(level)")
      }
      _ = try client.stop()
      try all.next(.recordingFinished)
      #expect(!all.history.contains { $0.kind == .soundLevel })
    }
  }
}
