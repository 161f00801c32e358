extension InterfaceDescription {
  /// Why parameters don't fit: the path of the one that is unknown, missing, given twice or of the wrong type.
  struct Mismatch: Error {
    var path: String
  }

  /// Holds the parameters of a call against its method.
  ///
  /// - Parameter json: syntactically right JSON, an object.
  /// - Throws: `ServiceError` `InvalidParameter` with the path of the parameter, such as `kinds[2]`.
  public func check(parameters json: [UInt8], of method: Method) throws {
    try check(json, against: method.parameters)
  }

  func check(_ json: [UInt8], against fields: [Field]) throws {
    var scanner = JSONScanner(json)
    do {
      try check(&scanner, fields: fields, path: "")
    } catch let mismatch as Mismatch {
      throw ServiceError.invalidParameter(mismatch.path)
    }
  }

  private func check(_ scanner: inout JSONScanner, fields: [Field], path: String) throws {
    guard try scanner.peek() == .object else { throw Mismatch(path: path) }
    var seen: Set<String> = []
    try scanner.readObject { scanner, name in
      let inner = path.isEmpty ? name : "\(path).\(name)"
      guard let field = fields.first(where: { $0.name == name }), seen.insert(name).inserted else {
        throw Mismatch(path: inner)
      }
      try check(&scanner, type: field.type, path: inner)
    }
    for field in fields where !seen.contains(field.name) {
      if case .optional = field.type { continue }
      throw Mismatch(path: path.isEmpty ? field.name : "\(path).\(field.name)")
    }
  }

  private func check(_ scanner: inout JSONScanner, type: FieldType, path: String) throws {
    let kind = try scanner.peek()
    switch type {
    case .bool where kind == .boolean: _ = try scanner.readBoolean()
    case .string where kind == .string: _ = try scanner.readString()
    case .int where kind == .number:
      let number = try scanner.readNumber()
      guard number.isInteger, Int64(number.text) != nil else { throw Mismatch(path: path) }
    case .float where kind == .number:
      let number = try scanner.readNumber()
      guard number.text.utf8.count < 400, Double(number.text)?.isFinite == true else { throw Mismatch(path: path) }
    case .object where kind == .object: try scanner.skipValue()
    case .any: try scanner.skipValue()
    case .named(let name):
      guard let type = self.type(named: name) else { throw Mismatch(path: path) }
      try check(&scanner, type: type, path: path)
    case .array(let element) where kind == .array:
      try scanner.readArray { try check(&$0, type: element, path: "\(path)[\($1)]") }
    case .map(let value) where kind == .object:
      var seen: Set<String> = []
      try scanner.readObject { scanner, key in
        let inner = "\(path).\(key)"
        guard seen.insert(key).inserted else { throw Mismatch(path: inner) }
        try check(&scanner, type: value, path: inner)
      }
    case .optional(let wrapped):
      if kind == .null { try scanner.readNull() } else { try check(&scanner, type: wrapped, path: path) }
    case .structure(let fields): try check(&scanner, fields: fields, path: path)
    case .enumeration(let cases) where kind == .string:
      guard cases.contains(try scanner.readString()) else { throw Mismatch(path: path) }
    default: throw Mismatch(path: path)
    }
  }
}
