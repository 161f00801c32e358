/// Keeps a recording within what its encoder can do: where pictures wait for more than a second, every second one is left
/// out from then on, and where that is not enough, three of four. What is left out counts as dropped.
struct EncoderPace {
  /// Nanoseconds of pictures that may wait before some are left out.
  static let patience: UInt64 = 1_000_000_000
  /// Nanoseconds that a step is given to show what it does.
  static let pause: UInt64 = 2_000_000_000
  /// The largest divisor.
  static let slowest = 4

  /// One of so many pictures is taken.
  private(set) var divisor = 1
  private var count = 0
  private var steppedAt: UInt64?

  /// Whether the picture of a running time is taken, and whether the rate has just been lowered. `waiting`: nanoseconds of
  /// pictures that wait for the encoder; `interval`: the source's, of which three may wait however long they are.
  mutating func take(
    _ runningTime: UInt64, waiting: UInt64, interval: UInt64 = 33_333_333
  ) -> (takes: Bool, slowed: Bool) {
    var slowed = false
    if waiting > max(Self.patience, 3 * interval), divisor < Self.slowest,
      steppedAt.map({ runningTime >= $0 + Self.pause }) ?? true
    {
      divisor *= 2
      (steppedAt, count, slowed) = (runningTime, 0, true)
    }
    defer { count += 1 }
    return (count % divisor == 0, slowed)
  }
}
