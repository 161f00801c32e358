import CameraProtocol
import FoundationEssentials
import Glibc

/// The streams of the process.
enum Output {
  static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
  static var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// Writes a line to standard output, at once.
  static func line(_ text: String) throws { try write(Array((text + "\n").utf8), to: STDOUT_FILENO) }

  /// Writes a JSON object as a line.
  static func json(_ bytes: [UInt8]) throws { try write(bytes + [UInt8(ascii: "\n")], to: STDOUT_FILENO) }

  /// Writes a value as a line of JSON.
  static func json(_ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    try json(Array(try encoder.encode(value)))
  }

  /// Tells the user something beside the output. Nothing can be done where even that fails.
  static func note(_ text: String) { try? write(Array("camctl: \(text)\n".utf8), to: STDERR_FILENO) }

  /// Shows a line that the next one replaces; an empty one to end with. For terminals only.
  static func progress(_ text: String) { try? write(Array("\r\u{1B}[K\(text)".utf8), to: STDERR_FILENO) }

  static func write(_ bytes: [UInt8], to descriptor: CInt) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest.removeFirst(count)
      } else if errno == EAGAIN {
        var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&polled, 1, -1)
      } else if errno != EINTR {
        throw LocalError("cannot write: \(String(cString: strerror(errno)))")
      }
    }
  }
}

/// Values as people read them.
enum Text {
  /// A number with so many digits behind the point.
  static func fixed(_ value: Double, _ digits: Int) -> String {
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    guard value.isFinite, abs(value) * scale < 9e15 else { return "\(value)" }
    let scaled = Int((abs(value) * scale).rounded())
    let fraction = String(scaled % Int(scale))
    let sign = value < 0 && scaled > 0 ? "-" : ""
    guard digits > 0 else { return "\(sign)\(scaled)" }
    return "\(sign)\(scaled / Int(scale)).\(String(repeating: "0", count: digits - fraction.count))\(fraction)"
  }

  /// A number without needless digits.
  static func short(_ value: Double) -> String { value == value.rounded() ? fixed(value, 0) : fixed(value, 2) }

  static func bytes(_ count: Int) -> String {
    var value = Double(count)
    var unit = "bytes"
    for next in ["kB", "MB", "GB", "TB"] where value >= 1000 {
      value /= 1000
      unit = next
    }
    return "\(unit == "bytes" ? fixed(value, 0) : fixed(value, value < 100 ? 1 : 0)) \(unit)"
  }

  /// Seconds, with minutes and hours from a minute on.
  static func duration(_ seconds: Double) -> String {
    guard seconds >= 60, seconds < 1e9 else { return "\(fixed(seconds, 1)) s" }
    let whole = Int(seconds)
    func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
    let rest = "\(two(whole / 60 % 60)):\(two(whole % 60))"
    return whole >= 3600 ? "\(whole / 3600):\(rest)" : rest
  }

  /// A long time without needless digits.
  static func roughly(_ seconds: Double) -> String {
    switch seconds {
    case ..<120: "\(fixed(seconds, 0)) s"
    case ..<7200: "\(fixed(seconds / 60, 0)) minutes"
    case ..<172_800: "\(fixed(seconds / 3600, 0)) hours"
    default: "\(fixed(seconds / 86_400, 0)) days"
    }
  }

  static func format(_ format: Format) -> String {
    "\(format.width)x\(format.height) at \(short(format.frameRate)) fps (\(format.encoding))"
  }

  static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

  /// Rows as columns that stand below each other.
  static func table(_ rows: [[String]]) -> [String] {
    let widths = (0..<(rows.map(\.count).max() ?? 0)).map { column in
      rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
    }
    return rows.map { row in
      var line = ""
      for (column, cell) in row.enumerated() {
        line += column == row.count - 1 ? cell : cell + String(repeating: " ", count: widths[column] - cell.count + 2)
      }
      return line
    }
  }
}
