import Foundation
import MovieFile
import TestSupport
import Testing

@Suite struct CutTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder(inMemory: true) }

  @Test(arguments: [30, 60, 300], MovieMaker.Sound.allCases)
  func aKilledRecordingPlays(keyInterval: Int, sound: MovieMaker.Sound) throws {
    var maker = MovieMaker()
    maker.keyInterval = keyInterval
    maker.sound = sound
    let path = folder.file("killed.mp4")
    try maker.recordKilled(after: 2.6, to: path)
    let before = try MovieJudge(path).checksums("v")
    let movie = try finish(path)
    #expect(movie.frames > 20)
    #expect(movie.hasAudio == (sound != .none))
    let judge = MovieJudge(path)
    #expect(try judge.complaints() == "")
    #expect(try judge.topLevel().map(\.name) == ["ftyp", "mdat", "moov"])
    #expect(try judge.checksums("v") == Array(before.prefix(movie.frames)))
    #expect(try judge.entries("packet=pts_time,flags", stream: "v").first?.hasPrefix("0.000000,K") == true)
    #expect(try finish(path).alreadyFinished)
  }

  @Test(arguments: [0, 2])
  func everyWholeSampleBeforeACutIsKept(betweenFrames: Int) throws {
    var maker = MovieMaker()
    maker.betweenFrames = betweenFrames
    let whole = folder.file("whole.mp4")
    try maker.record(to: whole)
    let bytes = try Data(file: whole)
    // Where each picture ends, by ffprobe.
    let ends = try MovieJudge(whole).entries("packet=size,pos", stream: "v").map { line in
      line.split(separator: ",").compactMap { Int($0) }.reduce(0, +)
    }
    #expect(ends.count == 90)
    let first = try #require(ends.min())
    var random = SeededGenerator(state: 7)
    for round in 0..<120 {
      let length = Int.random(in: 0...bytes.count, using: &random)
      let path = folder.file("cut.mp4")
      try bytes.prefix(length).save(to: path)
      let expected = ends.count { $0 <= length }
      guard length >= first else {
        // Of the sound something may be there; the picture has nothing.
        do {
          let movie = try finish(path)
          #expect(movie.frames == 0 && movie.hasAudio && movie.width == nil, "cut at \(length)")
          #expect(try MovieJudge(path).complaints() == "", "cut at \(length)")
        } catch let error as MovieFileError {
          #expect(error.kind == .noSamples || error.kind == .notAMovie, "cut at \(length)")
        }
        continue
      }
      let movie = try finish(path)
      #expect(movie.frames == expected, "cut at \(length)")
      let finished = try Data(file: path)
      #expect(try finish(path).alreadyFinished)
      guard round % 8 == 0 else { continue }
      #expect(try MovieJudge(path).complaints() == "", "cut at \(length)")
      #expect(try MovieJudge(path).entries("packet=pts", stream: "v").count == expected)
      // Between the last two writes the same pictures play, and the next run leads to the same file.
      let between = folder.file("between.mp4")
      try (bytes.prefix(64) + finished.dropFirst(64)).save(to: between)
      #expect(try MovieJudge(between).complaints() == "", "cut at \(length)")
      #expect(try MovieJudge(between).entries("packet=pts", stream: "v").count == expected)
      #expect(try finish(between).frames == expected)
      #expect(try Data(file: between) == finished)
    }
  }
}
