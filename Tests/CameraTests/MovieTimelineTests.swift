import Testing

@testable import Camera

/// A movie's time has no pauses.
@Suite struct MovieTimelineTests {
  private static let second: UInt64 = 1_000_000_000
  private static let rate = SoundFormat.rate

  /// Begins at 10 s; pauses from 12 to 15 s and from 16 to 16.5 s.
  private var timeline: MovieTimeline {
    var timeline = MovieTimeline()
    timeline.begin(at: 10 * Self.second)
    timeline.pause(at: 12 * Self.second)
    timeline.resume(at: 15 * Self.second)
    timeline.pause(at: 16 * Self.second)
    timeline.resume(at: 16 * Self.second + Self.second / 2)
    return timeline
  }

  @Test func pausesAreNoTime() {
    #expect(timeline.paused == 3 * Self.second + Self.second / 2)
    #expect(timeline.position(of: 17 * Self.second) == 3 * Self.second + Self.second / 2)
    #expect(!timeline.isPaused)
  }

  @Test func aPauseWithinAPauseIsNone() {
    var timeline = timeline
    timeline.pause(at: 17 * Self.second)
    timeline.pause(at: 18 * Self.second)
    #expect(timeline.isPaused)
    timeline.resume(at: 19 * Self.second)
    timeline.resume(at: 20 * Self.second)
    #expect(timeline.paused == 5 * Self.second + Self.second / 2)
  }

  /// One buffer over everything: what is before the movie keeps its place, what is in a pause is left out.
  @Test func soundIsCutWhereThePictureIs() {
    let pieces = timeline.pieces(of: 8 * Self.rate, at: 9 * Self.second)
    #expect(
      pieces == [
        .init(range: 0..<3 * Self.rate, position: -Self.rate),
        .init(range: 6 * Self.rate..<7 * Self.rate, position: 2 * Self.rate),
        .init(range: 7 * Self.rate + Self.rate / 2..<8 * Self.rate, position: 3 * Self.rate),
      ])
  }

  /// However it is cut into buffers, each sample ends up in the same place.
  @Test(arguments: [1, 7, 480, 4801])
  func soundInSmallBuffersIsTheSame(size: Int) {
    var timeline = MovieTimeline()
    timeline.begin(at: 0)
    for pause in [(1, 2), (3, 3), (4, 6)] {
      timeline.pause(at: UInt64(pause.0) * Self.second)
      timeline.resume(at: UInt64(pause.1) * Self.second)
    }
    var places: [Int] = []
    let count = 7 * Self.rate
    var start = 0
    while start < count {
      let length = min(size * 10, count - start)
      for piece in timeline.pieces(of: length, at: SoundFormat.nanoseconds(in: start)) {
        places += piece.position..<piece.position + piece.range.count
      }
      start += length
    }
    #expect(places == Array(0..<4 * Self.rate))
  }

  @Test func nothingIsTakenWhileThePauseLasts() {
    var timeline = timeline
    timeline.pause(at: 20 * Self.second)
    #expect(timeline.pieces(of: 480, at: 21 * Self.second) == [])
    #expect(timeline.pieces(of: Self.rate, at: 19 * Self.second + Self.second / 2).map(\.range) == [0..<Self.rate / 2])
    #expect(MovieTimeline().pieces(of: 480, at: 0) == [])
  }
}
