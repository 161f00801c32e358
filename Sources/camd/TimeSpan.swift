/// Time spans as systemd.time(7) writes them.
enum TimeSpan {
  private static let units: [String: Double] = [
    "": 1, "ms": 0.001, "msec": 0.001, "s": 1, "sec": 1, "second": 1, "seconds": 1, "m": 60, "min": 60, "minute": 60,
    "minutes": 60, "h": 3600, "hr": 3600, "hour": 3600, "hours": 3600, "d": 86400, "day": 86400, "days": 86400,
  ]

  /// Seconds of `30`, `1.5s`, `5min 20s`, `infinity`; nil for anything else. Never negative.
  static func seconds(_ text: String) -> Double? {
    if text == "infinity" { return .infinity }
    var rest = text.trimmed
    guard !rest.isEmpty else { return nil }
    var total = 0.0
    while !rest.isEmpty {
      let digits = rest.prefix { "0123456789.".contains($0) }
      rest = rest.dropFirst(digits.count).trimmed
      let unit = rest.prefix { $0.isLetter }
      rest = rest.dropFirst(unit.count).trimmed
      // Double reads '.5' and '5.' too; systemd doesn't take the latter.
      guard let number = Double(digits), !digits.hasSuffix("."), let scale = units[String(unit)] else { return nil }
      total += number * scale
    }
    return total.isFinite ? total : nil
  }
}
