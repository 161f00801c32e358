import CameraProtocol
import Foundation
import GStreamer
import MovieFile
import TestSupport
import Testing

@testable import Camera

/// How large movies become. A busy scene is a zone plate that moves at every point; a still one is colour bars.
@Suite(.serialized, .timeLimit(.minutes(5))) struct PresetSizeTests {
  private let clock = SystemClock()
  private let folder: TemporaryFolder
  /// The movie lasts so long, and counts for one of 90.
  private let seconds = 30

  init() throws {
    try GStreamer.initialize()
    folder = try TemporaryFolder()
  }

  /// Megabytes of 90 seconds, made as fast as the encoder takes the pictures of a 640x480 camera.
  private func megabytes(
    _ quality: Quality, _ picture: String, encoder: VideoEncoder = VideoEncoder(element: "x264enc")
  ) async throws -> Double {
    let camera = SourceFormat(
      width: 640, height: 480, frameRate: Fraction(30), mediaType: "video/x-raw", pixelFormat: "I420")
    let plan = try MoviePlan(quality, source: camera, camera: "c")
    let queue = "format=time is-live=false block=false max-bytes=0 max-buffers=0 max-time=0"
    let pictures =
      "videotestsrc \(picture) num-buffers=\(Int(Double(seconds) * plan.frameRate.value)) ! "
      + "video/x-raw,format=I420,width=640,height=480,framerate=\(plan.frameRate)"
    let sound =
      "audiotestsrc wave=pink-noise samplesperbuffer=480 num-buffers=\(seconds * 100) ! \(SoundFormat.caps)"
    let line = try plan.pipeline(camera, camera: "c", audio: true, encoder: encoder)
      .replacingOccurrences(of: "appsrc name=video \(queue)", with: pictures)
      .replacingOccurrences(
        of: "appsrc name=audio \(queue) caps=\(LaunchLine.quote(SoundFormat.caps))", with: sound)
    #expect(!line.contains("appsrc"))
    let path = folder.file("\(quality.rawValue).mp4")
    let pipeline = try Pipeline(launch: line, clock: clock)
    try pipeline.element("file").set("location", path)
    try pipeline.play()
    for await message in pipeline.messages {
      if case .error(let error) = message { throw error }
      if case .endOfStream = message { break }
    }
    pipeline.stop()
    let descriptor = open(path, O_RDWR)
    defer { close(descriptor) }
    let movie = try MovieFinisher.finish(at: descriptor, metadata: MovieMetadata())
    #expect(abs(movie.duration - Double(seconds)) < 0.2)
    #expect(movie.frames == Int(Double(seconds) * plan.frameRate.value))
    return Double(movie.bytes) / 1e6 * 90 / movie.duration
  }

  @Test(arguments: [(Quality.low, 1.8), (.medium, 8.4), (.high, 32.0)])
  func aBusySceneComesToTheTableAndAStillOneToLess(_ quality: Quality, _ expected: Double) async throws {
    let busy = try await megabytes(quality, "pattern=zone-plate kx2=20 ky2=20 kt=1")
    #expect(abs(busy - expected) / expected < 0.15, "\(quality): \(busy) MB, not \(expected)")
    let still = try await megabytes(quality, "pattern=smpte75")
    #expect(still < busy * 0.7, "\(quality): \(still) MB")
  }

  @Test func theOtherEncoderComesToTheTableToo() async throws {
    let busy = try await megabytes(
      .medium, "pattern=zone-plate kx2=20 ky2=20 kt=1", encoder: VideoEncoder(element: "openh264enc"))
    #expect(abs(busy - 8.4) / 8.4 < 0.15, "\(busy) MB")
  }
}
