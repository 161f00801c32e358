import CameraProtocol
import Foundation
import TestSupport
import Testing

/// The machine's clock is set while the daemon runs: by an hour forward, then far back.
@Suite struct ClockTests {
  /// A clock that goes wrong by what a file says; only what tells the time of day does.
  private struct FalseClock {
    let file: String

    init(in folder: TestFolder) throws {
      file = folder.file("clock")
      try set("+0")
    }

    func set(_ offset: String) throws {
      try "\(offset)\n".write(toFile: file, atomically: true, encoding: .utf8)
    }

    func environment() throws -> [String: String] {
      let folders = try FileManager.default.contentsOfDirectory(atPath: "/usr/lib").map { "/usr/lib/\($0)/faketime" }
      let library = try #require(
        folders.map { "\($0)/libfaketimeMT.so.1" }.first { FileManager.default.fileExists(atPath: $0) })
      return [
        "LD_PRELOAD": library, "FAKETIME_TIMESTAMP_FILE": file, "FAKETIME_NO_CACHE": "1", "NO_FAKE_STAT": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1",
      ]
    }
  }

  @Test func aMovieKnowsNothingOfIt() async throws {
    let folder = try TestFolder()
    let clock = try FalseClock(in: folder)
    var setup = TestDaemon.Setup(camera: Source.flips, microphone: Source.ticks)
    setup.environment = try clock.environment()
    // The library changes its process's environment before Swift looks for the arguments beside it; a shell is first.
    setup.shell = ":"
    try await withDaemon(setup, share: .half) { daemon in
      let client = try daemon.client()
      let start = Date.now
      let before = try client.photo().asset
      let begun = ContinuousClock.now
      try client.start(.medium)
      for offset in ["+3600", "-7200", "+0"] {
        pass(2)
        try clock.set(offset)
      }
      pass(1)
      try clock.set("+3600")
      let late = try client.photo().asset
      try clock.set("-7200")
      let early = try client.photo().asset
      let result = try client.stop()
      let elapsed = Double((ContinuousClock.now - begun) / .milliseconds(1)) / 1000
      #expect(result.droppedFrames == 0)
      try expectPlayable(result)
      let judge = try result.judge()
      #expect(try judge.largestGap() < 0.1)
      try expectEqualExtent(judge)
      try expectInSync(judge, flips: 2)
      let asset = try #require(result.asset)
      #expect(try #require(asset.duration) > 7 && (asset.duration ?? 0) <= elapsed + 0.1, "\(elapsed)")
      // it has the time at which it began, and the photos what the clock said then
      #expect(abs(Self.seconds(asset) - start.timeIntervalSince1970) < 5)
      #expect(abs(Self.seconds(before) - start.timeIntervalSince1970) < 5)
      #expect(abs(Self.seconds(late) - Self.seconds(asset) - 3607) < 30, "\(late.time)")
      #expect(abs(Self.seconds(early) - Self.seconds(asset) + 7193) < 30, "\(early.time)")
      #expect(try daemon.album().count == 4)
    }
  }

  private static func seconds(_ asset: Asset) -> Double {
    Double(asset.time.seconds) + Double(asset.time.nanoseconds) / 1e9
  }
}
