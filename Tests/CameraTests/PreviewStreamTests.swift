import CameraProtocol
import Foundation
import GStreamer
import TestSupport
import Testing

@testable import Camera

/// One stream through whatever a source changes to.
@Suite(.timeLimit(.minutes(1))) struct PreviewStreamTests {
  private let clock = SystemClock()
  private let folder: TemporaryFolder

  init() throws {
    try GStreamer.initialize()
    folder = try TemporaryFolder()
  }

  /// The writing end of a pipe.
  private final class Output: OpenDescriptor {
    let rawValue: Int32
    init(_ pipe: Pipe) {
      rawValue = dup(pipe.fileHandleForWriting.fileDescriptor)
      _ = fcntl(rawValue, F_SETFL, O_NONBLOCK)
    }
    deinit { close(rawValue) }
  }

  /// Shows `count` frames of a live source to the stream.
  private func show(_ source: String, _ count: Int, to stream: PreviewStream) async throws {
    let pipeline = try Pipeline(
      launch: "videotestsrc is-live=true num-buffers=\(count) ! \(source) ! appsink name=s sync=false", clock: clock)
    try AppSink(pipeline, "s").onSample { stream.consume($0) }
    try pipeline.play()
    for await message in pipeline.messages {
      guard case .endOfStream = message else { continue }
      break
    }
    pipeline.stop()
  }

  @Test(arguments: [PreviewFormat.matroska, .mjpeg, .raw])
  func goesOnWhateverTheSourceChangesTo(format: PreviewFormat) async throws {
    let pipe = Pipe()
    let size = SourceFormat(width: 320, height: 240, frameRate: Fraction(30), mediaType: "video/x-raw")
    let stream = try PreviewStream(
      id: "v", camera: "c", source: size, format: format, followsSelection: false, requester: Requester(),
      descriptor: Output(pipe), clock: clock)
    try stream.show(size, camera: "c")
    async let reading = blocking { Self.read(pipe.fileHandleForReading, until: 48, format) }
    let raw = "video/x-raw,format=YUY2,width=320,height=240,framerate=30/1"
    let jpeg = "video/x-raw,format=I420,width=320,height=240,framerate=20/1 ! jpegenc"
    let largeJPEG = "video/x-raw,format=I420,width=640,height=480,framerate=20/1 ! jpegenc"
    for source in [raw, jpeg, largeJPEG, "video/x-raw,format=NV12,width=160,height=120,framerate=10/1", jpeg, raw] {
      try await show(source, 8, to: stream)
    }
    #expect(stream.counts.frames == 48)
    #expect(stream.counts.dropped == 0)
    #expect(stream.ended.current == nil)
    let data = await reading
    stream.close()
    guard format == .matroska else { return }
    let file = folder.file("preview.mkv")
    try data.write(to: URL(filePath: file))
    #expect(try MovieJudge(file).complaints() == "")
    #expect(try MovieJudge(file).entries("stream=codec_name,width,height") == ["mjpeg,320,240"])
    let times = try MovieJudge(file).frameTimes()
    #expect(times.count == 48)
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
  }

  /// All bytes up to that picture, the last of which is whole.
  private static func read(_ input: FileHandle, until count: Int, _ format: PreviewFormat) -> Data {
    var (data, buffer) = (Data(), [UInt8](repeating: 0, count: 1 << 16))
    while pictures(data, format) < count {
      let length = Foundation.read(input.fileDescriptor, &buffer, buffer.count)
      guard length > 0 else { break }
      data += buffer.prefix(length)
    }
    return data
  }

  private static func pictures(_ data: Data, _ format: PreviewFormat) -> Int {
    if format == .raw { return data.count / (320 * 240 * 3 / 2) }
    // inside of a picture no marker looks like its end; between two of Matroska's anything may
    var (count, start) = (0, data.startIndex)
    while let begin = data.range(of: Data([0xFF, 0xD8, 0xFF]), in: start..<data.endIndex),
      let end = data.range(of: Data([0xFF, 0xD9]), in: begin.upperBound..<data.endIndex)
    {
      count += 1
      start = end.upperBound
    }
    return count
  }
}
