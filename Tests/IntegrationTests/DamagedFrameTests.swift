import CameraProtocol
import Foundation
import TestSupport
import Testing

/// Cameras whose frames are cut off, empty, garbled or late, and those that change their pace.
@Suite struct DamagedFrameTests {
  /// JPEG pictures of 320x240, all different.
  private func pictures(_ count: Int, _ folder: TemporaryFolder) throws -> [[UInt8]] {
    let made = try Tool.run([
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=320x240:rate=30", "-frames:v", "\(count)", "-q:v",
      "7",
      folder.file("%03d.jpg"),
    ])
    #expect(made.status == 0, "\(made.errors)")
    return try (1...count).map { number in
      Array(try Data(contentsOf: URL(filePath: folder.file(String(format: "%03d.jpg", number)))))
    }
  }

  /// A photo as the camera delivered it: without the segment of metadata that was put in.
  private func delivered(_ photo: Asset) throws -> [UInt8] {
    var data = try Data(contentsOf: URL(filePath: try photo.file()))
    let segment = try #require(data.range(of: Data([0xFF, 0xE1])))
    let length = Int(data[segment.upperBound]) << 8 | Int(data[segment.upperBound + 1])
    data.removeSubrange(segment.lowerBound..<segment.upperBound + length)
    return Array(data)
  }

  static let jpegCaps = "image/jpeg,width=320,height=240,framerate=30/1"

  @Test func leavesDamagedPicturesOut() async throws {
    let good = try pictures(30, try TemporaryFolder())
    let camera = try NetworkCamera { number in
      let picture = good[number % good.count]
      switch number % 10 {
      case 3: return Array(picture.prefix(picture.count / 2))
      case 5: return Array(repeating: UInt8(truncatingIfNeeded: number), count: 3000)
      case 7: return Array(picture.prefix(300))
      // with a beginning and an end, and nonsense between them
      case 9: return Array(picture.prefix(700)) + Array(repeating: 0xA5, count: 4000) + [0xFF, 0xD9]
      default: return picture
      }
    }
    defer { camera.end() }
    try await withDaemon(.init(camera: camera.source(Self.jpegCaps)), share: .half) { daemon in
      let client = try daemon.client()
      let events = try daemon.events([.warning])
      try client.setMode(.video)
      let matroska = try PreviewReader(daemon, "preview.mkv", .matroska)
      let raw = try PreviewReader(daemon, "preview.raw", .raw)
      try client.start(.high)
      pass(2)
      let result = try client.stop()
      #expect(result.reason == .stopped)
      #expect(result.message?.contains("damaged") == true)
      try expectPlayable(result)
      // three of ten are left out
      #expect(Double(result.frames) > 16 * (result.asset?.duration ?? 9), "\(result.frames)")
      #expect(abs((result.asset?.duration ?? 0) - 2) < 0.5)
      #expect(try client.camera().damagedFrames >= 18)
      #expect(try client.camera().state == .warm)
      #expect(try matroska.stop(with: client).frames > 35)
      #expect(try MovieJudge(matroska.path).frameTimes().count > 35)
      let reply = try raw.stop(with: client)
      let size = try Data(contentsOf: URL(filePath: raw.path)).count
      #expect(size / (320 * 240 * 3 / 2) >= reply.frames - 6, "\(size), \(reply.frames)")
      try events.next(.warning) { $0.message?.contains("damaged frame") == true }
      try client.setMode(.photo)
      for _ in 0..<12 {
        let photo = try delivered(try client.photo().asset)
        #expect(good.contains(photo) || photo.suffix(3) == [0xA5, 0xFF, 0xD9])
        pass(0.03)
      }
    }
  }

  /// One that never marks the end of a picture is a camera all the same.
  @Test func takesPicturesWithoutAnEnd() async throws {
    let good = try pictures(5, try TemporaryFolder()).map { Array($0.dropLast(2)) }
    let camera = try NetworkCamera { good[$0 % good.count] }
    defer { camera.end() }
    try await withDaemon(.init(camera: camera.source(Self.jpegCaps), microphone: nil)) { daemon in
      let client = try daemon.client()
      #expect(good.contains(try delivered(try client.photo().asset)))
      let result = try client.record(1, .high, audio: false)
      try expectPlayable(result)
      #expect(result.frames > 20)
    }
  }

