/// The clock of the format: seconds since 1904-01-01T00:00:00Z.
enum MovieTime {
  /// 1970-01-01T00:00:00Z.
  static let epoch = 2_082_844_800
}

/// A whole number of ticks carried from one time scale to another, rounded to the nearest.
func rescale(_ ticks: Int, from: UInt32, to: UInt32) -> Int {
  guard from > 0, from != to else { return ticks }
  let product = ticks.magnitude.multipliedFullWidth(by: UInt(to))
  let half = UInt(from) / 2
  let (low, carry) = product.low.addingReportingOverflow(half)
  let high = product.high + (carry ? 1 : 0)
  guard high < UInt(from) else { return ticks < 0 ? -(1 << 60) : 1 << 60 }
  let quotient = Int(clamping: UInt(from).dividingFullWidth((high, low)).quotient)
  return ticks < 0 ? -min(quotient, 1 << 60) : min(quotient, 1 << 60)
}
