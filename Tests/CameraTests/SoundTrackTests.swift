import Testing

@testable import Camera

/// Sound stays in step with the picture whatever the microphone does.
@Suite struct SoundTrackTests {
  @Test func soundBeforeTheFirstFrameIsCutOff() {
    var track = SoundTrack()
    #expect(track.place(480, at: -480) == [])
    #expect(track.place(480, at: -100) == [.sound(100..<480)])
    #expect(track.length == 380)
  }

  @Test func theFirstSoundStandsExactlyWhereItBelongs() {
    var track = SoundTrack()
    #expect(track.place(480, at: 300) == [.silence(300), .sound(0..<480)])
  }

  @Test func jitterIsNoGap() {
    var track = SoundTrack()
    _ = track.place(480, at: 0)
    #expect(track.place(480, at: 500) == [.sound(0..<480)])
    #expect(track.place(480, at: 940) == [.sound(0..<480)])
    #expect(track.length == 1440)
    #expect(track.silent == 0)
  }

  @Test func aGapBecomesSilence() {
    var track = SoundTrack()
    _ = track.place(480, at: 0)
    #expect(track.place(480, at: 4800) == [.silence(4320), .sound(0..<480)])
    #expect(track.silent == 4320)
  }

  @Test func aMicrophoneThatStartsLateIsPreceededBySilence() {
    var track = SoundTrack()
    var silence = 0
    for frame in 1...30 {
      for case .silence(let count) in track.pictureReached(frame * 1600) { silence += count }
    }
    #expect(silence > 0 && silence == track.length)
    let before = track.length
    #expect(track.place(480, at: 48_000) == [.silence(48_000 - before), .sound(0..<480)])
  }

  @Test func soundThatComesTwiceIsLeftOut() {
    var track = SoundTrack()
    _ = track.fill(to: 48_000)
    #expect(track.place(4800, at: 40_000) == [])
    #expect(track.place(4800, at: 45_000) == [.sound(3000..<4800)])
    #expect(track.length == 49_800)
  }

  @Test func theEndIsExact() {
    var track = SoundTrack()
    _ = track.place(480, at: 0)
    track.end = 700
    #expect(!track.isComplete)
    #expect(track.place(480, at: 480) == [.sound(0..<220)])
    #expect(track.isComplete)
    #expect(track.place(480, at: 960) == [])
    #expect(track.fill(to: 10_000) == [])
  }

  @Test(arguments: [0, 1, 47_999, 48_000, 48_001, 172_800_001, 4_492_800_000])
  func positionsSurviveTheWayThroughNanoseconds(_ samples: Int) {
    #expect(SoundFormat.samples(in: Int64(SoundFormat.nanoseconds(in: samples))) == samples)
  }
}
