import CameraProtocol
import Editing
import Foundation
import TestSupport
import Testing

/// Cuts of Matroska and WebM, whose times are whole milliseconds.
@Suite struct MatroskaTrimTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder(inMemory: true) }

  static let quick = ["-deadline", "realtime", "-cpu-used", "8", "-g", "60", "-b:v", "1M"]

  static let movies = [
    CountingMovie(name: "h264.mkv"),
    CountingMovie(name: "h264-opus.mkv", sound: ["-c:a", "libopus"]),
    CountingMovie(name: "vp9.webm", encoding: ["-c:v", "libvpx-vp9"] + quick, sound: ["-c:a", "libopus"]),
    CountingMovie(name: "vp8.webm", rate: "25", encoding: ["-c:v", "libvpx"] + quick, sound: ["-c:a", "libvorbis"]),
    CountingMovie(
      name: "hidden-pictures.webm",
      encoding: ["-c:v", "libvpx", "-auto-alt-ref", "1", "-lag-in-frames", "16", "-g", "60", "-b:v", "1M"], sound: nil),
  ]

  @Test(arguments: movies)
  func whatIsShownIsWhatLiesInTheRange(_ movie: CountingMovie) throws {
    let source = try movie.make(in: folder)
    let times = try MovieJudge(source).entries("frame=pts_time", stream: "v:0")
      .compactMap { Double($0.prefix { $0 != "," }) }
    let seen = try SeenFrames(ffmpeg: source, in: folder)
    try #require(seen.numbers.count == times.count)
    for (start, end) in [(0, nil), (1.5, 2.75), (2.017, 4.4)] as [(Double, Double?)] {
      let target = folder.file("cut." + (movie.name.split(separator: ".").last ?? "mkv"))
      let cut = try trim(source, to: target, from: start, to: end)
      let context = Comment(rawValue: "\(movie) \(start) to \(end ?? -1)")
      let wanted = times.indices.filter { times[$0] > cut.start - 0.0005 && times[$0] < (end ?? .infinity) - 0.0015 }
      let result = try SeenFrames(ffmpeg: target, in: folder)
      try #require(result.numbers == wanted.map { seen.numbers[$0] }, context)
      #expect(cut.frames == wanted.count, context)
      #expect(
        try SeenFrames(gstreamer: target, demuxer: "matroskademux", in: folder).numbers == result.numbers, context)
      let likeness = zip(result.pictures, wanted).map { SeenFrames.likeness($0, seen.pictures[$1]) }
      #expect(likeness.filter { $0.isFinite }.count <= cut.reencodedFrames, context)
      #expect(likeness.allSatisfy { $0 > 40 }, context)
      #expect(abs(try MovieJudge(target).duration() - cut.duration) < 0.002, context)
      #expect(try MovieJudge(target).complaints() == "", context)
      guard movie.sound != nil else { continue }
      try judgeSound(source, target, cut, isOpus: movie.sound?.contains("libopus") == true, context)
    }
  }

  /// Compares the sound as ffmpeg hears it, by the times that the files give it.
  private func judgeSound(
    _ source: String, _ target: String, _ cut: TrimmedMovie, isOpus: Bool, _ context: Comment
  ) throws {
    let (before, after) = (try heard(source), try heard(target))
    let offset = Int((cut.start * 48_000).rounded())
    let count = min(after.count, before.count - offset, Int(cut.duration * 48_000)) - 1100
    try #require(count > 20_000, context)
    // a millisecond is what the times of the file can tell
    let best = (-48...48).map { shift in
      stride(from: 4000, to: count, by: 7).reduce(Float(0)) { sum, index in
        let place = index + offset + shift
        return sum + (before.indices.contains(place) ? abs(after[index] - before[place]) : 1)
      } / Float(count / 7)
    }.enumerated().min { $0.element < $1.element }
    let (shift, difference) = try #require(best.map { ($0.offset - 48, $0.element) })
    #expect(difference < (isOpus ? 0.01 : 0.002), context)
    #expect(abs(shift) <= (isOpus ? 0 : 32), context)
  }

  private func heard(_ path: String) throws -> [Float] {
    let file = folder.file("sound.raw")
    let filter = "atrim=start=0,aresample=48000:async=1:min_hard_comp=0.0005:first_pts=0"
    let result = try Tool.run([
      "ffmpeg", "-v", "error", "-y", "-copyts", "-i", path, "-map", "0:a:0", "-af", filter, "-ac", "1", "-f", "f32le",
      file,
    ])
    guard result.status == 0 else { throw MakerError(description: result.errors) }
    return try Data(contentsOf: URL(filePath: file)).withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
  }

  @Test func titleAndDateAreKept() throws {
    var movie = CountingMovie(name: "tagged.mkv", sound: nil)
    movie.rework = [
      "-i", "IN", "-c", "copy", "-metadata", "title=Sommer", "-metadata", "creation_time=2025-03-01T12:00:00Z",
      "-metadata", "comment=hello",
    ]
    let target = folder.file("cut.mkv")
    let cut = try trim(try movie.make(in: folder), to: target, from: 1.5, to: 2.75)
    #expect(cut.width == 208 && cut.height == 96)
    #expect(try MovieJudge(target).entries("stream=codec_type") == ["video"])
    let tags = try Tool.run(["ffprobe", "-v", "error", "-show_entries", "format_tags", target]).output
    #expect(tags.contains("TAG:title=Sommer") && tags.contains("2025-03-01T12:00:00"))
    #expect(tags.lowercased().contains("tag:comment=hello"))
  }

  /// Bytes changed at random, and files that end anywhere: refused or cut, but never a crash.
  @Test func damagedFilesAreRefusedOrCut() throws {
    let movie = CountingMovie(
      name: "vp8.webm", seconds: 2, encoding: ["-c:v", "libvpx"] + Self.quick, sound: ["-c:a", "libopus"])
    let whole = try Data(contentsOf: URL(filePath: movie.make(in: folder)))
    var random = SeededGenerator(state: 49)
    let (source, target) = (folder.file("damaged.webm"), folder.file("cut.webm"))
    var (planned, refused) = (0, 0)
    for round in 0..<120 {
      var data = whole
      if round % 4 == 0 {
        data = data.prefix(Int.random(in: 4..<whole.count, using: &random))
      } else {
        let places = round % 2 == 0 ? 4..<700 : 4..<whole.count
        for _ in 0...round % 5 {
          data[Int.random(in: places, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
      }
      try data.write(to: URL(filePath: source))
      do {
        _ =
          round % 3 == 0
          ? try trim(source, to: target, from: 0.4, to: 1.3).frames : try plan(source, from: 0.4, to: 1.3).frames
        planned += 1
      } catch let error as CameraError {
        #expect([.notCompatible, .valueOutOfRange].contains(error.kind), "\(round): \(error)")
        refused += 1
      }
    }
    // the damage is of both kinds
    #expect(planned >= 20 && refused >= 20, "\(planned), \(refused)")
  }
}
