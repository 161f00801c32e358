/// Sizes as systemd writes them.
enum ByteSize {
  private static let units: [Character: Double] = [
    "K": 1024, "M": 1_048_576, "G": 1_073_741_824, "T": 1_099_511_627_776,
  ]

  /// Bytes of `500M`, `1.5G`, `1048576`; nil for anything else. Never negative.
  static func bytes(_ text: String) -> Int? {
    let unit = text.last.flatMap { units[$0] }
    let digits = unit == nil ? text : String(text.dropLast())
    guard let first = digits.first, first.isASCII, first.isNumber, digits.allSatisfy({ "0123456789.".contains($0) }),
      !digits.hasSuffix("."), let number = Double(digits)
    else { return nil }
    let bytes = number * (unit ?? 1)
    return bytes < 9e18 ? Int(bytes) : nil
  }
}
