import CameraProtocol
import Foundation
import TestSupport
import Testing

@testable import MediaLibrary

/// Which picture of a movie it is. The frames show their numbers; ffmpeg says which one is shown when.
@Suite(.serialized) struct ThumbnailTimeTests {
  static let x264 = ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p"]

  /// How a movie is made of the counting source.
  struct Recipe: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var ending = "mp4"
    var frames = 100
    var rate = 30
    var arguments: [String]
    /// A second pass that copies, with what stands before the input and behind it.
    var copy: (before: [String], after: [String])?
  }

  static let recipes: [Recipe] = [
    Recipe(testDescription: "H.264, a key frame a second", arguments: x264 + ["-tune", "zerolatency", "-g", "30"]),
    Recipe(
      testDescription: "one key frame", frames: 64, rate: 25, arguments: x264 + ["-tune", "zerolatency", "-g", "300"]),
    Recipe(testDescription: "B-frames", arguments: x264 + ["-bf", "3", "-b_strategy", "0", "-g", "24"]),
    Recipe(
      testDescription: "B-frames and open groups",
      arguments: x264 + ["-bf", "2", "-b_strategy", "0", "-g", "20", "-x264-params", "open-gop=1:b-pyramid=normal"]),
    Recipe(
      testDescription: "variable frame rate", frames: 120,
      arguments: ["-vf", "select='lt(n,20)+not(mod(n,7))'", "-fps_mode", "vfr"] + x264 + ["-bf", "2", "-g", "15"]),
    Recipe(
      testDescription: "an edit list that begins within a group",
      arguments: x264 + ["-bf", "2", "-b_strategy", "0", "-g", "40"], copy: (["-ss", "0.5"], [])),
    Recipe(
      testDescription: "sound first, the picture half a second later", arguments: x264 + ["-g", "25"],
      copy: (["-f", "lavfi", "-i", "sine=d=4", "-itsoffset", "0.5"], ["-map", "0:a", "-map", "1:v", "-c:a", "aac"])),
    Recipe(
      testDescription: "fragments", arguments: x264 + ["-g", "20", "-movflags", "frag_keyframe+empty_moov"]),
    Recipe(
      testDescription: "fragments that begin at 10 s",
      arguments: x264 + ["-g", "20", "-movflags", "frag_keyframe+empty_moov", "-output_ts_offset", "10"]),
    Recipe(
      testDescription: "Matroska, B-frames", ending: "mkv",
      arguments: x264 + ["-bf", "2", "-b_strategy", "0", "-g", "24"]),
    Recipe(
      testDescription: "Matroska that begins at 10 s", ending: "mkv",
      arguments: x264 + ["-g", "24", "-output_ts_offset", "10"]),
    Recipe(
      testDescription: "WebM, VP8", ending: "webm", frames: 60, arguments: ["-c:v", "libvpx", "-b:v", "1M", "-g", "20"]),
    Recipe(
      testDescription: "VP9", ending: "webm", frames: 50, rate: 25,
      arguments: ["-c:v", "libvpx-vp9", "-b:v", "1M", "-g", "20", "-deadline", "realtime", "-cpu-used", "8"]),
    Recipe(testDescription: "MPEG-4 part 2", arguments: ["-c:v", "mpeg4", "-q:v", "3", "-bf", "2", "-g", "12"]),
  ]

  @Test(arguments: recipes) func theFrameThatIsShownAtATime(_ recipe: Recipe) async throws {
    let gallery = try Gallery()
    let source = counter(recipe.frames, rate: recipe.rate)
    let path = gallery.path(recipe.ending)
    if let copy = recipe.copy {
      let whole = gallery.folder.file("whole.\(recipe.ending)")
      try ffmpeg(source + recipe.arguments + [whole])
      try ffmpeg(copy.before + ["-i", whole] + copy.after + ["-c:v", "copy", path])
    } else {
      try ffmpeg(source + recipe.arguments + [path])
    }
    let id = try gallery.add(path)
    let shown = try Self.shown(path)
    let end = try #require(shown.last).time
    let start = try #require(shown.first).time
    // between two frames, so that no clock's rounding counts
    var compared = 0
    for step in 0..<9 {
      let time = start + (end - start) * Double(step) / 8 + 0.011
      let expected = try #require(shown.last { $0.time <= time })
      let next = shown.first { $0.time > time }
      guard time - expected.time > 0.003, next.map({ $0.time - time > 0.003 }) ?? true else { continue }
      guard time <= end + 0.02 else { continue }
      let picture = try await gallery.picture(id, ThumbnailRequest(.at(time), edge: 320))
      #expect(try picture.number() == expected.number, "at \(time) s")
      let position = try #require(picture.thumbnail.positions.first)
      #expect(abs(position - expected.time) < 0.002, "\(position) s for \(expected.time) s")
      compared += 1
    }
    #expect(compared >= 6)
  }

  /// When each frame is shown, by ffprobe and ffmpeg, in seconds from the movie's start.
  static func shown(_ path: String) throws -> [(time: Double, number: Int)] {
    let judge = MovieJudge(path)
    let start = try judge.entries("format=start_time").first.flatMap(Double.init) ?? 0
    let times = try judge.entries("frame=pts_time", stream: "v:0").compactMap { Double($0.prefix { $0 != "," }) }
    let numbers = try frames(path, 8, 8).map(counted)
    guard times.count == numbers.count else {
      throw MakerError(description: "\(times.count) times, \(numbers.count) frames")
    }
    return zip(times, numbers).map { ($0 - start, $1) }
  }

  @Test func half() async throws {
    let gallery = try Gallery()
    let id = try gallery.make("mp4", counter(100) + Self.x264 + ["-bf", "2", "-g", "33"])
    let picture = try await gallery.picture(id)
    #expect(try picture.number() == 50)
    #expect(abs((picture.thumbnail.positions.first ?? 0) - 50.0 / 30) < 0.002)
  }

  @Test(arguments: [(0.9, 1.0), (1.1, 1.0), (1.55, 2.0), (0.2, 0.0), (3.3, 3.0), (2.0, 2.0)])
  func theNearestKeyFrame(_ time: Double, _ key: Double) async throws {
    let gallery = try Gallery()
    let id = try gallery.make(
      "mp4", counter(105) + Self.x264 + ["-bf", "2", "-g", "30", "-keyint_min", "30", "-sc_threshold", "0"])
    let picture = try await gallery.picture(id, ThumbnailRequest(.keyframe(near: time), edge: 320))
    #expect(try picture.number() == Int(key * 30))
  }

  @Test func behindTheEnd() async throws {
    let gallery = try Gallery()
    let id = try gallery.make("mp4", counter(30) + Self.x264)
    let last = try await gallery.picture(id, ThumbnailRequest(.at(1), edge: 320))
    #expect(try last.number() == 29)
    let error = try await refusal(CameraError.self) {
      _ = try await gallery.thumbnails.thumbnail(of: id, ThumbnailRequest(.at(1.2)))
    }
    #expect(error.kind == .valueOutOfRange)
    #expect(error.detail.message.contains("1.0 s"), "\(error)")
  }

  @Test(arguments: [0.5, 0.8, 1.0]) func cutOff(_ part: Double) async throws {
    let gallery = try Gallery()
    let whole = gallery.folder.file("whole.mp4")
    try ffmpeg(counter(120) + Self.x264 + ["-g", "15", "-movflags", "frag_keyframe+empty_moov", whole])
    let bytes = try Data(contentsOf: URL(filePath: whole))
    let path = gallery.path("mp4")
    try bytes.prefix(Int(Double(bytes.count) * part)).write(to: URL(filePath: path))
    let id = try gallery.add(path)
    // what is there, half-way of it
    let picture = try await gallery.picture(id)
    let number = try picture.number()
    #expect(abs(Double(number) - 60 * part) < 12, "frame \(number)")
  }

  @Test func aSheet() async throws {
    let gallery = try Gallery()
    let id = try gallery.make("mp4", counter(120) + Self.x264 + ["-g", "30"])
    let sheet = try await gallery.thumbnails.sheet(of: id, ThumbnailSheetRequest(count: 6, columns: 3, edge: 160))
    #expect(sheet.width == 484 && sheet.height == 182)
    #expect(sheet.format == .jpeg)
    let file = gallery.folder.file("sheet.jpg")
    try Data(sheet.bytes).write(to: URL(filePath: file))
    for index in 0..<6 {
      let part = gallery.folder.file("part\(index).png")
      try ffmpeg(["-i", file, "-vf", "crop=160:90:\(index % 3 * 162):\(index / 3 * 92)", part])
      // (index + 0.5) sixths of 120 frames
      #expect(try counted(frames(part, 8, 8)[0]) == 10 + 20 * index)
    }
    #expect(sheet.positions.count == 6)
  }
}
