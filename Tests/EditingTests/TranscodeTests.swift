import CameraProtocol
import Editing
import Foundation
import MovieFile
import Synchronization
import TestSupport
import Testing

/// Smaller movies, as other programs see them.
@Suite(.serialized) struct TranscodeTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  /// A movie of noise, so that bit rates mean something, whose picture inverts once a second where the sound ticks.
  static func flips(_ size: String = "640x360", rate: String = "30", seconds: Int = 6) -> [String] {
    let picture =
      "color=black:size=4x4:rate=\(rate),geq=lum='if(mod(floor(T),2),220,50)':cb=128:cr=128,"
      + "scale=s=\(size):flags=neighbor,setsar=1,noise=c0s=20:c0f=t+u"
    let sound = "aevalsrc='if(gte(t,0.5)*lt(mod(t,1),0.02),0.8*sin(6000*t),0)':s=48000:c=stereo"
    return ["-f", "lavfi", "-i", picture, "-f", "lavfi", "-i", sound, "-t", "\(seconds)"]
  }

  private func transcode(
    _ file: String, _ quality: Quality, maxDuration: Double? = nil, known: MovieMetadata = MovieMetadata(),
    isCancelled: @escaping @Sendable () -> Bool = { false }, progress: @escaping @Sendable (Double) -> Void = { _ in }
  ) async throws -> (movie: TranscodedMovie, judge: MovieJudge) {
    let bench = bench
    let made = try await offPool {
      try bench.edit(file, as: "smaller.mp4") { (source, target) throws(CameraError) in
        try MovieTranscoder.run(
          source: source, target: target, quality: quality, maxDuration: maxDuration, known: known,
          progress: progress, isCancelled: isCancelled)
      }
    }
    return (made.result, MovieJudge(made.path))
  }

  /// B-frames, Matroska, WebM, MPEG-4 in MP4 with the header in front: in sync, complete, an ordinary MP4.
  @Test(arguments: [
    ("b.mp4", ["-c:v", "libx264", "-bf", "3", "-b:v", "2M", "-c:a", "aac"]),
    ("m.mkv", ["-c:v", "libx264", "-bf", "2", "-b:v", "2M", "-c:a", "libopus", "-ar", "48000"]),
    ("w.webm", ["-c:v", "libvpx", "-deadline", "realtime", "-b:v", "2M", "-c:a", "libopus"]),
    ("f.mp4", ["-c:v", "mpeg4", "-b:v", "3M", "-c:a", "aac", "-ac", "1", "-movflags", "faststart"]),
    ("q.mov", ["-c:v", "mjpeg", "-q:v", "8", "-c:a", "pcm_s16le", "-ar", "44100"]),
  ])
  func keepsPictureAndSoundTogether(name: String, options: [String]) async throws {
    let file = try bench.make(name, Self.flips() + options)
    let steps = Mutex<[Double]>([])
    let (movie, judge) = try await transcode(file, .low, progress: { step in steps.withLock { $0.append(step) } })
    #expect(try judge.complaints() == "")
    #expect(try judge.size() == [256, 144])
    #expect(try judge.topLevel().map(\.name).filter { $0 == "moof" } == [])
    let times = try judge.frameTimes()
    #expect(times.count == movie.frames)
    #expect(abs(times.count - 90) <= 1)
    #expect(abs(movie.duration - 6) < 0.1)
    let (flips, ticks) = (try judge.flips(), try judge.ticks())
    #expect(flips.count == 5)
    for flip in flips {
      // a picture of 15 a second may be half of its time late
      #expect(ticks.contains { abs($0 - flip) <= 0.04 }, "\(flips), \(ticks)")
    }
    let told = steps.withLock { $0 }
    #expect(told.count > 30)
    #expect(zip(told, told.dropFirst()).allSatisfy { $0 <= $1 })
    #expect((0.9...1).contains(told.last ?? 0))
    let bytes = try FileManager.default.attributesOfItem(atPath: judge.path)[.size] as? Int ?? 0
    #expect(bytes < 250_000, "\(bytes)")
  }

  @Test func keepsSoundThatFitsAsItIs() async throws {
    let file = try bench.make(
      "s.mp4", Self.flips(seconds: 4) + ["-c:v", "libx264", "-b:v", "3M", "-c:a", "aac", "-b:a", "60k"])
    let (_, judge) = try await transcode(file, .medium)
    #expect(try judge.complaints() == "")
    func packets(_ path: String) throws -> [String] {
      let options = ["-select_streams", "a", "-show_data_hash", "md5", "-show_entries", "packet=data_hash"]
      return try Tool.run(["ffprobe", "-v", "error"] + options + ["-of", "csv=p=0", path]).output
        .split(separator: "\n").map(String.init)
    }
    // what lies before and behind the part that is played isn't needed
    let (all, kept) = (try packets(file), try packets(judge.path))
    #expect(kept.count >= all.count - 3)
    #expect(all.indices.contains { all[$0...].starts(with: kept) })
    let (flips, ticks) = (try judge.flips(), try judge.ticks())
    #expect(flips.count == 3)
    for flip in flips { #expect(ticks.contains { abs($0 - flip) <= 0.034 }, "\(flips), \(ticks)") }
    // low has one channel only
    let (_, small) = try await transcode(file, .low)
    #expect(try small.entries("stream=channels", stream: "a") == ["1"])
  }

  /// The times of frames stay where they are.
  @Test func keepsTheTimesOfAVaryingRate() async throws {
    let file = try bench.make(
      "v.mkv",
      ["-f", "lavfi", "-i", "testsrc2=size=1280x720:rate=30:duration=4,select='not(mod(n,7))+gt(t,2)*not(mod(n,2))'"]
        + ["-fps_mode", "vfr", "-c:v", "libx264", "-b:v", "4M"])
    let before = try MovieJudge(file).frameTimes()
    let (movie, judge) = try await transcode(file, .medium)
    let after = try judge.frameTimes()
    #expect(movie.frames == before.count)
    #expect(after.count == before.count)
    for (one, other) in zip(before, after) { #expect(abs(one - before[0] - other) < 0.002) }
    #expect(try judge.entries("stream=codec_type", stream: "a") == [])
    #expect(try judge.size() == [640, 360])
  }

  @Test func keepsTurnPlaceAndTime() async throws {
    let recording = bench.folder.file("recording.mp4")
    var maker = MovieMaker()
    maker.frames = 60
    try maker.record(to: recording)
    let metadata = MovieMetadata(
      creationTime: 1_600_000_000, localDate: "2020-09-13T14:26:40.000+02:00", rotation: .right,
      location: Location(latitude: 48.5, longitude: 9.25, altitude: 300), maker: "Maker", model: "Model",
      software: "before", camera: "bird", audioPriming: 1024)
    let descriptor = open(recording, O_RDWR)
    _ = try MovieFinisher.finish(at: descriptor, metadata: metadata)
    close(descriptor)
    let (movie, judge) = try await transcode(
      recording, .low, known: MovieMetadata(creationTime: 5, software: "camd test", camera: "other"))
    let made = try MovieFile.read(path: judge.path).metadata
    #expect(made.rotation == .right && movie.rotation == 90)
    #expect(made.creationTime == metadata.creationTime && made.localDate == metadata.localDate)
    #expect(made.location == metadata.location && made.camera == "bird" && made.software == "camd test")
    #expect(try judge.entries("stream_side_data=rotation", stream: "v:0").contains { $0.contains("-90") })
    #expect(try judge.entries("format_tags=creation_time").contains { $0.hasPrefix("2020-09-13T12:26:40") })
    #expect(movie.width == 120 && movie.height == 160)
  }

  @Test func endsWhereItIsTold() async throws {
    let file = try bench.make("l.mp4", Self.flips(seconds: 8) + ["-c:v", "libx264", "-b:v", "2M", "-c:a", "aac"])
    let (movie, judge) = try await transcode(file, .medium, maxDuration: 2.5)
    #expect(movie.frames == 75)
    #expect(abs(movie.duration - 2.5) < 0.05)
    let sound = try #require(try judge.extent("a:0"))
    #expect(abs(sound.end - 2.5) < 0.03)
    #expect(try judge.complaints() == "")
  }

  @Test(arguments: [
    (Quality.hd1080, "640x360", 30), (.hd720, "640x360", 30), (.vga, "640x360", 30), (.high, "640x360", 30),
    (.medium, "320x180", 30), (.low, "160x120", 15),
  ])
  func neverMakesMoreOfAMovie(quality: Quality, size: String, rate: Int) async throws {
    let file = try bench.make(
      "u.mp4",
      ["-f", "lavfi", "-i", "testsrc2=size=\(size):rate=\(rate):duration=2", "-c:v", "libx264", "-b:v", "100k"])
    let refused = try await refusal(CameraError.self) { _ = try await transcode(file, quality) }
    #expect(refused.kind == .notCompatible)
    #expect(refused.detail.message.contains("only made smaller"))
    #expect(try Data(contentsOf: URL(filePath: bench.folder.file("smaller.mp4"))).isEmpty)
  }

  /// A preset that names a size has it, upright where the picture is.
  @Test(arguments: [("1280x720", [640, 480]), ("720x1280", [480, 640]), ("641x481", [640, 480])])
  func hasThePresetsSize(size: String, expected: [Int]) async throws {
    let file = try bench.make(
      "p.mp4",
      ["-f", "lavfi", "-i", "testsrc2=size=\(size):rate=30:duration=1", "-c:v", "libx264", "-pix_fmt", "yuv444p"]
        + ["-b:v", "20M"])
    #expect(try await transcode(file, .vga).judge.size() == expected)
  }

  @Test func canBeCancelled() async throws {
    let file = try bench.make(
      "c.mp4",
      ["-f", "lavfi", "-i", "testsrc2=size=1280x720:rate=30:duration=20", "-c:v", "libx264", "-preset", "ultrafast"])
    let frames = Atomic(0)
    let refused = try await refusal(CameraError.self) {
      _ = try await transcode(file, .medium, isCancelled: { frames.add(1, ordering: .relaxed).newValue > 20 })
    }
    #expect(refused.kind == .cancelled)
    #expect(frames.load(ordering: .relaxed) < 200)
  }

  @Test func saysWhatItCannotRead() async throws {
    let sound = try bench.make("a.m4a", ["-f", "lavfi", "-i", "sine=duration=1", "-c:a", "aac"])
    let text = bench.folder.file("t.mp4")
    try "no movie".write(toFile: text, atomically: false, encoding: .utf8)
    for file in [sound, text, "/dev/null"] {
      let refused = try await refusal(CameraError.self) { _ = try await transcode(file, .low) }
      #expect(refused.kind == .notCompatible, "\(file): \(refused)")
    }
  }
}
