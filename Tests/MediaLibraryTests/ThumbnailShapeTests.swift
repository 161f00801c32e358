import CameraProtocol
import Foundation
import TestSupport
import Testing

@testable import MediaLibrary

/// What a thumbnail looks like: upright, in proportion, not too large, and not black.
@Suite(.serialized) struct ThumbnailShapeTests {
  /// Four quarters, from dark to bright: top left, top right, bottom left, bottom right.
  static func quarters(_ size: String, rate: Int = 10, seconds: Double = 1) -> [String] {
    let lum = "geq=lum='30+60*gt(X,1)+120*gt(Y,1)':cb=128:cr=128,scale=s=\(size):flags=neighbor,setsar=1"
    return ["-f", "lavfi", "-i", "nullsrc=s=4x4:r=\(rate):d=\(seconds),format=yuv420p,\(lum)"]
  }

  /// The quarters of a picture in the order of their brightness: 0 for what was top left in the source, and so on.
  static func order(_ picture: Picture) throws -> [Int] {
    let brightness = try picture.brightness(2, 2)
    return brightness.map { value in brightness.filter { $0 < value }.count }
  }

  /// Where EXIF says that the stored picture's corners are shown.
  static let shown: [Int: [Int]] = [
    1: [0, 1, 2, 3], 2: [1, 0, 3, 2], 3: [3, 2, 1, 0], 4: [2, 3, 0, 1], 5: [0, 2, 1, 3], 6: [2, 0, 3, 1],
    7: [3, 1, 2, 0], 8: [1, 3, 0, 2],
  ]

  @Test(arguments: 1...8, PhotoFormat.allCases)
  func aPhotoIsUpright(_ orientation: Int, _ format: PhotoFormat) async throws {
    let gallery = try Gallery()
    let path = gallery.path(format.fileExtension)
    try ffmpeg(Self.quarters("400x200") + ["-frames:v", "1", "-pix_fmt", format == .png ? "rgb24" : "yuvj420p", path])
    let tagged = try Tool.run(["exiftool", "-q", "-overwrite_original", "-n", "-Orientation=\(orientation)", path])
    #expect(tagged.status == 0, "\(tagged.errors)")
    let picture = try await gallery.picture(try gallery.add(path, .image), ThumbnailRequest(edge: 128))
    #expect(try picture.size() == (orientation < 5 ? [128, 64] : [64, 128]))
    #expect(try Self.order(picture) == Self.shown[orientation])
    #expect(picture.thumbnail.positions.isEmpty)
  }

  @Test(arguments: [0, 90, 180, 270], ["mp4", "mov"])
  func aMovieIsUprightOnce(_ rotation: Int, _ ending: String) async throws {
    let gallery = try Gallery()
    let whole = gallery.folder.file("whole.mp4")
    try ffmpeg(Self.quarters("320x180") + ThumbnailTimeTests.x264 + [whole])
    try ffmpeg(["-i", whole, "-c", "copy", gallery.path(ending)])
    try Tool.turn(gallery.path(ending), by: rotation)
    let id = try gallery.add(gallery.path(ending))
    for moment in [ThumbnailRequest.Moment.halfWay, .first, .at(0.35), .keyframe(near: nil)] {
      let picture = try await gallery.picture(id, ThumbnailRequest(moment, edge: 160))
      #expect(try picture.size() == (rotation % 180 == 0 ? [160, 90] : [90, 160]))
      // ffmpeg turns by itself
      let judged = gallery.folder.file("judged.png")
      try ffmpeg(["-i", gallery.path(ending), "-frames:v", "1", judged])
      let expected = try frames(judged, 2, 2)[0]
      let found = try picture.brightness(2, 2)
      #expect(zip(expected, found).allSatisfy { abs($0 - $1) < 12 }, "\(moment): \(expected), \(found)")
    }
  }

