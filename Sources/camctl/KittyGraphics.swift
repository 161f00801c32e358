import Glibc
import Varlink

/// Pictures in the terminal, by the protocol of kitty, which several terminals speak.
enum KittyGraphics {
  /// Whether standard output is a terminal that says by its environment that it knows the protocol.
  static var isSpoken: Bool {
    guard Output.isTerminal else { return false }
    func value(_ name: String) -> String { getenv(name).map { String(cString: $0) } ?? "" }
    return !value("KITTY_WINDOW_ID").isEmpty || ["xterm-kitty", "xterm-ghostty"].contains(value("TERM"))
      || ["WezTerm", "ghostty"].contains(value("TERM_PROGRAM"))
  }

  /// Shows a PNG file where the cursor stands.
  static func show(_ picture: FileDescriptor) throws {
    var file: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(picture.rawValue, &buffer, buffer.count)
      if count == 0 { break }
      if count > 0 {
        file += buffer[..<count]
      } else if errno != EINTR {
        throw LocalError("cannot read the picture: \(String(cString: strerror(errno)))")
      }
    }
    try Output.write(sequence(file) + [UInt8(ascii: "\n")], to: STDOUT_FILENO)
  }

  /// The escape sequences: base64 in pieces of at most 4,096 bytes.
  static func sequence(_ png: [UInt8]) -> [UInt8] {
    let text = base64(png)
    var result: [UInt8] = []
    for start in stride(from: 0, to: text.count, by: 4096) {
      let end = min(start + 4096, text.count)
      let head = start == 0 ? "a=T,f=100,q=2," : ""
      result += Array("\u{1B}_G\(head)m=\(end < text.count ? 1 : 0);".utf8) + text[start..<end]
      result += Array("\u{1B}\\".utf8)
    }
    return result
  }

  private static func base64(_ bytes: [UInt8]) -> [UInt8] {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for place in 0..<4 {
        text.append(place <= group.count ? letters[bits >> (18 - 6 * place) & 63] : UInt8(ascii: "="))
      }
    }
    return text
  }
}
