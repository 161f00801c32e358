import CameraProtocol
import Foundation
import TestSupport
import Testing

/// Movies of every kind of file and codec, judged by ffprobe and ffmpeg.
@Suite struct ContainerTests {
  struct Kind: Sendable, CustomTestStringConvertible {
    var settings: MovieSettings
    var ending: String
    /// As ffprobe names them.
    var codecs: [String]
    var testDescription: String { "\(ending) \(codecs)" }
  }

  static let kinds = [
    Kind(settings: .init(container: .matroska), ending: ".mkv", codecs: ["aac", "h264"]),
    Kind(settings: .init(videoCodec: .h264, audioCodec: .opus), ending: ".mkv", codecs: ["h264", "opus"]),
    Kind(settings: .init(container: .webm), ending: ".webm", codecs: ["opus", "vp8"]),
    Kind(settings: .init(videoCodec: .vp9), ending: ".webm", codecs: ["opus", "vp9"]),
  ]

  @Test(arguments: kinds) func recordsEveryKind(_ kind: Kind) async throws {
    try await withDaemon { daemon in
      let client = try daemon.client()
      let status = try client.start(settings: kind.settings)
      #expect([status.audioCodec?.rawValue, status.videoCodec?.rawValue].compactMap { $0 }.sorted() == kind.codecs)
      #expect(status.encoder?.hasSuffix("enc") == true)
      pass(1.5)
      let result = try client.stop()
      #expect(result.reason == .stopped && result.message == nil && result.droppedFrames == 0)
      #expect(result.asset?.kind == .movie)
      #expect(result.asset?.path?.hasSuffix(kind.ending) == true)
      #expect(result.asset?.size == [640, 360])
      try expectPlayable(result)
      let judge = try result.judge()
      #expect(try judge.entries("stream=codec_name").sorted() == kind.codecs)
      #expect(Double(result.frames) > 30)
      #expect(try judge.largestGap() < 2.1 / 30)
      let sound = try #require(try judge.sound(byTime: false).first)
      #expect(abs(Array(sound.dropFirst(9600).dropLast(9600)).pitch - 440) < 4.4)
      #expect(abs(Double(sound.count) / 48_000 - (try judge.duration())) < 0.06)
    }
  }

  @Test(arguments: [
    (MovieSettings(video: false), ".m4a", "aac"), (MovieSettings(container: .ogg, video: false), ".ogg", "opus"),
    (MovieSettings(container: .matroska, audioCodec: .opus, video: false), ".mka", "opus"),
  ]) func recordsSoundAlone(_ settings: MovieSettings, _ ending: String, _ codec: String) async throws {
    try await withDaemon { daemon in
      let client = try daemon.client()
      let events = try daemon.events()
      let status = try client.start(settings: settings)
      #expect(status.audio && status.videoCodec == nil && status.encoder == nil && status.width == 0)
      #expect(try events.next(.recordingProgress).recording?.duration ?? 0 > 0)
      pass(1.5)
      let result = try client.stop()
      #expect(result.reason == .stopped && result.message == nil && result.frames == 0 && result.audio)
      let asset = try #require(result.asset)
      #expect(asset.kind == .audio && asset.path?.hasSuffix(ending) == true && asset.size == [])
      let judge = try result.judge()
      #expect(try judge.complaints() == "")
      #expect(try judge.entries("stream=codec_name") == [codec])
      #expect(abs(try judge.duration() - (asset.duration ?? 0)) < 0.05)
      #expect(try judge.duration() > 2)
      let sound = try #require(try judge.sound(byTime: false).first)
      #expect(abs(Array(sound.dropFirst(9600).dropLast(9600)).pitch - 440) < 4.4)
      try client.start(maxDuration: 1, settings: settings)
      let ended = try #require(try events.next(.recordingFinished) { $0.result?.reason != .stopped }.result)
      #expect(ended.reason == .maxDuration)
      #expect(abs(try ended.judge().duration() - 1) < 0.05)
    }
  }

