import CameraProtocol
import GStreamer
import TestSupport
import Testing

@testable import Camera

/// What container and codecs a request comes to.
@Suite struct MovieFormatTests {
  init() throws { try GStreamer.initialize() }

  private func format(_ settings: MovieSettings) throws -> String {
    let format = try MovieFormat(settings)
    return "\(format.fileExtension): \(format.video?.rawValue ?? "-") \(format.audio.rawValue)"
  }

  @Test(arguments: [
    (MovieSettings(), "mp4: h264 aac"), (MovieSettings(container: .matroska), "mkv: h264 aac"),
    (MovieSettings(container: .webm), "webm: vp8 opus"), (MovieSettings(videoCodec: .vp9), "webm: vp9 opus"),
    (MovieSettings(audioCodec: .opus), "webm: vp8 opus"),
    (MovieSettings(videoCodec: .h264, audioCodec: .opus), "mkv: h264 opus"),
    (MovieSettings(container: .matroska, videoCodec: .vp9), "mkv: vp9 opus"),
    (MovieSettings(videoCodec: .vp8, audioCodec: .aac), "mkv: vp8 aac"), (MovieSettings(video: false), "m4a: - aac"),
    (MovieSettings(container: .ogg, video: false), "ogg: - opus"),
    (MovieSettings(audioCodec: .opus, video: false), "ogg: - opus"),
    (MovieSettings(container: .matroska, video: false), "mka: - aac"),
    (MovieSettings(container: .webm, video: false), "webm: - opus"),
  ]) func completesWhatIsNotSaid(_ settings: MovieSettings, _ expected: String) throws {
    #expect(try format(settings) == expected)
  }

  @Test(arguments: [
    MovieSettings(container: .mp4, videoCodec: .vp8), MovieSettings(container: .mp4, videoCodec: .vp9),
    MovieSettings(container: .mp4, audioCodec: .opus), MovieSettings(container: .webm, videoCodec: .h264),
    MovieSettings(container: .webm, audioCodec: .aac), MovieSettings(container: .ogg),
    MovieSettings(container: .ogg, audioCodec: .aac, video: false), MovieSettings(videoCodec: .vp8, video: false),
  ]) func refusesWhatAContainerCanNotHold(_ settings: MovieSettings) throws {
    let error = try refusal(CameraError.self) { _ = try MovieFormat(settings) }
    #expect(error.kind == .notSupported)
  }

  private func source(_ width: Int, _ height: Int, _ type: String = "video/x-h264") -> SourceFormat {
    SourceFormat(width: width, height: height, frameRate: Fraction(30), mediaType: type)
  }

  @Test func ownSizeRateAndBitRateTakeThePlaceOfThePresets() throws {
    let raw = source(1280, 720, "video/x-raw")
    let settings = MovieSettings(width: 960, height: 720, frameRate: 23, bitRate: 4_000_000)
    let plan = try MoviePlan(.low, settings: settings, source: raw, camera: "c")
    #expect([plan.width, plan.height, plan.videoBitRate] == [960, 720, 4_000_000])
    #expect(plan.frameRate.value == 23)
    #expect(plan.crop.left + plan.crop.right == 320)
    let quick = MovieSettings(width: 640, height: 360, frameRate: 120)
    #expect(try MoviePlan(.medium, settings: quick, source: raw, camera: "c").frameRate == Fraction(30))
    let large = MovieSettings(width: 1920, height: 1080)
    let error = try refusal(CameraError.self) { _ = try MoviePlan(.low, settings: large, source: raw, camera: "c") }
    #expect(error.kind == .notSupported)
    #expect(error.detail.message.contains("1280x720"))
  }

  @Test func theCamerasOwnPicturesGoInWhereAllIsEqual() throws {
    func passes(
      _ quality: Quality, _ settings: MovieSettings = .init(), _ camera: SourceFormat? = nil
    ) throws -> Bool {
      let camera = camera ?? source(1280, 720)
      return try MoviePlan(quality, settings: settings, source: camera.picture, delivered: camera, camera: "c").passes
    }
    #expect(try passes(.high))
    #expect(try passes(.hd720))
    #expect(try passes(.high, MovieSettings(container: .matroska, audioCodec: .opus)) == true)
    #expect(try passes(.medium, MovieSettings(width: 1280, height: 720)))
    #expect(try !passes(.medium))
    #expect(try !passes(.low))
    #expect(try !passes(.vga))
    #expect(try !passes(.high, MovieSettings(container: .webm)))
    #expect(try !passes(.high, MovieSettings(bitRate: 1_000_000)))
    #expect(try !passes(.high, MovieSettings(frameRate: 15)))
    #expect(try !passes(.high, .init(), source(1280, 720, "image/jpeg")))
    #expect(try !passes(.hd720, .init(), source(1280, 960)))
    #expect(try !passes(.high, .init(), source(641, 481)))
  }
}
