/// Walks over JSON text (RFC 8259) without building values, so that a message costs no more than its bytes.
struct JSONScanner {
  /// Nesting that is followed; deeper is refused, so that no message can exhaust the stack.
  static let maxDepth = 64

  /// What the next value is.
  enum Kind { case object, array, string, number, boolean, null }

  private let bytes: [UInt8]
  private var depth = 0
  /// Where the next value begins, or white space before it.
  private(set) var position: Int

  init(_ bytes: [UInt8], at position: Int = 0) {
    self.bytes = bytes
    self.position = position
  }

  /// The kind of the next value.
  mutating func peek() throws -> Kind {
    skipSpace()
    switch byte {
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .array
    case UInt8(ascii: "\""): return .string
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .boolean
    case UInt8(ascii: "n"): return .null
    case .some(UInt8(ascii: "-")), .some(UInt8(ascii: "0")...UInt8(ascii: "9")): return .number
    default: throw unexpected()
    }
  }

  /// Fails unless nothing but white space is left.
  mutating func finish() throws {
    skipSpace()
    if position < bytes.count { throw unexpected() }
  }

  /// Checks the syntax of a value and goes on behind it.
  mutating func skipValue() throws {
    switch try peek() {
    case .object: try readObject { scanner, _ in try scanner.skipValue() }
    case .array: try readArray { scanner, _ in try scanner.skipValue() }
    case .string: _ = try skipString()
    case .number: _ = try readNumber()
    case .boolean: _ = try readBoolean()
    case .null: try readNull()
    }
  }

  /// Reads an object; `member` must read the value of the name it gets.
  mutating func readObject(_ member: (inout JSONScanner, String) throws -> Void) throws {
    try open("{")
    var first = true
    while try !closes("}", first: &first) {
      let name = try readString()
      try expect(":")
      try member(&self, name)
    }
  }

  /// Reads an array; `element` must read the value of the index it gets.
  mutating func readArray(_ element: (inout JSONScanner, Int) throws -> Void) throws {
    try open("[")
    var first = true
    var index = 0
    while try !closes("]", first: &first) {
      try element(&self, index)
      index += 1
    }
  }

  /// Reads `true` or `false`.
  mutating func readBoolean() throws -> Bool {
    skipSpace()
    if byte == UInt8(ascii: "t") {
      try expect("true")
      return true
    }
    try expect("false")
    return false
  }

  /// Reads `null`.
  mutating func readNull() throws { try expect("null") }

  private var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

  private func unexpected() -> VarlinkError {
    .malformed(position < bytes.count ? "unexpected byte at \(position)" : "unexpected end")
  }

  private mutating func skipSpace() {
    while let byte, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
  }

  private mutating func expect(_ word: StaticString) throws {
    skipSpace()
    for offset in 0..<word.utf8CodeUnitCount {
      guard byte == word.utf8Start[offset] else { throw unexpected() }
      position += 1
    }
  }

  private mutating func open(_ bracket: StaticString) throws {
    try expect(bracket)
    depth += 1
    if depth > Self.maxDepth { throw VarlinkError.malformed("nested deeper than \(Self.maxDepth)") }
  }

  /// True, and behind the bracket, at the end of an object or array; false in front of its next member.
  private mutating func closes(_ bracket: StaticString, first: inout Bool) throws -> Bool {
    skipSpace()
    if byte == bracket.utf8Start.pointee {
      position += 1
      depth -= 1
      return true
    }
    if !first { try expect(",") }
    first = false
    return false
  }
}

extension JSONScanner {
  /// Reads a string.
  mutating func readString() throws -> String {
    let (range, escaped) = try skipString()
    return escaped ? try unescape(range) : String(decoding: bytes[range], as: UTF8.self)
  }

  /// Reads a number: its text, and whether that is an integer's.
  mutating func readNumber() throws -> (text: String, isInteger: Bool) {
    skipSpace()
    let start = position
    var isInteger = true
    if byte == UInt8(ascii: "-") { position += 1 }
    if byte == UInt8(ascii: "0") { position += 1 } else { try skipDigits() }
    if byte == UInt8(ascii: ".") {
      isInteger = false
      position += 1
      try skipDigits()
    }
    if byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") {
      isInteger = false
      position += 1
      if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { position += 1 }
      try skipDigits()
    }
    return (String(decoding: bytes[start..<position], as: UTF8.self), isInteger)
  }

  private mutating func skipDigits() throws {
    let start = position
    while let byte, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
    if position == start { throw unexpected() }
  }

  /// Goes behind a string: where its characters are, and whether there are escapes among them.
  private mutating func skipString() throws -> (range: Range<Int>, escaped: Bool) {
    try expect("\"")
    let start = position
    var escaped = false
    while let byte, byte != UInt8(ascii: "\"") {
      if byte < 0x20 { throw unexpected() }
      if byte == UInt8(ascii: "\\") {
        escaped = true
        position += 1
        try skipEscape()
      } else {
        position += 1
      }
    }
    let range = start..<position
    try expect("\"")
    return (range, escaped)
  }

  private mutating func skipEscape() throws {
    switch byte {
    case UInt8(ascii: "u"):
      position += 1
      let unit = try readHex()
      if (0xDC00...0xDFFF).contains(unit) { throw VarlinkError.malformed("half a surrogate pair") }
      if (0xD800...0xDBFF).contains(unit) {
        guard byte == UInt8(ascii: "\\") else { throw VarlinkError.malformed("half a surrogate pair") }
        position += 1
        guard byte == UInt8(ascii: "u") else { throw VarlinkError.malformed("half a surrogate pair") }
        position += 1
        guard (0xDC00...0xDFFF).contains(try readHex()) else { throw VarlinkError.malformed("half a surrogate pair") }
      }
    case .some(let byte) where "\"\\/bfnrt".utf8.contains(byte): position += 1
    default: throw unexpected()
    }
  }

  private mutating func readHex() throws -> UInt16 {
    var value: UInt16 = 0
    for _ in 0..<4 {
      guard let byte, byte < 0x80, let digit = Character(UnicodeScalar(byte)).hexDigitValue else { throw unexpected() }
      value = value << 4 | UInt16(digit)
      position += 1
    }
    return value
  }

  /// The characters of a string whose escapes were checked.
  private func unescape(_ range: Range<Int>) throws -> String {
    var units: [UInt16] = []
    var result = ""
    var scanner = self
    scanner.position = range.lowerBound
    while scanner.position < range.upperBound {
      let next = bytes[scanner.position]
      if next == UInt8(ascii: "\\") {
        let kind = bytes[scanner.position + 1]
        scanner.position += 2
        switch kind {
        case UInt8(ascii: "u"): units.append(try scanner.readHex())
        case UInt8(ascii: "b"): units.append(0x08)
        case UInt8(ascii: "f"): units.append(0x0C)
        case UInt8(ascii: "n"): units.append(0x0A)
        case UInt8(ascii: "r"): units.append(0x0D)
        case UInt8(ascii: "t"): units.append(0x09)
        default: units.append(UInt16(kind))
        }
        continue
      }
      let start = scanner.position
      while scanner.position < range.upperBound, bytes[scanner.position] != UInt8(ascii: "\\") { scanner.position += 1 }
      result += String(decoding: units, as: UTF16.self)
      units = []
      result += String(decoding: bytes[start..<scanner.position], as: UTF8.self)
    }
    return result + String(decoding: units, as: UTF16.self)
  }
}
