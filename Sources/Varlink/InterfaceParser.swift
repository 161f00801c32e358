/// Reads the interface definition language of varlink.org.
struct InterfaceParser {
  typealias ParseError = InterfaceDescription.ParseError
  typealias Field = InterfaceDescription.Field
  typealias FieldType = InterfaceDescription.FieldType

  /// What a file holds.
  struct Result {
    var name = ""
    var documentation = ""
    var types: [InterfaceDescription.NamedType] = []
    var methods: [InterfaceDescription.Method] = []
    var errors: [InterfaceDescription.NamedError] = []
  }

  private let bytes: [UInt8]
  private var position = 0
  private var line = 1
  /// The lines of the comment that ended on the line before.
  private var comment: [String] = []
  private var commentEnd = 0
  /// Named types that are used, with the line of their first use.
  private var used: [(name: String, line: Int)] = []
  private var nesting = 0

  init(_ text: String) {
    bytes = Array(text.utf8)
  }

  mutating func parse() throws(ParseError) -> Result {
    var result = Result()
    skipSpace()
    result.documentation = takeComment()
    guard readWord() == "interface" else { throw failure("expected 'interface'") }
    skipSpace()
    result.name = readWord(extra: ".-")
    guard Self.isInterfaceName(result.name) else { throw failure("'\(result.name)' is no interface name") }
    var names: Set<String> = []
    while true {
      comment = []
      skipSpace()
      if position >= bytes.count { break }
      let documentation = takeComment()
      let keyword = readWord()
      skipSpace()
      let name = readWord()
      guard let first = name.utf8.first, (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first) else {
        throw failure("expected the name of a type, method or error, which begins with a capital letter")
      }
      guard names.insert(name).inserted else { throw failure("'\(name)' is there twice") }
      switch keyword {
      case "type":
        result.types.append(.init(name: name, type: try readBraces(), documentation: documentation))
      case "method":
        let parameters = try readFields()
        skipSpace()
        guard take("-"), take(">") else { throw failure("expected '->'") }
        let reply = try readFields()
        result.methods.append(.init(name: name, parameters: parameters, reply: reply, documentation: documentation))
      case "error":
        result.errors.append(.init(name: name, parameters: try readFields(), documentation: documentation))
      default: throw failure("expected 'type', 'method' or 'error', not '\(keyword)'")
      }
    }
    let types = Set(result.types.map(\.name))
    if let missing = used.first(where: { !types.contains($0.name) }) {
      throw ParseError(line: missing.line, reason: "there is no type '\(missing.name)'")
    }
    return result
  }

  /// Two or more parts of letters, digits and inner hyphens; the first begins with a letter.
  static func isInterfaceName(_ name: String) -> Bool {
    let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count >= 2, let first = name.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
      return false
    }
    return parts.allSatisfy { $0.first.map { $0 != UInt8(ascii: "-") } == true && $0.last != UInt8(ascii: "-") }
  }

  private mutating func readFields() throws(ParseError) -> [Field] {
    guard case .structure(let fields) = try readBraces() else { throw failure("expected fields with types") }
    return fields
  }

  /// A structure or an enumeration, in parentheses.
  private mutating func readBraces() throws(ParseError) -> FieldType {
    skipSpace()
    guard take("(") else { throw failure("expected '('") }
    nesting += 1
    defer { nesting -= 1 }
    guard nesting <= 32 else { throw failure("nested too deep") }
    var fields: [Field] = []
    var cases: [String] = []
    skipSpace()
    if take(")") { return .structure([]) }
    repeat {
      skipSpace()
      let name = readWord()
      guard name.utf8.first.map(Self.isLetter) == true else { throw failure("expected the name of a field") }
      guard !fields.contains(where: { $0.name == name }), !cases.contains(name) else {
        throw failure("'\(name)' is there twice")
      }
      skipSpace()
      if take(":") { fields.append(Field(name: name, type: try readType())) } else { cases.append(name) }
      skipSpace()
    } while take(",")
    guard take(")") else { throw failure("expected ',' or ')'") }
    guard fields.isEmpty || cases.isEmpty else { throw failure("fields with and without a type") }
    return cases.isEmpty ? .structure(fields) : .enumeration(cases)
  }

  private mutating func readType() throws(ParseError) -> FieldType {
    skipSpace()
    nesting += 1
    defer { nesting -= 1 }
    guard nesting <= 32 else { throw failure("nested too deep") }
    if take("?") {
      let type = try readType()
      if case .optional = type { throw failure("'?' twice") }
      return .optional(type)
    }
    if take("[") {
      if take("]") { return .array(try readType()) }
      guard readWord() == "string", take("]") else { throw failure("expected '[]' or '[string]'") }
      return .map(try readType())
    }
    if position < bytes.count, bytes[position] == UInt8(ascii: "(") { return try readBraces() }
    let name = readWord()
    switch name {
    case "bool": return .bool
    case "int": return .int
    case "float": return .float
    case "string": return .string
    case "object": return .object
    case "any": return .any
    case "": throw failure("expected a type")
    default:
      used.append((name, line))
      return .named(name)
    }
  }
}

extension InterfaceParser {
  private func failure(_ reason: String) -> ParseError { ParseError(line: line, reason: reason) }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  /// Letters, digits, underscores and what else is allowed.
  private mutating func readWord(extra: String = "") -> String {
    let start = position
    while position < bytes.count {
      let byte = bytes[position]
      let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      guard Self.isLetter(byte) || isDigit || byte == UInt8(ascii: "_") || extra.utf8.contains(byte) else { break }
      position += 1
    }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  /// White space and comments. A comment is kept until something other than the next line follows.
  private mutating func skipSpace() {
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\n"):
        line += 1
        position += 1
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): position += 1
      case UInt8(ascii: "#"):
        let end = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        if commentEnd != line - 1 { comment = [] }
        let text = bytes[(position + 1)..<end].drop { $0 == UInt8(ascii: " ") }
        comment.append(String(decoding: text, as: UTF8.self))
        commentEnd = line
        position = end
      default: return
      }
    }
  }

  /// The comment directly above the line that is being read.
  private mutating func takeComment() -> String {
    defer { comment = [] }
    return commentEnd == line - 1 ? comment.joined(separator: "\n") : ""
  }
}
