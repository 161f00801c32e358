import CameraProtocol
import TestSupport
import Testing

/// What a daemon keeps open when nobody wants anything of it.
@Suite struct IdleTests {
  @Test func closesASessionThatNobodyUses() async throws {
    try await withDaemon(.init(lines: ["IdleTimeout=1s"])) { daemon in
      let client = try daemon.client()
      let events = try daemon.events()
      let before = (try daemon.process.descriptorCount(), try daemon.process.threadCount())
      var rounds: [(Int, Int)] = []
      for _ in 0..<2 {
        try client.photo()
        let result = try client.record(0.6)
        let used = try client.camera()
        #expect(used.state == .warm)
        #expect(used.format != nil)
        #expect(used.microphone == "mic")
        try expectPlayable(result)
        pass(2.5)
        let status = try client.camera()
        #expect(status.state == .cold)
        #expect(status.format == nil)
        #expect(status.microphone == nil)
        #expect(status.frames == 0)
        rounds.append((try daemon.process.descriptorCount(), try daemon.process.threadCount()))
      }
      #expect(rounds[1].0 <= rounds[0].0, "\(before), \(rounds)")
      #expect(rounds[1].0 <= before.0 + 2, "\(before), \(rounds)")
      #expect(rounds[1].1 <= rounds[0].1 + 2, "\(before), \(rounds)")
      withExtendedLifetime(events) {}
    }
  }

  @Test func staysWarmAsLongAsSomebodyLooks() async throws {
    try await withDaemon(.init(lines: ["IdleTimeout=1s"])) { daemon in
      let client = try daemon.client()
      let reader = try PreviewReader(daemon, "preview", .mjpeg)
      pass(2)
      #expect(try client.camera().state == .warm)
      try client.start()
      pass(1.5)
      #expect(try client.camera().recording != nil)
      try expectPlayable(try client.stop())
      _ = try reader.stop(with: client)
      pass(2)
      #expect(try client.camera().state == .cold)
    }
  }
}
