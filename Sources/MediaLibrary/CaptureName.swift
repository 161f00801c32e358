import CameraProtocol

/// The name of a capture in the album: its local time, and a number where several have the same.
///
/// `2026/2026-11-30/20261130-110615.123.jpg`, then `20261130-110615.123_002.jpg`. Names sort by time, those of the same
/// millisecond in the order in which they were saved ('_' sorts behind '.').
struct CaptureName: Sendable, Equatable {
  /// More captures than this don't share a millisecond.
  static let largestNumber = 9999

  /// Such as `20261130-110615.123`.
  var stem: String
  /// From 1; 1 is not written.
  var number = 1
  /// Without the point.
  var format: String

  init(time: Timestamp, format: String) {
    let local = time.localFields
    let day = "\(padded(local.year, 4))\(padded(local.month, 2))\(padded(local.day, 2))"
    let clock = "\(padded(local.hour, 2))\(padded(local.minute, 2))\(padded(local.second, 2))"
    stem = "\(day)-\(clock).\(padded(time.nanoseconds / 1_000_000, 3))"
    self.format = format
  }

  /// Reads a name; nil for one that is not of this kind, and so for anything that leads out of its folder.
  init?(_ name: String) {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].count == 15, Self.isFormat(parts[2]) else { return nil }
    let bytes = Array(parts[0].utf8)
    guard bytes.count == 15, bytes[8] == UInt8(ascii: "-"), Self.isNumber(parts[0].prefix(8)),
      Self.isNumber(parts[0].suffix(6))
    else { return nil }
    let fraction = parts[1].split(separator: "_", omittingEmptySubsequences: false)
    guard fraction[0].utf8.count == 3, Self.isNumber(fraction[0]), fraction.count <= 2 else { return nil }
    if fraction.count == 2 {
      guard (3...4).contains(fraction[1].utf8.count), Self.isNumber(fraction[1]), let number = Int(fraction[1]),
        number > 1
      else { return nil }
      self.number = number
    }
    stem = "\(parts[0]).\(fraction[0])"
    format = String(parts[2])
  }

  /// The file's name.
  var name: String { number == 1 ? "\(stem).\(format)" : "\(stem)_\(padded(number, 3)).\(format)" }

  /// The folders that it lies in, from the album's root on: the year, then the day.
  var folders: [String] {
    let digits = Array(stem)
    let year = String(digits[0..<4])
    return [year, "\(year)-\(String(digits[4..<6]))-\(String(digits[6..<8]))"]
  }

  static func isFormat(_ text: some StringProtocol) -> Bool {
    (1...8).contains(text.utf8.count) && text.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) }
  }

  static func isNumber(_ text: some StringProtocol) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (48...57).contains($0) }
  }
}

/// A number with leading zeros.
func padded(_ number: Int, _ digits: Int) -> String {
  let text = String(number.magnitude)
  return String(repeating: "0", count: max(0, digits - text.count)) + text
}
