import CameraProtocol
import Foundation
import GStreamer
import TestSupport
import Testing

@testable import Editing

/// Where there is no x264, the edges are encoded with OpenH264.
@Suite struct OpenH264Tests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder(inMemory: true) }

  @Test(
    .enabled(if: isInstalled),
    arguments: [
      CountingMovie(name: "high.mp4"),
      CountingMovie(
        name: "baseline.mp4", rate: "25",
        encoding: ["-c:v", "libx264", "-preset", "veryfast", "-profile:v", "baseline", "-g", "50"]),
      CountingMovie(name: "high.mkv"),
    ])
  func edgesHaveParametersOfTheirOwn(_ movie: CountingMovie) throws {
    let source = try movie.make(in: folder)
    let seen = try SeenFrames(ffmpeg: source, in: folder)
    let target = folder.file("cut." + movie.name.suffix(3))
    let cut = try cut(source, to: target)
    let result = try SeenFrames(ffmpeg: target, in: folder)
    #expect(result.numbers.count == cut.frames && cut.reencodedFrames > 5)
    let first = result.numbers.first ?? 0
    #expect(result.numbers == Array(first..<first + cut.frames))
    let demuxer = target.hasSuffix("mkv") ? "matroskademux" : "qtdemux"
    #expect(try SeenFrames(gstreamer: target, demuxer: demuxer, in: folder).numbers == result.numbers)
    let likeness = zip(result.pictures, result.numbers).map { SeenFrames.likeness($0, seen.pictures[$1]) }
    #expect(likeness.filter { $0.isFinite }.count <= cut.reencodedFrames)
    #expect(likeness.allSatisfy { $0 > 36 }, "\(likeness.min() ?? 0)")
    #expect(try MovieJudge(target).complaints() == "")
  }

  @Test func withoutAnEncoderItSaysSo() throws {
    let source = try CountingMovie(name: "movie.mp4", seconds: 3).make(in: folder)
    let error = try refusal(CameraError.self) { _ = try cut(source, to: folder.file("cut.mp4"), with: ["nosuchenc"]) }
    #expect(error.kind == .notCompatible && error.detail.message.contains("x264enc"))
  }

  private func cut(_ source: String, to target: String, with encoders: [String] = ["openh264enc"]) throws
    -> TrimmedMovie
  {
    try GStreamer.initialize()
    let input = open(source, O_RDONLY | O_CLOEXEC)
    defer { close(input) }
    let plan = try MovieTrimmer.plan(source: input, from: 0.7, to: 2.75)
    let output = open(target, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    defer { close(output) }
    return try MovieTrimmer(encoders: encoders)
      .run(plan, source: input, target: output, progress: { _ in }, isCancelled: { false })
  }

  private static var isInstalled: Bool {
    (try? GStreamer.initialize()) != nil && GStreamer.hasElement("openh264enc")
  }
}
