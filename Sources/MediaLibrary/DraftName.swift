import CameraProtocol

/// The hidden name of a movie that is being recorded. It says what the file itself doesn't: when, under which offset
/// and by which camera, so that it can be finished after a crash:
/// `.20261130-165115.123+0545.usb%2D1%2E2.1.mp4.partial`.
struct DraftName: Equatable {
  /// The end of every name that is not yet complete.
  static let suffix = ".partial"
  /// A camera's id is cut off behind this many bytes, since names have a limit.
  private static let longestCamera = 150

  var time: Timestamp
  var camera: String
  var number = 1
  var format: String

  init(time: Timestamp, camera: String, format: String) {
    self.time = time
    self.camera = camera
    self.format = format
  }

  /// Reads a name; nil for one that is not of this kind.
  init?(_ name: String) {
    guard name.hasPrefix("."), name.hasSuffix(Self.suffix) else { return nil }
    let parts = name.dropFirst().dropLast(Self.suffix.count).split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 5, let number = Int(parts[3]), number > 0, CaptureName.isFormat(parts[4]),
      let camera = Self.unescaped(parts[2])
    else { return nil }
    let day = Array(parts[0])
    let fraction = Array(parts[1])
    guard day.count == 15, fraction.count == 8 else { return nil }
    func text(_ characters: [Character], _ range: Range<Int>) -> String { String(characters[range]) }
    let date = "\(text(day, 0..<4))-\(text(day, 4..<6))-\(text(day, 6..<8))"
    let clock = "\(text(day, 9..<11)):\(text(day, 11..<13)):\(text(day, 13..<15))"
    let zone = "\(text(fraction, 3..<6)):\(text(fraction, 6..<8))"
    guard day[8] == "-", let time = Timestamp("\(date)T\(clock).\(text(fraction, 0..<3))\(zone)") else { return nil }
    self.init(time: time, camera: camera, format: String(parts[4]))
    self.number = number
  }

  /// The file's name.
  var name: String {
    let minutes = abs(time.offset) / 60
    let zone = "\(time.offset < 0 ? "-" : "+")\(padded(minutes / 60, 2))\(padded(minutes % 60, 2))"
    let stem = CaptureName(time: time, format: format).stem
    return ".\(stem)\(zone).\(Self.escaped(camera)).\(number).\(format)\(Self.suffix)"
  }

  /// Letters, digits and '_' stay; every other byte becomes '%' and two digits.
  private static func escaped(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF")
    var escaped = ""
    for scalar in text.unicodeScalars {
      var piece = ""
      for byte in String(scalar).utf8 {
        let isPlain = (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || byte == 95
        piece += isPlain ? String(UnicodeScalar(byte)) : "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
      }
      guard escaped.utf8.count + piece.utf8.count <= longestCamera else { break }
      escaped += piece
    }
    return escaped
  }

  private static func unescaped(_ text: some StringProtocol) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
        return nil
      }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
