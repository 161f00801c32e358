import CameraProtocol

/// What `record` and `record start` have in common.
struct RecordOptions {
  static let list = [
    Option("--quality", value: "Q", "low, medium (the default), high, 640x480, 720p or\n1080p"),
    Option("--no-audio", "without sound"),
    Option("--audio-only", "sound alone"),
    Option("--container", value: "C", "mp4 (the default), matroska, webm, or for sound\nalone ogg"),
    Option("--video-codec", value: "V", "h264, vp8 or vp9"),
    Option("--audio-codec", value: "A", "aac or opus"),
    Option("--size", value: "WxH", "in place of the preset's size: 1280x720"),
    Option("--rate", value: "N", "frames a second, as many as the camera has at most"),
    Option("--bit-rate", value: "B", "bits a second of the picture: 800k, 4M"),
  ]

  let quality: Quality?
  let audio: Bool?
  let movie: MovieSettings

  init(_ words: CommandLineWords) throws(UsageError) {
    quality = try Self.choice(words, "--quality", Quality.self)
    audio = words.has("--no-audio") ? false : nil
    let size = try words.value("--size", expected: "a width and a height, both even: 1280x720", Self.size)
    movie = MovieSettings(
      container: try Self.choice(words, "--container", Container.self),
      videoCodec: try Self.choice(words, "--video-codec", VideoCodec.self),
      audioCodec: try Self.choice(words, "--audio-codec", AudioCodec.self),
      video: words.has("--audio-only") ? false : nil, width: size?.width, height: size?.height,
      frameRate: try words.value("--rate", expected: "frames a second, such as 25") { text in
        Double(text).flatMap { (0.1...1000).contains($0) ? $0 : nil }
      }, bitRate: try words.value("--bit-rate", expected: "bits a second from 10k on, such as 4M", Self.bitRate))
  }

  private static func choice<Value: RawRepresentable<String> & CaseIterable>(
    _ words: CommandLineWords, _ option: String, _: Value.Type
  ) throws(UsageError) -> Value? {
    try words.value(
      option, expected: Value.allCases.map(\.rawValue).joined(separator: ", "), Value.init(rawValue:))
  }

  private static func size(_ text: String) -> (width: Int, height: Int)? {
    let parts = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let width = parts[0], let height = parts[1],
      [width, height].allSatisfy({ (2...16_384).contains($0) && $0 % 2 == 0 })
    else { return nil }
    return (width, height)
  }

  private static func bitRate(_ text: String) -> Int? {
    let factors: [Character: Double] = ["k": 1e3, "K": 1e3, "M": 1e6, "m": 1e6]
    let factor = text.last.flatMap { factors[$0] }
    guard let number = Double(factor == nil ? text : String(text.dropLast())), number.isFinite else { return nil }
    let bits = number * (factor ?? 1)
    return (1e4...1e9).contains(bits) ? Int(bits) : nil
  }
}
