import Foundation

extension MovieJudge {
  /// What a file is not.
  public struct Misfit: Error {
    /// What was expected.
    public var description: String
  }

  /// When each frame is shown, in seconds, in order.
  public func frameTimes() throws -> [Double] {
    try entries("packet=pts_time", stream: "v:0").compactMap { Double($0.prefix { $0 != "," }) }.sorted()
  }

  /// The largest step from one frame to the next, in seconds.
  public func largestGap() throws -> Double {
    let times = try frameTimes()
    return zip(times, times.dropFirst()).map { $1 - $0 }.max() ?? 0
  }

  /// Start and end of a stream (`v:0`, `a:0`) in seconds; nil where there is none.
  public func extent(_ stream: String) throws -> (start: Double, end: Double)? {
    guard let line = try entries("stream=start_time,duration", stream: stream).first else { return nil }
    let values = line.split(separator: ",").compactMap { Double($0) }
    guard values.count == 2 else { return nil }
    return (values[0], values[0] + values[1])
  }

  /// Seconds, as the container says.
  public func duration() throws -> Double {
    try entries("format=duration").first.flatMap { Double($0) } ?? 0
  }

  /// Width and height of the picture.
  public func size() throws -> [Int] {
    try entries("stream=width,height", stream: "v:0").first?.split(separator: ",").compactMap { Int($0) } ?? []
  }

  /// The mean brightness of each frame, 0 to 255.
  public func brightness() throws -> [Double] {
    // without passthrough, what isn't there would be filled with what was before
    let bytes = try decoded(
      ["-map", "0:v:0", "-vf", "scale=8:8:flags=area,format=gray", "-fps_mode", "passthrough", "-f", "rawvideo"])
    return stride(from: 0, to: bytes.count / 64 * 64, by: 64).map { start in
      Double(bytes[start..<start + 64].reduce(0) { $0 + Int($1) }) / 64
    }
  }

  /// The sound at 48 kHz, -1 to 1, for each channel; index 0 is the moment 0 of the file, gaps are silence. With
  /// `byTime` false the pieces stand one behind the other, whatever time each has: some files know milliseconds only.
  public func sound(byTime: Bool = true) throws -> [[Float]] {
    guard let line = try entries("stream=channels", stream: "a:0").first, let channels = Int(line) else { return [] }
    let filter = byTime ? "aresample=48000:async=1:first_pts=0" : "aresample=48000"
    let bytes = try decoded(
      ["-map", "0:a:0", "-af", filter, "-ac", "\(channels)", "-f", "f32le"])
    return bytes.withUnsafeBytes { raw in
      let samples = raw.bindMemory(to: Float.self)
      return (0..<channels).map { channel in
        stride(from: channel, to: samples.count / channels * channels, by: channels).map { samples[$0] }
      }
    }
  }

  /// When the picture turns from dark to bright or back, in seconds.
  public func flips() throws -> [Double] {
    let (times, brightness) = (try frameTimes(), try brightness())
    guard times.count == brightness.count else {
      throw Misfit(description: "\(times.count) frames in the file, \(brightness.count) decoded")
    }
    return brightness.indices.dropFirst().filter { abs(brightness[$0] - brightness[$0 - 1]) > 80 }.map { times[$0] }
  }

  /// When a sound begins after at least half a second of silence, in seconds.
  public func ticks() throws -> [Double] {
    guard let sound = try sound().first, let peak = sound.lazy.map(abs).max(), peak > 0.01 else { return [] }
    var last = Int.min / 2
    var result: [Double] = []
    for (index, value) in sound.enumerated() where abs(value) > peak / 4 {
      if index - last > 24_000 { result.append(Double(index) / 48_000) }
      last = index
    }
    return result
  }

  private func decoded(_ options: [String]) throws -> [UInt8] {
    let folder = try TemporaryFolder(inMemory: true)
    let file = folder.file("decoded")
    let result = try Tool.run(["ffmpeg", "-v", "error", "-y", "-i", path] + options + [file])
    guard result.status == 0 else { throw Misfit(description: "\(path): \(result.errors)") }
    return Array(try Data(contentsOf: URL(filePath: file)))
  }
}

extension [Float] {
  /// The pitch of a tone in Hz, from its zero crossings at 48 kHz.
  public var pitch: Double {
    var crossings: [Int] = []
    for index in indices.dropFirst() where self[index - 1] < 0 && self[index] >= 0 { crossings.append(index) }
    guard let first = crossings.first, let last = crossings.last, last > first else { return 0 }
    return Double(crossings.count - 1) * 48_000 / Double(last - first)
  }

  /// The root of the mean square.
  public var loudness: Double {
    isEmpty ? 0 : (reduce(0) { $0 + Double($1) * Double($1) } / Double(count)).squareRoot()
  }
}
