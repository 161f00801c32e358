import CameraProtocol
import TestSupport
import Testing

/// A file that every player takes: whole, 8-bit 4:2:0, from a key frame on, with as many frames as the daemon says.
func expectPlayable(_ result: RecordingResult, sourceLocation: SourceLocation = #_sourceLocation) throws {
  let judge = try result.judge()
  try expectPlayable(judge, sourceLocation: sourceLocation)
  let times = try judge.frameTimes()
  #expect(times.count == result.frames, sourceLocation: sourceLocation)
  let duration = result.asset?.duration ?? 0
  let container = try judge.duration()
  #expect(abs(duration - container) < 0.05, "\(duration), \(container) in the file", sourceLocation: sourceLocation)
  #expect(try judge.entries("stream=codec_type", stream: "a").count == (result.audio ? 1 : 0))
}

/// A file that every player takes: whole, 8-bit 4:2:0, from a key frame at 0 on.
func expectPlayable(_ judge: MovieJudge, sourceLocation: SourceLocation = #_sourceLocation) throws {
  let complaints = try judge.complaints()
  #expect(complaints == "", sourceLocation: sourceLocation)
  #expect(try judge.duration() > 0, sourceLocation: sourceLocation)
  #expect(try judge.entries("stream=pix_fmt", stream: "v:0") == ["yuv420p"], sourceLocation: sourceLocation)
  let first = try #require(
    try judge.entries("packet=pts_time,flags", stream: "v:0").first, sourceLocation: sourceLocation)
  #expect(first.hasPrefix("0.000000,K"), "\(first)", sourceLocation: sourceLocation)
  let times = try judge.frameTimes()
  #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 }, "\(times)", sourceLocation: sourceLocation)
}

/// An ordinary MP4: no fragments, its tables complete.
func expectOrdinary(_ judge: MovieJudge, sourceLocation: SourceLocation = #_sourceLocation) throws {
  let boxes = try judge.topLevel().map(\.name)
  #expect(boxes.filter { $0 == "moov" }.count == 1, "\(boxes)", sourceLocation: sourceLocation)
  #expect(!boxes.contains("moof"), "\(boxes)", sourceLocation: sourceLocation)
  #expect(boxes.first == "ftyp", "\(boxes)", sourceLocation: sourceLocation)
}

/// Picture and sound are as long as each other, to a frame.
func expectEqualExtent(
  _ judge: MovieJudge, rate: Double = 30, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let picture = try #require(try judge.extent("v:0"), sourceLocation: sourceLocation)
  let sound = try #require(try judge.extent("a:0"), sourceLocation: sourceLocation)
  let comment = Comment(rawValue: "\(picture), \(sound)")
  #expect(abs(picture.start - sound.start) < 1 / rate, comment, sourceLocation: sourceLocation)
  #expect(abs(picture.end - sound.end) < 1 / rate, comment, sourceLocation: sourceLocation)
}

/// Each turn of the picture has a tick of the sound within 40 ms, and there are some.
func expectInSync(
  _ judge: MovieJudge, flips wanted: Int, after start: Double = 0, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let (flips, ticks) = (try judge.flips(), try judge.ticks())
  let comment = Comment(rawValue: "flips \(flips), ticks \(ticks)")
  let relevant = flips.filter { $0 >= start }
  #expect(relevant.count >= wanted, comment, sourceLocation: sourceLocation)
  for flip in relevant {
    let offset = ticks.map { abs($0 - flip) }.min() ?? .infinity
    #expect(offset <= 0.04, comment, sourceLocation: sourceLocation)
  }
}