  @Test func refusesWhatCanNotBeBeforeThereIsAFile() async throws {
    try await withDaemon(.init(microphone: nil)) { daemon in
      let client = try daemon.client()
      for settings in [
        MovieSettings(container: .mp4, videoCodec: .vp8), MovieSettings(container: .webm, audioCodec: .aac),
        MovieSettings(container: .ogg), MovieSettings(width: 1920, height: 1080),
      ] {
        #expect(try refusal { try client.start(settings: settings) } == .notSupported)
      }
      #expect(try refusal { try client.start(audio: false, settings: .init(video: false)) } == .notSupported)
      #expect(try refusal { try client.start(settings: .init(video: false)) } == .noSuchMicrophone)
      #expect(throws: (any Error).self) { try client.start(settings: .init(width: 641, height: 360)) }
      #expect(throws: (any Error).self) { try client.start(settings: .init(width: 640)) }
      #expect(try daemon.album() == [])
      #expect(try client.camera().recording == nil)
    }
  }

  @Test func takesItsOwnSizeRateAndBitRate() async throws {
    try await withDaemon(.init(camera: Source.video("pattern=snow", 640, 360))) { daemon in
      let client = try daemon.client()
      let settings = MovieSettings(width: 320, height: 240, frameRate: 12, bitRate: 500_000)
      let status = try client.start(settings: settings)
      #expect(status.width == 320 && status.height == 240 && status.frameRate == 12)
      pass(3)
      let result = try client.stop()
      try expectPlayable(result)
      let judge = try result.judge()
      #expect(try judge.size() == [320, 240])
      let rate = Double(result.frames) / (try judge.duration())
      #expect(abs(rate - 12) < 0.7, "\(rate)")
      let bits = try #require(try judge.entries("stream=bit_rate", stream: "v:0").first.flatMap { Double($0) })
      #expect(abs(bits - 500_000) < 100_000, "\(bits)")
    }
  }

