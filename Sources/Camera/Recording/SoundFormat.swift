/// The one form in which sound travels inside the daemon.
enum SoundFormat {
  /// Samples per second.
  static let rate = 48_000
  /// Bytes of one sample of all channels.
  static let frameBytes = 4
  /// As caps.
  static let caps = "audio/x-raw,format=S16LE,layout=interleaved,rate=48000,channels=2"

  /// How many samples a running time is, rounded.
  static func samples(in nanoseconds: Int64) -> Int {
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return Int(seconds) * rate + Int((rest * Int64(rate) + (rest < 0 ? -500_000_000 : 500_000_000)) / 1_000_000_000)
  }

  /// How many nanoseconds so many samples last.
  static func nanoseconds(in samples: Int) -> UInt64 {
    let (seconds, rest) = samples.quotientAndRemainder(dividingBy: rate)
    return UInt64(seconds) * 1_000_000_000 + UInt64(rest) * 1_000_000_000 / UInt64(rate)
  }
}
