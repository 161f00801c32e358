import CameraProtocol
import Editing
import Foundation
import GStreamer
import TestSupport
import Testing

/// What can't be cut, and cuts that are given up.
@Suite struct TrimRefusalTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder(inMemory: true) }

  @Test func rangesThatAreNone() throws {
    let source = try CountingMovie(name: "movie.mp4", seconds: 3).make(in: folder)
    let ranges: [(Double, Double?)] = [
      (2, 1), (1, 1), (1, 3.5), (3.2, nil), (3, nil), (-1, 2), (.nan, 2), (1, .nan), (.infinity, nil), (1, .infinity),
      (0, -1),
    ]
    for (start, end) in ranges {
      let error = try refusal(CameraError.self) { _ = try plan(source, from: start, to: end) }
      #expect(error.kind == .valueOutOfRange, "\(start) \(end ?? -1): \(error)")
    }
    // what a client was told that it lasts is within it
    #expect(try plan(source, from: 0, to: 3.005).frames == 90)
  }

  @Test func whatNobodyHereCanEncodeIsCutAtItsKeyFrames() throws {
    let source = try CountingMovie(name: "other.mp4", encoding: ["-c:v", "mpeg4", "-g", "30"]).make(in: folder)
    let error = try refusal(CameraError.self) { _ = try plan(source, from: 1.5, to: 2.75) }
    #expect(error.kind == .notCompatible && error.detail.message.contains("1.0 s or 2.0 s"), "\(error)")
    let cut = try trim(source, to: folder.file("cut.mp4"), from: 1, to: 2.5)
    #expect(cut.reencodedFrames == 0 && cut.frames == 45)
    #expect(try SeenFrames(ffmpeg: folder.file("cut.mp4"), in: folder).numbers == Array(30..<75))
  }

  @Test(arguments: ["", "This is no movie, but it is long enough to be one.", "\u{0}\u{0}\u{0}\u{18}ftypisom"])
  func whatIsNoMovie(_ text: String) throws {
    let source = folder.file("text")
    try Data(text.utf8).write(to: URL(filePath: source))
    let error = try refusal(CameraError.self) { _ = try plan(source, from: 0, to: 1) }
    #expect(error.kind == .notCompatible)
  }

  @Test func aCutCanBeGivenUp() throws {
    let source = try CountingMovie(name: "movie.mp4").make(in: folder)
    for patience in [0, 1, 3, 8] {
      var asked = 0
      let error = try refusal(CameraError.self) {
        _ = try trim(
          source, to: folder.file("cut.mp4"), from: 0.7, to: 5,
          isCancelled: {
            asked += 1
            return asked > patience
          })
      }
      #expect(error.kind == .cancelled)
    }
    var progress: [Double] = []
    _ = try trim(source, to: folder.file("cut.mp4"), from: 0.7, to: 5, progress: { progress.append($0) })
    #expect(progress == progress.sorted() && progress.last == 1 && progress.count > 20)
  }

  @Test func aFullDiskIsSaid() throws {
    let source = try CountingMovie(name: "movie.mp4").make(in: folder)
    try GStreamer.initialize()
    let input = open(source, O_RDONLY | O_CLOEXEC)
    defer { close(input) }
    let plan = try MovieTrimmer.plan(source: input, from: 0.7, to: 5)
    let full = open("/dev/full", O_RDWR | O_CLOEXEC)
    defer { close(full) }
    let error = try refusal(CameraError.self) {
      _ = try MovieTrimmer().run(plan, source: input, target: full, progress: { _ in }, isCancelled: { false })
    }
    #expect(error.kind == .diskFull, "\(error)")
  }

  /// Bytes of the index changed at random, and files that end anywhere: refused or cut, but never a crash.
  @Test(arguments: [
    CountingMovie(name: "bframes.mp4", seconds: 2),
    CountingMovie(name: "opus.mp4", seconds: 2, sound: ["-c:a", "libopus"]),
    CountingMovie(
      name: "fragmented.mp4", seconds: 2,
      encoding: TrimTests.x264 + ["-bf", "2", "-g", "20", "-movflags", "+frag_keyframe+delay_moov"]),
  ])
  func damagedFilesAreRefusedOrCut(_ movie: CountingMovie) throws {
    let whole = try Data(contentsOf: URL(filePath: movie.make(in: folder)))
    let index = try #require(try MovieJudge(folder.file(movie.name)).topLevel().first { $0.name == "moov" })
    var random = SeededGenerator(state: 48)
    let (source, target) = (folder.file("damaged.mp4"), folder.file("cut.mp4"))
    var refused = 0
    for round in 0..<90 {
      var data = whole
      if round % 5 == 0 {
        data = data.prefix(Int.random(in: 8..<whole.count, using: &random))
      } else {
        for _ in 0...round % 3 {
          let place = index.offset + Int.random(in: 8..<index.size, using: &random)
          data[place] = [0, 255, UInt8.random(in: 0...255, using: &random), data[place] ^ 1][round % 4]
        }
      }
      try data.write(to: URL(filePath: source))
      do {
        // finding out what can be done is what mostly meets the damage
        _ =
          round % 3 == 0
          ? try trim(source, to: target, from: 0.4, to: 1.3).frames : try plan(source, from: 0.4, to: 1.3).frames
      } catch let error as CameraError {
        #expect([.notCompatible, .valueOutOfRange].contains(error.kind), "\(round): \(error)")
        refused += 1
      }
    }
    #expect(refused > 12)
  }
}