  /// Killed as they are being written; the next start finishes them.
  @Test(
    arguments: [
      (MovieSettings(container: .matroska), ".mkv"), (MovieSettings(container: .webm), ".webm"),
      (MovieSettings(container: .ogg, video: false), ".ogg"), (MovieSettings(video: false), ".m4a"),
    ], [Source.tone, Source.silence])
  func survivesAKill(_ kind: (settings: MovieSettings, ending: String), microphone: String) async throws {
    try await Turn.take {
      let folder = try TestFolder()
      let setup = TestDaemon.Setup(microphone: microphone)
      let daemon = try TestDaemon(setup, in: folder)
      let client = try daemon.client()
      try client.start(settings: kind.settings)
      let start = ContinuousClock.now
      pass(2.3)
      daemon.process.send(SIGKILL)
      let time = Double((ContinuousClock.now - start) / .milliseconds(1)) / 1000
      #expect(daemon.process.waitForExit(within: 5) == .signalled(SIGKILL))
      let draft = MovieJudge(try #require(try daemon.files(".partial").first))
      #expect(try draft.complaints() == "")
      let streams = kind.settings.video == false ? ["a:0"] : ["v:0", "a:0"]
      for stream in streams {
        let times = try draft.entries("packet=pts_time", stream: stream).compactMap { line in
          Double(line.prefix { $0 != "," })
        }
        #expect((times.max() ?? 0) >= time - 1, "\(stream) up to \(times.max() ?? 0) of \(time)")
      }
      let second = try TestDaemon(setup, in: folder)
      let movie = MovieJudge(try #require(try second.files(kind.ending).first))
      #expect(try second.album().count == 1)
      #expect(try movie.complaints() == "")
      #expect(try movie.duration() >= time - 1)
      #expect(try movie.duration() < time + 0.5)
      if kind.settings.video != false { try expectPlayable(movie) }
      try second.stop()
    }
  }

  /// x264 is hidden by its rank: the next encoder takes its place, and the status says so.
  @Test func takesAnotherEncoderWhereOneIsMissing() async throws {
    var setup = TestDaemon.Setup()
    setup.environment["GST_PLUGIN_FEATURE_RANK"] = "x264enc:NONE"
    try await withDaemon(setup) { daemon in
      let client = try daemon.client()
      #expect(try client.start(.high).encoder == "openh264enc")
      pass(1)
      let result = try client.stop()
      try expectPlayable(result)
      #expect(try result.judge().entries("stream=codec_name", stream: "v:0") == ["h264"])
    }
    setup.environment["GST_PLUGIN_FEATURE_RANK"] = "x264enc:NONE,openh264enc:NONE"
    try await withDaemon(setup) { daemon in
      let client = try daemon.client()
      let error = try cameraError { try client.start() }
      #expect(error?.kind == .notSupported)
      #expect(error?.detail.message.contains("x264enc") == true)
      #expect(try daemon.album() == [])
      #expect(try client.start(settings: .init(container: .webm)).encoder == "vp8enc")
      pass(0.5)
      try expectPlayable(try client.stop())
    }
  }

  /// The camera's own H.264 goes in where size and rate are the camera's.
  @Test(arguments: ["byte-stream", "avc"]) func passesACamerasOwnPicturesOn(form: String) async throws {
    try await withDaemon(.init(camera: Source.h264(keyInterval: 30, form: form)), share: .half) { daemon in
      let client = try daemon.client()
      try client.setMode(.video)
      for settings in [MovieSettings(), MovieSettings(container: .matroska, audioCodec: .opus)] {
        pass(0.4)
        let status = try client.start(.high, settings: settings)
        #expect(status.encoder == "camera")
        pass(1.5)
        #expect(try client.photo().asset.size == [640, 360])
        let result = try client.stop()
        #expect(result.message == nil && result.droppedFrames == 0)
        try expectPlayable(result)
        let judge = try result.judge()
        #expect(Double(result.frames) >= 40)
        #expect(try judge.largestGap() < 2.1 / 30)
        // a key frame each 30, as the camera has them; an encoder of ours has one each 60
        let keys = try judge.entries("packet=flags", stream: "v:0").enumerated().filter { $1.hasPrefix("K") }
        #expect(keys.map(\.offset).prefix(2) == [0, 30])
      }
      #expect(try client.start(.medium).encoder != "camera")
      pass(0.5)
      try expectPlayable(try client.stop())
      #expect(try client.start(.high, settings: .init(container: .webm)).encoder == "vp8enc")
      pass(0.5)
      try expectPlayable(try client.stop())
    }
  }

  /// Pauses and segments of a camera's own pictures begin with its key frames.
  @Test func pausesAndSegmentsOfACamerasOwnPictures() async throws {
    try await withDaemon(.init(camera: Source.h264(keyInterval: 15)), share: .half) { daemon in
      let client = try daemon.client()
      let events = try daemon.events()
      try client.setMode(.video)
      pass(0.3)
      #expect(try client.start(.high).encoder == "camera")
      for _ in 0..<3 {
        pass(0.7)
        try client.call(PauseRecording.self, .init())
        pass(0.6)
        try client.call(ResumeRecording.self, .init())
      }
      pass(0.8)
      let result = try client.stop()
      #expect(result.droppedFrames == 0 && result.message == nil)
      try expectPlayable(result)
      #expect(try result.judge().largestGap() < 2.1 / 30)
      try expectEqualExtent(try result.judge())
      #expect((result.asset?.duration ?? 9) < 4.5)

      let parameters = StartRecording.Parameters(quality: .high, segmentDuration: 1)
      #expect(try client.call(StartRecording.self, parameters).recording.encoder == "camera")
      let first = try #require(try events.next(.segmentFinished).result)
      let second = try #require(try events.next(.segmentFinished).result)
      let last = try client.stop()
      for part in [first, second, last] {
        try expectPlayable(part)
        #expect(part.droppedFrames == 0)
      }
      // whole groups from key frame to key frame
      #expect(first.frames % 15 == 0 && second.frames % 15 == 0, "\(first.frames), \(second.frames)")
    }
  }
}
