/// Durations as they are typed: `10`, `10s`, `1.5m`, `1h`.
enum DurationText {
  static let expected = "a duration such as 10, 10s, 1.5m or 1h"

  /// The seconds; nil where it is no duration or a negative one.
  static func seconds(_ text: String) -> Double? {
    let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600]
    let unit = text.last.flatMap { units[$0] }
    let number = unit == nil ? text : String(text.dropLast())
    guard let first = number.utf8.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first),
      number.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: ".") }),
      let value = Double(number), value.isFinite
    else { return nil }
    return value * (unit ?? 1)
  }
}
