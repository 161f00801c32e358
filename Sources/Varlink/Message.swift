internal import FoundationEssentials

/// A call as it travels.
struct CallMessage {
  var method = ""
  /// A JSON object.
  var parameters: [UInt8] = Array("{}".utf8)
  var more = false
  var oneway = false
  var upgrade = false

  init(method: String, parameters: [UInt8], more: Bool, oneway: Bool) {
    self.method = method
    self.parameters = parameters
    self.more = more
    self.oneway = oneway
  }

  /// Reads a message; the parameters' syntax is checked, their fields are not.
  init(_ bytes: [UInt8]) throws {
    let members = try EnvelopeMembers(bytes)
    for (name, member) in members.values {
      switch name {
      case "method": method = try member.string()
      case "parameters": if let object = try member.object() { parameters = object }
      case "more": more = try member.flag()
      case "oneway": oneway = try member.flag()
      case "upgrade": upgrade = try member.flag()
      default: break
      }
    }
    if method.isEmpty { throw VarlinkError.malformed("no 'method'") }
  }

  /// The bytes with the terminating NUL.
  func encoded() throws -> [UInt8] {
    var bytes = Array("{\"method\":".utf8)
    bytes += try encodeJSON(method)
    bytes += Array(",\"parameters\":".utf8) + parameters
    if more { bytes += Array(",\"more\":true".utf8) }
    if oneway { bytes += Array(",\"oneway\":true".utf8) }
    bytes += Array("}\0".utf8)
    return bytes
  }
}

/// A reply as it travels.
struct ReplyMessage {
  /// A JSON object.
  var parameters: [UInt8] = Array("{}".utf8)
  var continues = false
  var error: String?

  init(parameters: [UInt8], continues: Bool = false, error: String? = nil) {
    self.parameters = parameters
    self.continues = continues
    self.error = error
  }

  init(_ bytes: [UInt8]) throws {
    let members = try EnvelopeMembers(bytes)
    for (name, member) in members.values {
      switch name {
      case "parameters": if let object = try member.object() { parameters = object }
      case "continues": continues = try member.flag()
      case "error": if !member.isNull { error = try member.string() }
      default: break
      }
    }
  }

  /// The bytes with the terminating NUL.
  func encoded() throws -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(parameters.count + 64)
    bytes += "{".utf8
    if let error {
      bytes += "\"error\":".utf8
      bytes += try encodeJSON(error)
      bytes += ",".utf8
    }
    bytes += "\"parameters\":".utf8
    bytes += parameters
    if continues { bytes += ",\"continues\":true".utf8 }
    bytes += "}\0".utf8
    return bytes
  }
}

/// The members of a message's outer object.
private struct EnvelopeMembers {
  struct Member {
    var bytes: [UInt8]
    var kind: JSONScanner.Kind
    var isNull: Bool { kind == .null }

    func string() throws -> String {
      guard kind == .string else { throw VarlinkError.malformed("a member of the wrong type") }
      var scanner = JSONScanner(bytes)
      return try scanner.readString()
    }

    func flag() throws -> Bool {
      if isNull { return false }
      guard kind == .boolean else { throw VarlinkError.malformed("a member of the wrong type") }
      var scanner = JSONScanner(bytes)
      return try scanner.readBoolean()
    }

    func object() throws -> [UInt8]? {
      if isNull { return nil }
      guard kind == .object else { throw VarlinkError.malformed("'parameters' is not an object") }
      return bytes
    }
  }

  var values: [String: Member] = [:]

  init(_ bytes: [UInt8]) throws {
    guard String(validating: bytes, as: UTF8.self) != nil else { throw VarlinkError.malformed("not UTF-8") }
    var scanner = JSONScanner(bytes)
    guard try scanner.peek() == .object else { throw VarlinkError.malformed("not an object") }
    try scanner.readObject { scanner, name in
      let kind = try scanner.peek()
      let start = scanner.position
      try scanner.skipValue()
      let member = Member(bytes: Array(bytes[start..<scanner.position]), kind: kind)
      guard values.updateValue(member, forKey: name) == nil else {
        throw VarlinkError.malformed("'\(name)' is there twice")
      }
    }
    try scanner.finish()
  }
}

/// A value as JSON text.
func encodeJSON(_ value: some Encodable) throws -> [UInt8] {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
  return Array(try encoder.encode(value))
}

/// A value from JSON text.
func decodeJSON<T: Decodable>(_ type: T.Type, _ bytes: [UInt8]) throws -> T {
  try JSONDecoder().decode(type, from: Data(bytes))
}
