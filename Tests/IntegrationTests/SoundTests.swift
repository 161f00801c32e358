import CameraProtocol
import TestSupport
import Testing

/// Sound: in step with the picture, right in pitch and loudness, and never in the picture's way.
@Suite struct SoundTests {
  @Test func staysInSync() async throws {
    try await withDaemon(.init(camera: Source.flips, microphone: Source.ticks)) { daemon in
      let client = try daemon.client()
      try client.setMode(.video)
      try client.photo()  // until the source has caught up with the clock
      let result = try client.record(6.5)
      try expectPlayable(result)
      try expectInSync(try result.judge(), flips: 3)
      try expectEqualExtent(try result.judge(), rate: 25)
    }
  }

  /// A microphone that delivers nothing for a second or two after it was opened.
  @Test func staysInSyncWithASlowMicrophone() async throws {
    let ticks = Source.ticks.replacing("audiotestsrc", with: "audiotestsrc timestamp-offset=5000000000")
    try await withDaemon(.init(camera: Source.flips, microphone: ticks)) { daemon in
      let client = try daemon.client()
      let result = try client.record(8.5)
      try expectPlayable(result)
      let judge = try result.judge()
      let ticks = try judge.ticks()
      let first = try #require(ticks.first)
      #expect(first > 1, "silence first: \(ticks)")
      try expectInSync(judge, flips: 1, after: first)
      try expectEqualExtent(judge, rate: 25)
    }
  }

  @Test(arguments: [(8000, 1), (16000, 1), (44100, 2), (48000, 4), (96000, 2), (44100, 1)])
  func takesAnyMicrophone(rate: Int, channels: Int) async throws {
    let mask = channels > 2 ? ",channel-mask=(bitmask)0x33" : ""
    let source = Source.sound("freq=440 volume=0.5", "rate=\(rate),channels=\(channels)\(mask)")
    try await withDaemon(.init(microphone: source)) { daemon in
      let result = try daemon.client().record(1.5)
      #expect(result.audio)
      try expectPlayable(result)
      let judge = try result.judge()
      let stream = try judge.entries("stream=codec_name,sample_rate", stream: "a:0").first
      #expect(stream == "aac,48000" || stream == "aac,44100")
      let sound = try judge.sound()
      // without the very beginning, where the encoder fades in
      let middle = sound.map { Array($0.dropFirst(9600).dropLast(9600)) }
      for channel in middle {
        #expect(abs(channel.pitch - 440) < 4.4)
        #expect(channel.loudness > 0.05)
      }
      if middle.count == 2 { #expect(abs(middle[0].loudness / middle[1].loudness - 1) < 0.02) }
    }
  }

  /// Four channels of unknown places can't be mixed: the user is told, and the picture is whole.
  @Test func tellsOfAMicrophoneThatItCanNotTake() async throws {
    let source = Source.sound("freq=440", "rate=48000,channels=4,channel-mask=(bitmask)0x0")
    try await withDaemon(.init(microphone: source)) { daemon in
      let client = try daemon.client()
      let events = try daemon.events([.warning])
      try client.start()
      #expect(try events.next(.warning).message?.contains("'mic'") == true)
      pass(0.7)
      try expectPlayable(try client.stop())
    }
  }

  /// The microphone ends during a recording: the picture goes on, with silence.
  @Test func goesOnWithoutALostMicrophone() async throws {
    // 10 ms each
    let source = Source.sound("freq=440 volume=0.5 num-buffers=250", "rate=48000,channels=2")
    try await withDaemon(.init(microphone: source)) { daemon in
      let client = try daemon.client()
      let events = try daemon.events([.warning])
      try client.start()
      #expect(try events.next(.warning).message?.contains("'mic'") == true)
      pass(1.5)
      let before = ContinuousClock.now
      let result = try client.stop()
      #expect(ContinuousClock.now - before < .seconds(3))
      #expect(result.reason == .stopped)
      #expect((result.asset?.duration ?? 0) > 3.5)
      try expectPlayable(result)
      let judge = try result.judge()
      try expectEqualExtent(judge)
      let sound = try #require(try judge.sound().first)
      #expect(Array(sound[9600..<86_400]).loudness > 0.1, "tone up to 1.8 s")
      #expect(Array(sound.suffix(24_000)).loudness < 0.001, "then silence")
      #expect(try judge.largestGap() < 2.0 / 30)
    }
  }

  /// The next recording after a lost microphone has sound again.
  @Test func opensALostMicrophoneAgain() async throws {
    let source = Source.sound("freq=440 volume=0.5 num-buffers=100", "rate=48000,channels=2")
    try await withDaemon(.init(microphone: source)) { daemon in
      let client = try daemon.client()
      let events = try daemon.events([.warning])
      try client.start()
      try events.next(.warning)
      try expectPlayable(try client.stop())
      let second = try client.record(0.8)
      #expect(second.audio)
      #expect(try #require(try second.judge().sound().first).loudness > 0.05)
    }
  }
}
