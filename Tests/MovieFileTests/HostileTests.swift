import Foundation
import MovieFile
import TestSupport
import Testing

@Suite struct HostileTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder(inMemory: true) }

  /// Reads and finishes whatever the bytes are; only typed errors may come out.
  private func survive(_ bytes: Data) throws {
    let path = folder.file("hostile.mp4")
    try bytes.save(to: path)
    do {
      _ = try MovieFile.read(path: path)
      try finish(path)
      #expect(try finish(path).alreadyFinished)
    } catch is MovieFileError {
      // Refused.
    }
  }

  @Test(arguments: [false, true]) func damagedBytesNeverCrash(isFinished: Bool) throws {
    let path = folder.file("movie.mp4")
    var maker = MovieMaker()
    maker.frames = 40
    maker.betweenFrames = 2
    try maker.record(to: path)
    if isFinished { try finish(path) }
    let original = try Data(file: path)
    var random = SeededGenerator(state: isFinished ? 4 : 3)
    // The places that are read: the movie header, and the headers of the fragments.
    var places = Array(0..<1600) + Array(original.count - 1600..<original.count)
    let moofs = (0..<original.count - 4).filter { original[$0..<$0 + 4].elementsEqual("moof".utf8) }
    for moof in moofs { places += Array(moof - 4..<moof + 120) }
    for _ in 0..<800 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        guard let place = places.randomElement(using: &random) else { continue }
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: bytes[place] = 0xFF
        case 2: bytes[place] = 0
        default:
          for index in place..<min(place + 4, bytes.count) { bytes[index] = .random(in: 0...255, using: &random) }
        }
      }
      try survive(bytes)
    }
  }

  @Test func whatIsNoMovieIsSaidToBeNone() throws {
    var random = SeededGenerator(state: 5)
    let noise = Data((0..<5000).map { _ in UInt8.random(in: 0...255, using: &random) })
    let cases: [(Data, MovieFileError.Kind)] = [
      (Data(), .noSamples), (Data("this is no movie\n".utf8), .notAMovie), (noise, .notAMovie),
      (Data(count: 4096), .notAMovie), (Data([0, 0, 0, 8] + "ftyp".utf8), .noSamples),
      (Data([0, 0, 0, 8] + "ftyp".utf8) + Data(count: 100_000), .noSamples),
      (Data([0, 0, 0, 8] + "ftyp".utf8 + [0, 0, 0, 8] + "moov".utf8), .damaged),
      (Data([0, 0, 0, 8] + "ftyp".utf8 + [0, 0, 0, 1] + "moov".utf8) + Data(repeating: 0xFF, count: 8), .noSamples),
    ]
    for (bytes, kind) in cases {
      let path = folder.file("none.mp4")
      try bytes.save(to: path)
      #expect(throws: MovieFileError.self) { try MovieFile.read(path: path) }
      let error = try refusal(MovieFileError.self) { _ = try finish(path) }
      #expect(error.kind == kind)
      #expect(try Data(file: path) == bytes)
    }
    let error = try refusal(MovieFileError.self) { _ = try MovieFile.read(path: folder.path) }
    #expect(error.kind == .notAMovie)
    #expect(throws: MovieFileError.self) { try MovieFile.read(path: folder.file("absent")) }
  }

  @Test func aRunOfFourBillionSamplesIsRefused() throws {
    let path = folder.file("movie.mp4")
    try MovieMaker().record(to: path)
    var bytes = try Data(file: path)
    let run = try #require(bytes.range(of: Data("trun".utf8)))
    // No fields of its own for a sample, so that four billion of them fit into the box.
    bytes.replaceSubrange(run.upperBound..<run.upperBound + 8, with: [0, 0, 0, 1, 0xFF, 0xFF, 0xFF, 0xFF])
    try bytes.save(to: path)
    let error = try refusal(MovieFileError.self) { _ = try finish(path) }
    #expect(error.kind == .tooLarge)
    #expect(try Data(file: path) == bytes)
  }

  @Test func aFileThatCannotBeWrittenStaysAsItIs() throws {
    let path = folder.file("movie.mp4")
    try MovieMaker().record(to: path)
    let bytes = try Data(file: path)
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    let error = try refusal(MovieFileError.self) {
      _ = try MovieFinisher.finish(at: descriptor, metadata: MovieMetadata())
    }
    #expect(error.kind == .fileSystem && error.errno != nil)
    #expect(try Data(file: path) == bytes)
  }
}
