import CameraProtocol
import Foundation
import TestSupport
import Testing

/// Recordings that begin before they are asked for.
@Suite struct PreRollTests {
  /// A film each of whose frames is a little brighter than the one before, with a beep at each second.
  private static func film(in folder: TestFolder) throws -> TestDaemon.Setup {
    let file = folder.file("film.mp4")
    let made = try Tool.run([
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "nullsrc=size=64x48:rate=30,geq=lum='20+mod(N,50)*4':cb=128:cr=128",
      "-f", "lavfi", "-i", "aevalsrc='0.8*sin(2*PI*1000*t)*lt(mod(t,1),0.04)':sample_rate=48000:channel_layout=stereo",
      "-t", "40", "-c:v", "libx264", "-qp", "1", "-bf", "0", "-pix_fmt", "yuv420p", "-c:a", "aac", file,
    ])
    guard made.status == 0 else { throw NoFile(message: made.errors) }
    return TestDaemon.Setup(
      camera: "filesrc location=\(file) ! qtdemux ! video/x-h264 ! h264parse ! avdec_h264",
      microphone: "filesrc location=\(file) ! qtdemux ! audio/mpeg ! aacparse ! avdec_aac")
  }

  /// What the numbers of the frames are, from how bright they are.
  private func numbers(_ judge: MovieJudge) throws -> [Int] {
    try judge.brightness().map(Numbers.number)
  }

  /// The seconds before are there, frame by frame, with their sound; the next recording has them as well.
  @Test func aRecordingBeginsBeforeItIsAskedFor() async throws {
    let folder = try TestFolder()
    try await withDaemon(try Self.film(in: folder), share: .half) { daemon in
      let client = try daemon.client()
      let set = try client.call(SetPreRoll.self, .init(seconds: 3, quality: .high))
      #expect(set.preRoll?.seconds == 3)
      #expect(try client.camera().mode == .video)
      pass(4.5)
      let kept = try #require(try client.camera().preRoll)
      #expect(kept.available > 1.9 && kept.available < 3.1, "\(kept)")
      #expect(kept.bytes > 1000 && kept.bytes < 3_000_000)
      for round in 0..<2 {
        let asked = Date.now
        let started = try client.start(.high)
        // seconds before the request
        let began: Double = Double(started.time.seconds) + Double(started.time.nanoseconds) / 1e9
        let lead: Double = asked.timeIntervalSince1970 - began
        #expect(lead > (round == 0 ? 1.9 : 0.5) && lead < 3.1, "\(lead)")
        pass(1)
        let result = try client.stop()
        #expect(result.droppedFrames == 0)
        try expectPlayable(result)
        let judge = try result.judge()
        try expectEqualExtent(judge)
        let duration = result.asset?.duration ?? 0
        #expect(duration > lead + 0.9 && duration < lead + 1.6, "\(duration), \(lead)")
        let numbers = try numbers(judge)
        let steps = Numbers.differences(numbers)
        #expect(steps.allSatisfy { $0 == 1 }, "\(numbers)")
        // frame 0 of each 50 and the beep of each second fall together every 5 seconds; here the beeps are a second apart
        let ticks = try judge.ticks()
        #expect(zip(ticks, ticks.dropFirst()).allSatisfy { abs($1 - $0 - 1) < 0.03 }, "\(ticks)")
        #expect(ticks.count >= 2)
        pass(1.5)
      }
      #expect(try client.call(SetPreRoll.self, .init(seconds: 0)).preRoll == nil)
      #expect(try client.camera().preRoll == nil)
    }
  }

  /// Sound and picture of what was before the request belong together, and with a pause and in segments too.
  @Test func soundIsInStepWithThePictureBefore() async throws {
    try await withDaemon(.init(camera: Source.flips, microphone: Source.ticks), share: .half) { daemon in
      let client = try daemon.client()
      _ = try client.call(SetPreRoll.self, .init(seconds: 4, quality: .medium))
      pass(5)
      try client.start(.medium)
      pass(3)
      let result = try client.stop()
      try expectPlayable(result)
      try expectInSync(try result.judge(), flips: 2)
    }
  }

  @Test func aRecordingOfAnotherKindHasNone() async throws {
    try await withDaemon { daemon in
      let client = try daemon.client()
      _ = try client.call(SetPreRoll.self, .init(seconds: 5, quality: .medium))
      pass(2.5)
      let result = try client.record(0.7, .low)
      #expect((result.asset?.duration ?? 9) < 1.3)
      try expectPlayable(result)
      let silent = try client.record(0.7, .medium, audio: false)
      #expect((silent.asset?.duration ?? 9) < 1.3)
      for seconds in [-1.0, 61] {
        #expect(throws: (any Error).self) { _ = try client.call(SetPreRoll.self, .init(seconds: seconds)) }
      }
      // photo mode closes the microphone: nothing is kept there, and it goes on in video mode
      try client.setMode(.photo)
      #expect(try client.camera().preRoll == nil)
      try client.setMode(.video)
      #expect(try client.camera().preRoll != nil)
    }
  }

  /// A movie with a pre-roll, a pause and segments.
  @Test func pausesAndSegmentsGoWithIt() async throws {
    let folder = try TestFolder()
    try await withDaemon(try Self.film(in: folder), share: .half) { daemon in
      let client = try daemon.client()
      let events = try daemon.events([.segmentFinished])
      _ = try client.call(SetPreRoll.self, .init(seconds: 2, quality: .high))
      pass(3)
      _ = try client.call(StartRecording.self, .init(quality: .high, segmentDuration: 3))
      let first = try #require(try events.next(.segmentFinished).result)
      _ = try client.call(PauseRecording.self, .init())
      pass(0.5)
      _ = try client.call(ResumeRecording.self, .init())
      pass(2)
      let last = try client.stop()
      for result in [first, last] {
        try expectPlayable(result)
        try expectEqualExtent(try result.judge())
      }
      let numbers = try numbers(try first.judge())
      #expect(Numbers.differences(numbers).allSatisfy { $0 == 1 }, "\(numbers)")
      let next = try self.numbers(try last.judge())
      #expect(Numbers.differences([numbers.last ?? 0, next.first ?? 0]) == [1])
    }
  }
}
