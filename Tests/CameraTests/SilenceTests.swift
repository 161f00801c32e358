import Testing

@testable import Camera

/// When a camera counts as silent.
@Suite struct SilenceTests {
  @Test func countsLooksWithoutANewFrame() {
    var silence = Silence()
    for look in 0..<4 {
      silence.look(1_000)
      #expect(silence.seconds == look)
    }
    silence.look(2_000)
    #expect(silence.seconds == 0)
  }

  /// The daemon was frozen: the newest frame is a minute old at the first look, and a new one is there at the next.
  @Test func timeInWhichNobodyLookedDoesNotCount() {
    var silence = Silence()
    silence.look(1_000)
    silence.look(2_000)
    silence.look(60_000_002_000)
    #expect(silence.seconds == 0)
  }
}
