import CameraProtocol
import Foundation
import TestSupport
import Testing

/// A daemon that is killed while it records, and its next start.
@Suite struct KillTests {
  enum Sound: String, CaseIterable, Sendable {
    case tone, silence, none
  }

  @Test(arguments: Sound.allCases, [1.6, 2.3])
  func losesAtMostASecondWhenKilled(sound: Sound, after: Double) async throws {
    try await Turn.take {
      let folder = try TestFolder()
      var setup = TestDaemon.Setup(microphone: sound == .silence ? Source.silence : Source.tone)
      if sound == .none { setup.microphones = [] }
      let daemon = try TestDaemon(setup, in: folder)
      let client = try daemon.client()
      var finished: [RecordingResult] = []
      for _ in 0..<2 { finished.append(try client.record(0.6, audio: sound != .none)) }
      let before = try daemon.files(".mp4").map { try Data(contentsOf: URL(filePath: $0)) }
      try client.start(audio: sound != .none)
      let start = ContinuousClock.now
      pass(after)
      daemon.process.send(SIGKILL)
      let time = Double((ContinuousClock.now - start) / .milliseconds(1)) / 1000
      #expect(daemon.process.waitForExit(within: 5) == .signalled(SIGKILL))

      // as it lies there
      let draft = MovieJudge(try #require(try daemon.files(".partial").first))
      #expect(try draft.complaints() == "")
      let picture = try #require(try draft.frameTimes().last)
      #expect(picture >= time - 1, "\(picture) of \(time) s")
      if sound != .none {
        let last = try draft.entries("packet=pts_time", stream: "a:0").compactMap { Double($0.prefix { $0 != "," }) }
        #expect(try #require(last.max()) >= time - 1, "sound up to \(last.max() ?? 0) of \(time) s")
      }

      // a socket file is left behind, and a movie to finish
      #expect(FileManager.default.fileExists(atPath: daemon.socket))
      let second = try TestDaemon(setup, in: folder)
      let movies = try second.files(".mp4")
      #expect(movies.count == 3)
      #expect(try movies.prefix(2).map { try Data(contentsOf: URL(filePath: $0)) } == before)
      let recovered = MovieJudge(try #require(movies.last))
      try expectPlayable(recovered)
      try expectOrdinary(recovered)
      #expect(try recovered.duration() >= time - 1)
      #expect(try recovered.entries("stream=codec_type", stream: "a").count == (sound == .none ? 0 : 1))
      let told = second.log.contains(recovered.path)
      #expect(told)
      try second.client().photo()
      try second.stop()

      let all = try second.album()
      let third = try TestDaemon(setup, in: folder)
      #expect(try third.album() == all)
      let toldAgain = third.log.contains(recovered.path)
      #expect(!toldAgain)
      try third.stop()
    }
  }

  /// The movie is finished whatever ends the daemon in an orderly way.
  @Test(arguments: [[SIGTERM], [SIGINT], [SIGTERM, SIGTERM], [SIGHUP]])
  func finishesTheMovieOnASignal(signals: [Int32]) async throws {
    try await Turn.take {
      let daemon = try TestDaemon(.init(), in: try TestFolder())
      let client = try daemon.client()
      try client.start()
      let start = ContinuousClock.now
      pass(1.5)
      for signal in signals.dropLast() { daemon.process.send(signal) }
      let time = Double((ContinuousClock.now - start) / .milliseconds(1)) / 1000
      try daemon.stop(try #require(signals.last))
      #expect(ContinuousClock.now - start < .seconds(1.5 + 5))
      let judge = MovieJudge(try #require(try daemon.files(".mp4").first))
      try expectPlayable(judge)
      try expectOrdinary(judge)
      #expect(abs(try judge.duration() - time) < 0.5)
    }
  }

  @Test func stopsWithViewersThatDoNotRead() async throws {
    try await withDaemon { daemon in
      let (reading, writing) = try PreviewReader.pipe()
      let client = try daemon.client()
      try client.call(Preview.self, .init(output: 0), descriptors: [writing], more: true)
      let events = try daemon.events()
      let start = ContinuousClock.now
      try daemon.stop()
      #expect(ContinuousClock.now - start < .seconds(5))
      withExtendedLifetime((reading, events)) {}
    }
  }
}