  @Test func saysThatNothingButDamageComes() async throws {
    let camera = try NetworkCamera { _ in Array(repeating: 7, count: 500) }
    defer { camera.end() }
    try await withDaemon(.init(camera: camera.source(Self.jpegCaps), microphone: nil)) { daemon in
      let client = try daemon.client()
      let error = try cameraError { try client.photo() }
      #expect(error?.kind == .cameraFailed)
      #expect(error?.detail.message.contains("damaged frames") == true)
      #expect(try client.camera().state == .failed)
      #expect(try daemon.album() == [])
    }
  }

  /// H.264 of grey pictures, 64x48, whose brightness tells their number, a key frame every 30.
  private func accessUnits(_ folder: TemporaryFolder) throws -> [[UInt8]] {
    let file = folder.file("grey.h264")
    let made = try Tool.run([
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color=black:size=64x48:rate=30", "-frames:v", "30", "-vf",
      "geq=lum='16+N*7':cb=128:cr=128", "-c:v", "libx264", "-tune", "zerolatency", "-x264-params",
      "keyint=30:scenecut=0:aud=1:qp=10", "-pix_fmt", "yuv420p", "-f", "h264", file,
    ])
    #expect(made.status == 0, "\(made.errors)")
    let bytes = Array(try Data(contentsOf: URL(filePath: file)))
    let starts = bytes.indices.dropLast(5).filter { Array(bytes[$0..<$0 + 5]) == [0, 0, 0, 1, 9] }
    return zip(starts, starts.dropFirst() + [bytes.count]).map { Array(bytes[$0..<$1]) }
  }

  /// The photo of an H.264 camera shows the frame of the moment, wherever it lies between two key frames.
  @Test func takesTheFrameOfTheMomentOfAnH264Camera() async throws {
    let units = try accessUnits(try TemporaryFolder())
    #expect(units.count == 30)
    let camera = try NetworkCamera { units[$0 % units.count] }
    defer { camera.end() }
    let caps = "video/x-h264,stream-format=byte-stream,alignment=au,width=64,height=48,framerate=30/1"
    try await withDaemon(.init(camera: camera.source(caps), microphone: nil)) { daemon in
      let client = try daemon.client()
      try client.photo()
      for round in 0..<12 {
        if round == 6 { try client.setMode(.video) }
        let before = camera.sent
        let photo = try client.photo()
        let after = camera.sent
        let brightness = try #require(try photo.asset.judge().brightness().first)
        let shown = Int((brightness * 219 / 255 / 7).rounded())  // 7 steps of the limited range a frame
        let possible = (before - 3..<max(after, before)).map { $0 % 30 }
        #expect(possible.contains(shown), "\(shown) of \(possible), \(brightness)")
        pass(0.13)
      }
    }
  }

  /// A camera whose rate varies: nothing is assumed but what comes.
  @Test func recordsARateThatVaries() async throws {
    let source =
      "\(Source.video("pattern=ball", 320, 240, rate: "10/1")) ! capssetter caps=video/x-raw,framerate=0/1"
    try await withDaemon(.init(camera: source)) { daemon in
      let client = try daemon.client()
      #expect(try client.photo().asset.size == [320, 240])
      #expect(try client.camera().format?.frameRate == 0)
      for quality in [Quality.high, .low] {
        let result = try client.record(2, quality)
        try expectPlayable(result)
        let duration = result.asset?.duration ?? 0
        #expect(duration > 1.8 && duration < 3)
        #expect(abs(Double(result.frames) - duration * 10) <= 2, "\(result.frames) in \(duration) s")
        try expectEqualExtent(try result.judge(), rate: 10)
      }
    }
  }

  /// What the camera has is what status, movie and photo agree on.
  @Test func statesTheRateOfASlowCamera() async throws {
    try await withDaemon(.init(camera: Source.video("", 640, 480, format: "YUY2", rate: "15/1"))) { daemon in
      let client = try daemon.client()
      let status = try client.start(.high)
      #expect(status.frameRate == 15)
      #expect(status.width == 640 && status.height == 480)
      #expect(try client.camera().format?.frameRate == 15)
      #expect(try client.camera().format?.encoding == "YUY2")
      pass(1)
      let result = try client.stop()
      try expectPlayable(result)
      #expect(try result.judge().entries("stream=avg_frame_rate", stream: "v:0") == ["15/1"])
      #expect(try client.photo().asset.size == [640, 480])
    }
  }
}
