import Foundation
import MovieFile
import TestSupport
import Testing

/// Matroska, WebM and Ogg recordings, ended in order or cut off anywhere.
@Suite struct MatroskaTests {
  enum Kind: String, CaseIterable, Sendable {
    case matroska, webm, soundAlone
  }

  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder(inMemory: true) }

  /// Records three seconds of picture and sound.
  private func record(_ kind: Kind, wave: String = "sine", to path: String) throws {
    let picture =
      "videotestsrc num-buffers=90 pattern=ball ! video/x-raw,format=I420,width=160,height=120,framerate=30/1"
    let sound = "audiotestsrc num-buffers=150 samplesperbuffer=960 wave=\(wave) ! audio/x-raw,rate=48000,channels=2"
    let (encoder, muxer) =
      kind == .webm
      ? ("vp8enc deadline=1 keyframe-max-dist=30", "webmmux")
      : ("x264enc key-int-max=30 tune=zerolatency", "matroskamux")
    var line =
      "\(sound) ! opusenc ! queue ! \(muxer) name=m max-cluster-duration=1000000000 ! filesink location=\(path)"
    if kind != .soundAlone { line += " \(picture) ! \(encoder) ! queue ! m." }
    let made = try Tool.run(["sh", "-c", "gst-launch-1.0 -q -e \(line)"])
    #expect(made.status == 0, "\(made.errors)")
  }

  /// As it lies there when its muxer is killed: sizes open, nothing behind the clusters.
  private func opened(_ data: Data) throws -> Data {
    var data = data
    let cluster = Data([0x1F, 0x43, 0xB6, 0x75])
    let segment = try #require(data.range(of: Data([0x18, 0x53, 0x80, 0x67])))
    let duration = try #require(data.range(of: Data([0x44, 0x89, 0x88])))
    let last = try #require(data.range(of: cluster, options: .backwards))
    let cues = try #require(data.range(of: Data([0x1C, 0x53, 0xBB, 0x6B]), in: last.upperBound..<data.endIndex))
    for place in [segment.upperBound, last.upperBound] {
      data.replaceSubrange(place..<place + 8, with: [1] + Array(repeating: 0xFF, count: 7))
    }
    data.replaceSubrange(duration.upperBound..<duration.upperBound + 8, with: Array(repeating: 0, count: 8))
    return data.prefix(cues.lowerBound)
  }

  @Test(arguments: Kind.allCases) func leavesAWholeFileAsItIs(_ kind: Kind) throws {
    let path = folder.file("whole")
    try record(kind, to: path)
    let before = try Data(file: path)
    let movie = try finish(path)
    #expect(movie.alreadyFinished && movie.hasAudio && movie.bytes == before.count)
    #expect(movie.frames == (kind == .soundAlone ? 0 : 90))
    #expect(movie.width == (kind == .soundAlone ? nil : 160))
    #expect(abs(movie.duration - 3) < 0.05)
    #expect(try Data(file: path) == before)
    try finish(path, MovieMetadata(creationTime: 1_796_036_775))
    #expect(try MovieJudge(path).entries("format_tags=creation_time") == ["2026-11-30T11:06:15.000000Z"])
    #expect(try MovieJudge(path).complaints() == "")
  }

  @Test(arguments: Kind.allCases, ["sine", "silence"])
  func finishesWhatWasCutOffAnywhere(_ kind: Kind, _ wave: String) throws {
    let path = folder.file("whole")
    try record(kind, wave: wave, to: path)
    let stream = kind == .soundAlone ? "a" : "v"
    let whole = try MovieJudge(path).checksums(stream)
    let draft = try opened(try Data(file: path))
    var generator = SeededGenerator(state: 7)
    for round in 0..<3 {
      let cut = round == 0 ? draft.count : Int.random(in: draft.count / 4..<draft.count, using: &generator)
      let file = folder.file("cut")
      try draft.prefix(cut).save(to: file)
      let movie = try finish(file)
      #expect(!movie.alreadyFinished)
      let judge = MovieJudge(file)
      #expect(try judge.complaints() == "", "cut at \(cut)")
      let left = try judge.checksums(stream)
      #expect(left == Array(whole.prefix(left.count)))
      if kind != .soundAlone { #expect(movie.frames == left.count) }
      #expect(abs(try judge.duration() - movie.duration) < 0.002)
      #expect(try movie.bytes == Data(file: file).count)
      if round == 0 { #expect(left.count == whole.count && abs(movie.duration - 3) < 0.05) }
      if kind != .soundAlone { try expectIndex(file, movie.duration) }
      let again = try finish(file)
      #expect(again.alreadyFinished && again.bytes == movie.bytes && again.frames == movie.frames)
    }
  }

  /// Where and by what it was taken stands in the file, in one that was ended in order and in one that was not.
  @Test(arguments: Kind.allCases, [false, true]) func carriesWhatIsKnown(_ kind: Kind, _ isCut: Bool) throws {
    let path = folder.file("whole")
    try record(kind, to: path)
    let stream = kind == .soundAlone ? "a" : "v"
    let before = try MovieJudge(path).checksums(stream)
    if isCut { try opened(try Data(file: path)).save(to: path) }
    let metadata = MovieMetadata(
      creationTime: 1_796_036_775, localDate: "2026-11-30T16:51:15.123+05:45",
      location: Location(latitude: -27.5916, longitude: 86.564, altitude: 8748), maker: "Acme & Sons",
      model: "Nest camera", software: "camd 1", camera: "front")
    let movie = try finish(path, metadata)
    #expect(try movie.bytes == Data(file: path).count)
    let judge = MovieJudge(path)
    #expect(try judge.complaints() == "")
    #expect(try judge.checksums(stream) == before)
    let names = ["DATE_RECORDED", "LOCATION", "MAKE", "MODEL", "SOFTWARE", "CAMD_CAMERA"]
    let tags = try judge.entries("format_tags=\(names.joined(separator: ","))").joined(separator: ",")
    let place = "-27.5916+086.5640+8748.000/"
    #expect(tags == "2026-11-30T16:51:15.123+05:45,\(place),Acme & Sons,Nest camera,camd 1,front")
    let found = try summary(path).metadata
    #expect(found == metadata)
    // once is enough
    let whole = try Data(file: path)
    #expect(try finish(path, metadata).alreadyFinished)
    #expect(try Data(file: path) == whole)
  }

  private func summary(_ path: String) throws -> MovieSummary {
    let descriptor = open(path, O_RDONLY)
    defer { close(descriptor) }
    return try MovieFile.summary(descriptor: descriptor)
  }

  /// Seeking to near the end takes the last key frame and not the first.
  private func expectIndex(_ file: String, _ duration: Double) throws {
    let seek = try Tool.run([
      "ffprobe", "-v", "error", "-read_intervals", "\(duration - 0.1)%+#1", "-show_entries", "packet=pts_time",
      "-select_streams", "v:0", "-of", "csv=p=0", file,
    ])
    let first = Double(seek.output.prefix { $0.isNumber || $0 == "." }) ?? 0
    #expect(first > duration - 1.2, "\(seek.output) of \(duration)")
  }

  @Test func nothingBeforeTheFirstBlockIsNothing() throws {
    let path = folder.file("whole")
    try record(.matroska, to: path)
    let draft = try opened(try Data(file: path))
    let start = try #require(draft.range(of: Data([0x1F, 0x43, 0xB6, 0x75]))).lowerBound
    for length in [1, 4, 40, 300, start, start + 14] {
      let file = folder.file("early")
      try draft.prefix(length).save(to: file)
      let error = try refusal(MovieFileError.self) { try finish(file) }
      #expect(error.kind == .noSamples || length < 4, "\(length): \(error)")
    }
  }

  /// Whatever stands there, nothing traps and no other file is touched.
  @Test func survivesGarbage() throws {
    let path = folder.file("whole")
    try record(.matroska, to: path)
    let whole = try Data(file: path)
    var generator = SeededGenerator(state: 11)
    for _ in 0..<150 {
      var damaged = whole
      for _ in 0..<20 {
        damaged[Int.random(in: 4..<min(2000, damaged.count), using: &generator)] = UInt8.random(
          in: 0...255, using: &generator)
      }
      let file = folder.file("damaged")
      try damaged.save(to: file)
      _ = try? finish(file)
    }
  }

  @Test func finishesOgg() throws {
    let path = folder.file("whole.ogg")
    let made = try Tool.run([
      "sh", "-c",
      "gst-launch-1.0 -q audiotestsrc num-buffers=150 samplesperbuffer=960 ! audio/x-raw,rate=48000,channels=2 ! "
        + "opusenc ! oggmux max-page-delay=200000000 ! filesink location=\(path)",
    ])
    #expect(made.status == 0, "\(made.errors)")
    let whole = try Data(file: path)
    let movie = try finish(path)
    #expect(movie.alreadyFinished && movie.hasAudio && movie.frames == 0)
    #expect(abs(movie.duration - 3) < 0.03)
    #expect(abs(try MovieJudge(path).duration() - movie.duration) < 0.03)
    for cut in [whole.count - 1, whole.count / 2, whole.count / 3] {
      let file = folder.file("cut.ogg")
      try whole.prefix(cut).save(to: file)
      let left = try finish(file)
      #expect(left.bytes <= cut && left.duration > movie.duration * Double(cut) / Double(whole.count) - 0.5)
      #expect(try MovieJudge(file).complaints() == "")
    }
    let file = folder.file("early.ogg")
    try whole.prefix(60).save(to: file)
    #expect(try refusal(MovieFileError.self) { try finish(file) }.kind == .noSamples)
  }
}
