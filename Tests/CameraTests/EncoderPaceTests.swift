import CameraProtocol
import GStreamer
import Testing

@testable import Camera

/// What happens where an encoder can't keep up.
@Suite struct EncoderPaceTests {
  private static let second: UInt64 = 1_000_000_000

  /// How many of the 30 pictures of a second are taken.
  private func taken(_ pace: inout EncoderPace, second: UInt64, waiting: UInt64) -> (taken: Int, slowed: Int) {
    (0..<30).reduce(into: (0, 0)) { sums, index in
      let answer = pace.take(second * Self.second + UInt64(index) * Self.second / 30, waiting: waiting)
      sums.0 += answer.takes ? 1 : 0
      sums.1 += answer.slowed ? 1 : 0
    }
  }

  @Test func allIsTakenAsLongAsTheEncoderFollows() {
    var pace = EncoderPace()
    for second in 0..<5 { #expect(taken(&pace, second: UInt64(second), waiting: EncoderPace.patience) == (30, 0)) }
  }

  @Test func picturesAreLeftOutStepByStepAndEvenly() {
    var pace = EncoderPace()
    let late = EncoderPace.patience + 1
    #expect(taken(&pace, second: 0, waiting: late) == (15, 1))
    // the step is given time to show what it does
    #expect(taken(&pace, second: 1, waiting: late) == (15, 0))
    #expect(taken(&pace, second: 2, waiting: late) == (8, 1))
    #expect(taken(&pace, second: 4, waiting: late).slowed == 0)
    #expect(pace.divisor == EncoderPace.slowest)
    // what was lowered stays: a rate that goes up and down is worse than a low one
    #expect((7...8).contains(taken(&pace, second: 6, waiting: 0).taken))
  }

  @Test func theNextRecordingHasFewerPicturesThenSmallerOnes() throws {
    let source = SourceFormat(
      width: 1920, height: 1080, frameRate: Fraction(30), mediaType: "video/x-raw", pixelFormat: "I420")
    let plan = try MoviePlan(.hd1080, source: source, camera: "c")
    var strain = Strain()
    strain.add(1)
    #expect(strain.eased(plan, source: source, camera: "c") == plan)
    strain.add(2)
    let slower = strain.eased(plan, source: source, camera: "c")
    #expect(slower.frameRate.value == 15 && slower.width == 1920)
    strain.add(2)
    let smaller = strain.eased(plan, source: source, camera: "c")
    #expect(smaller.frameRate.value == 15 && smaller.width == 1280)
    let low = try MoviePlan(.low, source: source, camera: "c")
    #expect(strain.eased(low, source: source, camera: "c").width == low.width)
  }
}
