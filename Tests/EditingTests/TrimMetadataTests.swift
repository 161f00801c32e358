import CameraProtocol
import Editing
import Foundation
import TestSupport
import Testing

/// What a cut movie keeps besides picture and sound.
@Suite struct TrimMetadataTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder(inMemory: true) }

  static let tags = [
    "-metadata", "title=Sömmer & Söhne", "-metadata", "location=+33.8688+151.2093/", "-metadata",
    "creation_time=2025-03-01T12:00:00Z", "-metadata:s:a", "language=deu",
  ]

  @Test(arguments: [true, false])
  func aMovieFilmedUprightIsShownUprightOnce(hasSound: Bool) throws {
    var movie = CountingMovie(name: "upright.mp4")
    movie.sound = hasSound ? movie.sound : nil
    movie.rework = ["-i", "IN", "-c", "copy"] + Self.tags
    let source = try movie.make(in: folder)
    try Tool.turn(source, by: 90)
    let target = folder.file("cut.mp4")
    let cut = try trim(source, to: target, from: 1.5, to: 2.75)
    #expect(cut.width == 96 && cut.height == 208)
    let (before, after) = (try PhotoJudge(source).tags(), try PhotoJudge(target).tags())
    let kept = [
      "Rotation", "GPSCoordinates", "Title", "CreateDate", "TrackCreateDate", "MediaCreateDate", "MediaLanguageCode",
      "VideoFrameRate",
    ]
    for tag in kept { #expect(after[tag] == before[tag], "\(tag)") }
    #expect(["90", "270"].contains(after["Rotation"]) && after["Title"] == "Sömmer & Söhne")
    #expect(after["CreateDate"]?.hasPrefix("2025:03:01") == true)
    let kinds = try MovieJudge(target).entries("stream=codec_name").map { $0.prefix { $0 != "," } }.filter {
      !$0.isEmpty
    }
    #expect(kinds == (hasSound ? ["h264", "aac"] : ["h264"]))
  }

  @Test func allTracksOfSoundAreKept() throws {
    var movie = CountingMovie(name: "two.mp4")
    movie.rework = [
      "-i", "IN", "-f", "lavfi", "-i", "sine=f=500:r=44100:d=6", "-map", "0:v", "-map", "0:a", "-map", "1:a", "-c:v",
      "copy", "-c:a", "aac", "-metadata:s:a:1", "language=fra", "-metadata:s:a:1", "handler_name=Commentary",
    ]
    let source = try movie.make(in: folder)
    let target = folder.file("cut.mp4")
    let cut = try trim(source, to: target, from: 1.5, to: 2.75)
    let judge = MovieJudge(target)
    #expect(try judge.entries("stream=codec_type") == ["video", "audio", "audio"])
    for stream in ["a:0", "a:1"] {
      let extent = try #require(try judge.extent(stream))
      #expect(abs(extent.start) < 0.0005 && abs(extent.end - cut.duration) < 0.001)
    }
    #expect(try judge.entries("stream_tags=language,handler_name", stream: "a:1") == ["fra,Commentary"])
  }

  @Test func theEdgeLooksLikeTheRest() throws {
    let source = try CountingMovie(
      name: "colours.mp4",
      encoding: TrimTests.x264 + [
        "-bf", "2", "-g", "60", "-profile:v", "high", "-level", "3.1", "-color_primaries", "smpte170m", "-color_trc",
        "smpte170m", "-colorspace", "smpte170m", "-color_range", "pc",
      ], filter: "scale=out_range=full,setsar=4/3"
    ).make(in: folder)
    let target = folder.file("cut.mp4")
    let cut = try trim(source, to: target, from: 0.5, to: 3.5)
    #expect(cut.reencodedFrames > 0)
    let fields =
      "stream=codec_tag_string,profile,level,width,height,pix_fmt,color_range,color_space,color_transfer,"
      + "color_primaries,sample_aspect_ratio,has_b_frames,r_frame_rate"
    #expect(try MovieJudge(target).entries(fields, stream: "v:0") == MovieJudge(source).entries(fields, stream: "v:0"))
    let perFrame = "frame=pix_fmt,sample_aspect_ratio,color_range,color_space,color_primaries,color_transfer"
    #expect(Set(try MovieJudge(target).entries(perFrame, stream: "v:0")).count == 1)
  }

  @Test func soundAloneCanBeCut() throws {
    let source = folder.file("sound.m4a")
    _ = try Tool.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=f=500:r=48000:d=5", "-c:a", "aac", source])
    let target = folder.file("cut.m4a")
    let cut = try trim(source, to: target, from: 1.25, to: 3)
    #expect(cut.frames == 0 && cut.width == nil && abs(cut.duration - 1.75) < 0.0001 && cut.start == 1.25)
    #expect(abs(try MovieJudge(target).duration() - 1.75) < 0.001)
    #expect(abs(try MovieJudge(target).sound()[0].pitch - 500) < 0.5)
  }
}
