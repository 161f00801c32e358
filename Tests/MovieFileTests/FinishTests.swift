import Foundation
import MovieFile
import TestSupport
import Testing

@Suite struct FinishTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder(inMemory: true) }

  @Test(arguments: [(30, 0), (60, 0), (300, 2), (30, 3)], MovieMaker.Sound.allCases)
  func aFinishedRecordingIsAnOrdinaryMovie(keys: (interval: Int, between: Int), sound: MovieMaker.Sound) throws {
    var maker = MovieMaker()
    maker.keyInterval = keys.interval
    maker.betweenFrames = keys.between
    maker.sound = sound
    let path = folder.file("movie.mp4")
    try maker.record(to: path)
    let judge = MovieJudge(path)
    let fragments = try Data(file: path)
    let pictures = try judge.checksums("v")
    let sounds = sound == .none ? [] : try judge.checksums("a")
    #expect(pictures.count == 90)

    let movie = try finish(path, MovieMetadata(creationTime: 1_796_036_775))
    #expect(movie.frames == 90 && !movie.alreadyFinished && movie.hasAudio == (sound != .none))
    #expect(abs(movie.duration - 3) < 0.05)
    #expect(movie.width == 160 && movie.height == 120)
    #expect(try movie.bytes == Data(file: path).count)

    #expect(try judge.topLevel().map(\.name) == ["ftyp", "mdat", "moov"])
    #expect(try judge.complaints() == "")
    #expect(try judge.checksums("v") == pictures)
    if sound != .none { #expect(try judge.checksums("a") == sounds) }
    #expect(try judge.entries("packet=pts_time,flags", stream: "v").first?.hasPrefix("0.000000,K") == true)
    #expect(try judge.entries("format_tags=creation_time") == ["2026-11-30T11:06:15.000000Z"])
    #expect(try judge.entries("stream=nb_frames", stream: "v") == ["90"])

    // A loss of power between the last two writes leaves this.
    let finished = try Data(file: path)
    let between = folder.file("between.mp4")
    try (fragments.prefix(64) + finished.dropFirst(64)).save(to: between)
    #expect(try MovieJudge(between).checksums("v") == pictures)
    #expect(try MovieJudge(between).complaints() == "")
    #expect(try !finish(between, MovieMetadata(creationTime: 1_796_036_775)).alreadyFinished)
    #expect(try Data(file: between) == finished)

    // A second run finds nothing to do.
    let again = try finish(path)
    #expect(again.alreadyFinished && again.frames == 90 && again.bytes == movie.bytes)
    #expect(abs(again.duration - movie.duration) < 0.001)
    #expect(try Data(file: path) == finished)
  }

  @Test func anInterruptedAppendIsCompletedByTheNextRun() throws {
    let path = folder.file("movie.mp4")
    try MovieMaker().record(to: path)
    let fragments = try Data(file: path)
    try finish(path)
    let finished = try Data(file: path)
    let moov = try #require(try MovieJudge(path).topLevel().last)
    for length in [moov.offset, moov.offset + 3, moov.offset + 8, moov.offset + moov.size / 2, finished.count - 1] {
      let cut = folder.file("cut.mp4")
      try (fragments.prefix(64) + finished.dropFirst(64).prefix(length - 64)).save(to: cut)
      #expect(try MovieJudge(cut).checksums("v").count == 90)
      #expect(try finish(cut).frames == 90)
      #expect(try Data(file: cut) == finished)
    }
  }

  @Test func soundAloneIsAMovieToo() throws {
    var maker = MovieMaker()
    maker.hasPicture = false
    let path = folder.file("sound.mp4")
    try maker.record(to: path)
    let movie = try finish(path, MovieMetadata(audioPriming: 1024))
    #expect(movie.frames == 0 && movie.hasAudio && movie.width == nil)
    #expect(try MovieJudge(path).complaints() == "")
    #expect(try MovieJudge(path).topLevel().map(\.name) == ["ftyp", "mdat", "moov"])
  }

  @Test func soundStandsWhereItWasRecorded() throws {
    let path = folder.file("late.mp4")
    try MovieMaker().record(to: path)
    let late = folder.file("late-1.mp4")
    let early = folder.file("early.mp4")
    try FileManager.default.copyItem(atPath: path, toPath: late)
    try FileManager.default.copyItem(atPath: path, toPath: early)

    try finish(late, MovieMetadata(audioPriming: 1024, audioOffset: 0.7))
    let track = try #require(try MovieFile.read(path: late).audio)
    #expect(abs(track.startOffset - 0.7) < 0.0001)
    // The first packet holds the encoder's delay; the one behind it is the first to be heard.
    let start = try #require(
      try MovieJudge(late).entries("stream=start_time", stream: "a").first.flatMap { Double($0) })
    #expect(abs(start - 0.7) < 0.0001)

    try finish(early, MovieMetadata(audioPriming: 1024, audioOffset: -0.5))
    #expect(try MovieFile.read(path: early).audio?.startOffset == 0)
    let whole = try #require(try MovieFile.read(path: path).audio?.duration)
    let shown = try #require(try MovieFile.read(path: early).audio?.duration)
    #expect(abs(whole - shown - 0.5 - 1024.0 / 44100) < 0.001)
    #expect(try MovieJudge(early).complaints() == "")
    #expect(try MovieJudge(late).complaints() == "")
  }

  @Test func skippingTheEncodersDelayPutsAToneAtItsPlace() throws {
    // Full scale from the first sample on: where it begins in the decoded sound is where the file puts it.
    let path = folder.file("tone.mp4")
    var maker = MovieMaker()
    maker.sound = .tone
    try maker.record(to: path)
    try finish(path, MovieMetadata(audioPriming: 1024))
    let raw = folder.file("tone.raw")
    let result = try Tool.run(
      ["ffmpeg", "-v", "error", "-i", path, "-map", "0:a", "-f", "s16le", "-c:a", "pcm_s16le", raw])
    #expect(result.errors == "")
    let samples = try Data(file: raw).withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
    // 440 Hz: a quarter of a period after the start stands the first crest, 25 samples in.
    let crest = try #require(samples.prefix(100).indices.max { samples[$0] < samples[$1] })
    #expect((20...30).contains(crest))
  }
}
