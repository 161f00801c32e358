/// Counts the looks, a second apart, at which no new frame was there. Time alone would be wrong: where the daemon itself
/// stood still, as in a frozen unit, the newest frame is old and the camera is well.
struct Silence {
  private var newest: UInt64?
  /// Looks in a row without a new frame.
  private(set) var seconds = 0

  /// Looks; `newest` is the running time of the newest frame.
  mutating func look(_ newest: UInt64) {
    seconds = newest == self.newest ? seconds + 1 : 0
    self.newest = newest
  }
}