  @Test(arguments: [
    ("720x576", "64/45", [256, 144]), ("720x480", "8/9", [256, 192]), ("320x240", "1/1", [256, 192]),
  ])
  func pixelsThatAreNotSquare(_ size: String, _ ratio: String, _ expected: [Int]) async throws {
    let gallery = try Gallery()
    let id = try gallery.make(
      "mp4", Self.quarters(size) + ["-vf", "setsar=\(ratio)"] + ThumbnailTimeTests.x264)
    #expect(try await gallery.picture(id).size() == expected)
  }

  @Test(arguments: [("100x60", 256, [100, 60]), ("64x400", 512, [64, 400]), ("1920x1080", 1000, [1000, 563])])
  func nothingIsScaledUp(_ size: String, _ edge: Int, _ expected: [Int]) async throws {
    let gallery = try Gallery()
    let id = try gallery.make("mp4", Self.quarters(size, rate: 5) + ThumbnailTimeTests.x264)
    #expect(try await gallery.picture(id, ThumbnailRequest(edge: edge)).size() == expected)
    let photo = try gallery.make("png", Self.quarters(size) + ["-frames:v", "1"], number: 2, kind: .image)
    #expect(try await gallery.picture(photo, ThumbnailRequest(edge: edge)).size() == expected)
  }

  @Test(arguments: [(1, 30), (9, 30), (1, 1)]) func theShortestMovies(_ frames: Int, _ rate: Int) async throws {
    let gallery = try Gallery()
    let id = try gallery.make(
      "mp4", Self.quarters("320x180", rate: rate, seconds: Double(frames) / Double(rate)) + ThumbnailTimeTests.x264)
    #expect(try Self.order(try await gallery.picture(id)) == [0, 1, 2, 3])
  }

  @Test(arguments: [
    // black at first, at the end, in the middle, and white
    ("lt(N,30)", 50, 16), ("gte(N,24)", 50, 16), ("between(N,20,60)", 80, 16), ("lt(N,40)", 60, 235),
  ])
  func notBlackWhereTheMovieIsNot(_ blank: String, _ frames: Int, _ level: Int) async throws {
    let gallery = try Gallery()
    let lum =
      "geq=lum='if(\(blank),\(level),30+60*gt(X,1)+120*gt(Y,1))':cb=128:cr=128,scale=320:180:flags=neighbor,setsar=1"
    let id = try gallery.make(
      "mp4",
      ["-f", "lavfi", "-i", "nullsrc=s=4x4:r=30:d=\(Double(frames) / 30),format=yuv420p,\(lum)"]
        + ThumbnailTimeTests.x264 + ["-g", "20"])
    #expect(try Self.order(try await gallery.picture(id)) == [0, 1, 2, 3])
    #expect(try Self.order(try await gallery.picture(id, ThumbnailRequest(.keyframe(near: nil)))) == [0, 1, 2, 3])
    #expect(try Self.order(try await gallery.picture(id, ThumbnailRequest(.first))) == [0, 1, 2, 3])
    // a moment that is asked for is that moment
    let blankTime = blank == "gte(N,24)" ? 1.2 : 0.75
    let exact = try await gallery.picture(id, ThumbnailRequest(.at(blankTime)))
    #expect(try Set(exact.brightness(2, 2).map { $0 / 100 }) == [level / 100])
  }

  @Test func blackAllOver() async throws {
    let gallery = try Gallery()
    let id = try gallery.make(
      "mp4", ["-f", "lavfi", "-i", "color=black:s=320x180:r=30:d=2"] + ThumbnailTimeTests.x264)
    let picture = try await gallery.picture(id)
    #expect(try picture.brightness(2, 2).allSatisfy { $0 < 20 })
  }

  @Test func everyFormat() async throws {
    let gallery = try Gallery()
    let id = try gallery.make("mp4", Self.quarters("320x180") + ThumbnailTimeTests.x264)
    for (format, codec) in [(PhotoFormat.png, "png"), (.jpeg, "mjpeg"), (.webp, "webp")] {
      let picture = try await gallery.picture(id, ThumbnailRequest(edge: 200, format: format))
      #expect(try MovieJudge(picture.path).entries("stream=codec_name").first == codec)
      #expect(try picture.size() == [200, 113])
      #expect(try Self.order(picture) == [0, 1, 2, 3])
    }
  }
}
