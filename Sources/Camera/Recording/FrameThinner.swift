import GStreamer

/// Takes as many frames of a source as a movie of fewer frames a second needs, evenly.
struct FrameThinner {
  private let rate: Fraction
  private let sourceRate: Fraction
  /// Running time at which the next frame is due.
  private var due: UInt64 = 0

  init(rate: Fraction, sourceRate: Fraction) {
    self.rate = rate
    self.sourceRate = sourceRate
  }

  /// The frame of this time is taken whatever was before.
  mutating func begin(at time: UInt64) { due = time }

  /// Whether the movie takes a frame of this time; `interval` is the source's. Moves on the time at which the next one is
  /// due.
  mutating func takes(_ time: UInt64, interval: UInt64) -> Bool {
    // frames of a rate that varies may come quicker than the movie's
    guard sourceRate.numerator == 0 || rate.value < sourceRate.value else { return true }
    guard time + interval / 2 >= due else { return false }
    let step = UInt64(1e9 / rate.value)
    due = max(due + step, time >= step ? time - step + step : time)
    return true
  }
}
