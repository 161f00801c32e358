/// Places in a movie as they are typed: `90`, `1:30`, `0:01:30.5`, from the end `-10` or `-0:10`, and `end`.
enum MovieTimeText {
  static let expected = "seconds, M:SS or H:MM:SS, with '-' in front from the end"

  /// Seconds from the beginning, below 0 from the end; nil where it is no time.
  static func seconds(_ text: String) -> Double? {
    let isFromEnd = text.hasPrefix("-")
    let parts = (isFromEnd ? text.dropFirst() : text[...]).split(separator: ":", omittingEmptySubsequences: false)
    guard (1...3).contains(parts.count) else { return nil }
    var seconds = 0.0
    for (index, part) in parts.enumerated() {
      let isLast = index == parts.count - 1
      let isPlain = part.utf8.allSatisfy { (48...57).contains($0) || (isLast && $0 == UInt8(ascii: ".")) }
      guard isPlain, part.utf8.first.map({ (48...57).contains($0) }) ?? false, let value = Double(part),
        value < 1e9, index == 0 || value < 60
      else { return nil }
      seconds = seconds * 60 + value
    }
    return isFromEnd ? -seconds : seconds
  }

  /// The same of the end of a part; `.some(nil)` for the movie's end, nil where it is no time.
  static func end(_ text: String) -> Double?? {
    if text == "end" || text == "-0" { return .some(nil) }
    return seconds(text).map { .some($0) }
  }

  /// Start and end, read from two words.
  static func range(_ start: String, _ end: String) throws(UsageError) -> (start: Double, end: Double?) {
    guard let from = seconds(start) else { throw UsageError("'\(start)' is no time: expected \(expected)") }
    guard let to = self.end(end) else { throw UsageError("'\(end)' is no time: expected \(expected), or 'end'") }
    if let to, (from < 0) == (to < 0), to <= from {
      throw UsageError("nothing lies between '\(start)' and '\(end)': the end is not behind the start")
    }
    return (from, to)
  }
}
