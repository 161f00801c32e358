import Foundation
import MovieFile
import TestSupport
import Testing

@Suite struct LargeFileTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func mediaBeyondFourGibibytes() throws {
    let path = folder.file("movie.mp4")
    try MovieMaker().record(to: path)
    let pictures = try MovieJudge(path).checksums("v")
    let bytes = try Data(file: path)
    let boxes = try MovieJudge(path).topLevel()
    // Fragments say where their media lies relative to themselves: a hole of 5 GiB may be put between two of them.
    let split = try #require(boxes.filter { $0.name == "moof" }.dropFirst(2).first).offset
    let hole = 5 << 30
    let large = folder.file("large.mp4")
    try bytes.prefix(split).save(to: large)
    let handle = try FileHandle(forUpdating: URL(filePath: large))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data([0, 0, 0, 1] + "free".utf8 + withUnsafeBytes(of: hole.bigEndian) { Array($0) }))
    try handle.seek(toOffset: UInt64(split + hole))
    try handle.write(contentsOf: bytes.dropFirst(split))
    try handle.close()

    let movie = try finish(large)
    #expect(movie.frames == 90 && movie.bytes > hole)
    let judge = MovieJudge(large)
    #expect(try judge.topLevel().map(\.name) == ["ftyp", "mdat", "moov"])
    #expect(try judge.complaints() == "")
    #expect(try judge.checksums("v") == pictures)
    let end = try Tool.run(["ffmpeg", "-v", "error", "-ss", "2.5", "-i", large, "-map", "0:v", "-f", "framemd5", "-"])
    #expect(end.output.split(separator: "\n").filter { !$0.hasPrefix("#") }.count == 15)
    #expect(try finish(large).alreadyFinished)
  }

  @Test func durationsBeyondThirtyTwoBits() throws {
    let path = folder.file("movie.mp4")
    try MovieMaker().record(to: path)
    var bytes = try Data(file: path)
    // The last fragment of the picture (track 1) begins 373 hours later.
    let track = Data("tfhd".utf8 + [0, 0, 0, 0, 0, 0, 0, 1])
    let last = try #require(bytes.range(of: track, options: .backwards))
    let time = try #require(bytes.range(of: Data("tfdt".utf8), in: last.upperBound..<bytes.count))
    #expect(bytes[time.upperBound] == 0)
    bytes.replaceSubrange(time.upperBound + 4..<time.upperBound + 8, with: [0xF0, 0, 0, 0])
    try bytes.save(to: path)
    let movie = try finish(path)
    #expect(abs(movie.duration - Double(0xF000_0000) / 3000 - 0.5) < 0.01)
    let shown = try #require(try MovieJudge(path).entries("format=duration").first.flatMap { Double($0) })
    #expect(abs(shown - movie.duration) < 0.001)
    #expect(try MovieFile.read(path: path).duration == movie.duration)
    #expect(try MovieJudge(path).complaints() == "")
  }

  @Test func aDayOfFragmentsIsFinishedInSeconds() throws {
    let path = folder.file("movie.mp4")
    var maker = MovieMaker()
    maker.frames = 15
    maker.sound = .none
    try maker.record(to: path)
    let bytes = try Data(file: path)
    let boxes = try MovieJudge(path).topLevel()
    let moof = try #require(boxes.first { $0.name == "moof" })
    let mdat = try #require(boxes.first { $0.name == "mdat" })
    let head = bytes.prefix(moof.offset)
    let fragment = [UInt8](bytes[moof.offset..<mdat.offset + mdat.size])
    let time = try #require(Data(fragment).range(of: Data("tfdt".utf8))).upperBound + 4
    let day = folder.file("day.mp4")
    try head.save(to: day)
    let handle = try FileHandle(forUpdating: URL(filePath: day))
    try handle.seekToEnd()
    let count = 40_000
    var block = Data()
    for index in 0..<count {
      var copy = fragment
      let ticks = UInt32(index * 1500)
      for byte in 0..<4 { copy[time + byte] = UInt8(truncatingIfNeeded: ticks >> UInt32(24 - 8 * byte)) }
      block += copy
      if block.count > 1 << 20 {
        try handle.write(contentsOf: block)
        block.removeAll(keepingCapacity: true)
      }
    }
    try handle.write(contentsOf: block)
    try handle.close()
    let start = ContinuousClock.now
    let movie = try finish(day)
    #expect(movie.frames == 15 * count)
    #expect(abs(movie.duration - Double(count) / 2) < 0.1)
    #expect(ContinuousClock.now - start < .seconds(20))
    #expect(try MovieJudge(day).entries("stream=nb_frames", stream: "v") == ["\(15 * count)"])
  }
}
