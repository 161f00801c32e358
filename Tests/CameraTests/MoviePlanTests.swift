import CameraProtocol
import GStreamer
import TestSupport
import Testing

@testable import Camera

/// What a preset makes of what a source delivers.
@Suite struct MoviePlanTests {
  private func source(_ width: Int, _ height: Int, _ rate: Int = 30) -> SourceFormat {
    SourceFormat(
      width: width, height: height, frameRate: Fraction(rate), mediaType: "video/x-raw", pixelFormat: "I420")
  }

  private func plan(_ quality: Quality, _ source: SourceFormat) throws -> MoviePlan {
    try MoviePlan(quality, source: source, camera: "c")
  }

  @Test(arguments: [
    (Quality.low, 1920, 1080, 256, 144), (.medium, 1920, 1080, 640, 360), (.high, 1920, 1080, 1920, 1080),
    (.vga, 1920, 1080, 640, 480), (.hd720, 1920, 1080, 1280, 720), (.hd1080, 1920, 1080, 1920, 1080),
    (.low, 640, 480, 192, 144), (.medium, 640, 480, 480, 360), (.high, 641, 481, 640, 480),
    (.medium, 1080, 1920, 360, 640), (.high, 2, 2, 2, 2), (.medium, 320, 180, 320, 180),
  ])
  func sizesFollowTheTable(_ quality: Quality, _ width: Int, _ height: Int, _ expectedWidth: Int, _ expectedHeight: Int)
    throws
  {
    let made = try plan(quality, source(width, height))
    #expect([made.width, made.height] == [expectedWidth, expectedHeight])
  }

  @Test(arguments: Quality.allCases, [(1920, 1080), (641, 481), (1440, 1080), (1281, 1023), (3840, 2160)])
  func circlesStayRound(_ quality: Quality, _ size: (Int, Int)) throws {
    guard let made = try? plan(quality, source(size.0, size.1)) else { return }
    let cutWidth = Double(size.0 - made.crop.left - made.crop.right)
    let cutHeight = Double(size.1 - made.crop.top - made.crop.bottom)
    let stretch = (Double(made.width) / cutWidth) / (Double(made.height) / cutHeight)
    #expect(abs(stretch - 1) < 0.015, "\(made)")
    #expect(made.crop.left % 2 == 0 && made.crop.top % 2 == 0)
  }

  @Test func moreThanTheCameraHasIsRefusedAndTheAnswerListsWhatExists() throws {
    let error = try refusal(CameraError.self) { _ = try plan(.hd1080, source(1280, 720)) }
    #expect(error.kind == .notSupported)
    #expect(error.detail.message.contains("low, medium, high, 640x480, 720p"))
  }

  @Test func tooSmallForAMovieIsRefusedWithTheSize() throws {
    let error = try refusal(CameraError.self) { _ = try plan(.medium, source(1, 1)) }
    #expect(error.kind == .notSupported)
    #expect(error.detail.message.contains("1x1"))
  }

  @Test func bitRatesGiveTheSizesOfTheTable() throws {
    let vga = source(640, 480)
    for (quality, megabytes) in [(Quality.low, 1.8), (.medium, 8.4), (.high, 32.0)] {
      let made = try plan(quality, vga)
      let expected = Double(made.videoBitRate + made.audioBitRate) / 8 * 90 / 1e6
      #expect(abs(expected - megabytes) / megabytes < 0.1, "\(quality): \(expected) MB")
    }
  }

  @Test func lowTakesEverySecondFrame() throws {
    #expect(try plan(.low, source(640, 480)).frameRate == Fraction(15))
    #expect(try plan(.low, source(640, 480, 10)).frameRate == Fraction(10))
    #expect(try plan(.high, source(640, 480, 60)).frameRate == Fraction(60))
  }

  @Test func aFormatThatCannotBeDecodedIsRefused() throws {
    let encoded = SourceFormat(width: 640, height: 480, frameRate: Fraction(30), mediaType: "video/x-h265")
    let error = try refusal(CameraError.self) {
      _ = try MoviePlan(.medium, source: encoded, camera: "c").pipeline(
        encoded, camera: "c", audio: false, encoder: VideoEncoder(element: "x264enc"))
    }
    #expect(error.kind == .notSupported)
  }
}

/// When a camera's exposure has come to rest.
@Suite struct ExposureJudgementTests {
  private func framesUntilSteady(_ brightness: [Double]) -> Int? {
    var judgement = ExposureMeter.Judgement()
    for (index, value) in brightness.enumerated() where judgement.isSteady(value) { return index + 1 }
    return nil
  }

  @Test func aCameraThatClimbsFromBlackIsGivenItsTime() throws {
    let climbing = (0..<60).map { min(Double($0), 25) * 5 }
    let frames = try #require(framesUntilSteady(climbing))
    #expect(frames >= 26 && frames <= 32)
  }

  @Test func aSteadyCameraIsReadyAtOnce() {
    #expect(framesUntilSteady(Array(repeating: 100, count: 60)) == ExposureMeter.Judgement.agreeing)
  }

  @Test func aDarkRoomTakesLonger() {
    #expect(framesUntilSteady(Array(repeating: 1, count: 60)) == ExposureMeter.Judgement.agreeingDark)
  }

  @Test func blackThatOnlyComesFirstIsNotTakenForTheScene() throws {
    let late = Array(repeating: 0.0, count: 10) + Array(repeating: 120.0, count: 30)
    let frames = try #require(framesUntilSteady(late))
    #expect(frames > 10)
  }
}
