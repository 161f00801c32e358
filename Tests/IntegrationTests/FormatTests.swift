import CameraProtocol
import Foundation
import TestSupport
import Testing

/// Cameras of every encoding: photo, preview and recording, judged by ffmpeg.
@Suite struct FormatTests {
  struct Camera: Sendable, CustomTestStringConvertible {
    var source: String
    var encoding: String
    var testDescription: String { encoding }
  }

  static let cameras = [
    Camera(source: Source.motionJPEG, encoding: "jpeg"),
    Camera(source: Source.h264(), encoding: "h264"),
    Camera(source: Source.h264("pattern=smpte75 horizontal-speed=2", keyInterval: 15, form: "avc"), encoding: "h264"),
    // one parameter set at the start, and no parser
    Camera(
      source: "\(Source.video("pattern=ball", 640, 360)) ! x264enc tune=zerolatency speed-preset=ultrafast "
        + "key-int-max=90 ! video/x-h264,stream-format=byte-stream,profile=high", encoding: "h264"),
    Camera(
      source: "\(Source.video("pattern=ball", 640, 360, format: "ARGB")) ! rgb2bayer ! "
        + "video/x-bayer,format=bggr,width=640,height=360", encoding: "bayer"),
  ]

  @Test(arguments: cameras) func servesEveryEncoding(_ camera: Camera) async throws {
    try await withDaemon(.init(camera: camera.source), share: .half) { daemon in
      let client = try daemon.client()
      let events = try daemon.events([.warning])
      let cold = try client.photo().asset
      #expect(try cold.judge().complaints() == "")
      #expect(try cold.judge().size() == [640, 360])
      let format = try #require(try client.camera().format)
      #expect(format.encoding == camera.encoding)
      #expect(format.width == 640 && format.height == 360)
      #expect(format.frameRate == 30)
      try client.setMode(.video)
      let reader = try PreviewReader(daemon, "preview.mkv", .matroska)
      pass(1)
      for quality in [Quality.high, .low] {
        try client.start(quality)
        pass(0.5)
        #expect(try client.photo().asset.judge().complaints() == "")
        pass(1)
        let result = try client.stop()
        #expect(result.reason == .stopped)
        #expect(result.message == nil)
        #expect(result.droppedFrames == 0)
        #expect(result.audio)
        try expectPlayable(result)
        let judge = try result.judge()
        let rate = quality == .low ? 15.0 : 30.0
        #expect(Double(result.frames) > 1.2 * rate)
        #expect(try judge.largestGap() < 2.1 / rate)
        try expectEqualExtent(judge, rate: rate / 2)
        let size = quality == .low ? [256, 144] : [640, 360]
        #expect(try judge.size() == size)
      }
      let reply = try reader.stop(with: client)
      #expect(reply.droppedFrames == 0)
      let preview = MovieJudge(reader.path)
      let times = try preview.frameTimes()
      #expect(times.count > 60 && times.count >= reply.frames - 3, "\(times.count) of \(reply.frames)")
      #expect(try preview.largestGap() < 2.1 / 30)
      #expect(try preview.entries("stream=codec_name,width,height") == ["mjpeg,640,360"])
      #expect(try client.camera().damagedFrames == 0)
      #expect(events.history.isEmpty)
    }
  }

  /// Black is black and white is white in photo and movie, whatever range of values the camera has.
  @Test(arguments: ["I420", "YUY2", "NV12", "jpeg", "h264"]) func keepsBlackAndWhite(format: String) async throws {
    for (pattern, brightness) in [("black", 0.0), ("white", 255.0)] {
      let raw = Source.video(
        "pattern=\(pattern)", 320, 240, format: ["jpeg", "h264"].contains(format) ? "RGB" : format)
      let coded = [
        "jpeg": "\(raw) ! videoconvert ! video/x-raw,format=I420,colorimetry=1:4:7:1 ! jpegenc",
        "h264": "\(raw) ! videoconvert ! video/x-raw,format=I420 ! x264enc tune=zerolatency speed-preset=ultrafast",
      ]
      try await withDaemon(.init(camera: coded[format] ?? raw, microphone: nil)) { daemon in
        let client = try daemon.client()
        let photo = try #require(try client.photo().asset.judge().brightness().first)
        #expect(abs(photo - brightness) <= 3, "photo")
        let movie = try client.record(0.5, .high, audio: false)
        let frame = try #require(try movie.judge().brightness().last)
        #expect(abs(frame - brightness) <= 4, "movie")
        let inVideoMode = try #require(try client.photo().asset.judge().brightness().first)
        #expect(abs(inVideoMode - brightness) <= 3, "photo in video mode")
      }
    }
  }
}
