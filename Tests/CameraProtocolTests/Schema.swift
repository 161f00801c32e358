import CameraProtocol
import Varlink

/// What a Swift type reads from a message, found out by letting it read.
indirect enum Schema {
  case bool, int, float, string
  case enumeration(name: String, cases: [String])
  case array(Schema)
  case optional(Schema)
  case structure(name: String, fields: [String: Schema])

  struct Unsupported: Error { var what: String }

  init<T: Decodable>(of type: T.Type) throws {
    self = try SchemaDecoder.read(type).schema
  }

  /// What differs from a type of the interface; empty for nothing.
  func differences(
    from type: InterfaceDescription.FieldType, in interface: InterfaceDescription, at path: String
  ) -> [String] {
    switch (self, type) {
    case (.bool, .bool), (.int, .int), (.float, .float), (.string, .string): return []
    case (.optional(let own), .optional(let other)), (.array(let own), .array(let other)):
      return own.differences(from: other, in: interface, at: path)
    case (.structure(let name, _), .named(let other)), (.enumeration(let name, _), .named(let other)):
      guard name == other, let named = interface.type(named: other) else { return ["\(path): \(name) is not \(other)"] }
      return differences(from: named, in: interface, at: path)
    // The names of qualities aren't all identifiers; the comment lists them.
    case (.enumeration("Quality", _), .string): return []
    case (.enumeration(_, let cases), .enumeration(let others)):
      return cases == others ? [] : ["\(path): \(cases) are not \(others)"]
    case (.structure(_, let fields), .structure(let others)):
      var result: [String] = []
      for name in Set(fields.keys).symmetricDifference(others.map(\.name)).sorted() {
        result.append("\(path).\(name) is on one side only")
      }
      for other in others {
        if let own = fields[other.name] {
          result += own.differences(from: other.type, in: interface, at: "\(path).\(other.name)")
        }
      }
      return result
    default: return ["\(path): \(self) is not \(type)"]
    }
  }

  /// The names of the structures and enumerations that occur in it.
  var names: Set<String> {
    switch self {
    case .bool, .int, .float, .string: []
    case .enumeration(let name, _): [name]
    case .array(let inner), .optional(let inner): inner.names
    case .structure(let name, let fields): fields.values.reduce(into: [name]) { $0.formUnion($1.names) }
    }
  }
}

/// An enumeration; one that isn't listed here is refused.
private protocol NamedCases: CaseIterable, RawRepresentable where RawValue == String {}

extension AssetKind: NamedCases {}
extension AssetOrigin: NamedCases {}
extension AssetState: NamedCases {}
extension AudioCodec: NamedCases {}
extension CaptureMode: NamedCases {}
extension Container: NamedCases {}
extension ControlType: NamedCases {}
extension DeviceState: NamedCases {}
extension EditKind: NamedCases {}
extension EditState: NamedCases {}
extension EventKind: NamedCases {}
extension CameraUse: NamedCases {}
extension FlashMode: NamedCases {}
extension LocationSource: NamedCases {}
extension MediaType: NamedCases {}
extension PhotoFormat: NamedCases {}
extension Position: NamedCases {}
extension PreviewFormat: NamedCases {}
extension Quality: NamedCases {}
extension RecordingState: NamedCases {}
extension RetentionReason: NamedCases {}
extension SessionState: NamedCases {}
extension ShutterAction: NamedCases {}
extension StopReason: NamedCases {}
extension TimelapseReason: NamedCases {}
extension UnavailableReason: NamedCases {}
extension VideoCodec: NamedCases {}

/// Answers whatever a type asks for, and notes what that was.
private final class SchemaDecoder: Decoder {
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]
  private var fields: [String: Schema] = [:]
  private var element: Schema?

  static func read<T: Decodable>(_ type: T.Type) throws -> (schema: Schema, value: T) {
    func answer<U>(_ schema: Schema, _ value: U) throws -> (schema: Schema, value: T) {
      guard let value = value as? T else { throw Schema.Unsupported(what: "\(type)") }
      return (schema, value)
    }
    if type == Bool.self { return try answer(.bool, false) }
    if type == Int.self { return try answer(.int, 0) }
    if type == Double.self { return try answer(.float, 0.0) }
    if type == String.self { return try answer(.string, "") }
    if type == Timestamp.self { return try answer(.string, Timestamp(seconds: 0)) }
    if let enumeration = type as? any NamedCases.Type {
      let (cases, first) = Self.cases(enumeration)
      return try answer(.enumeration(name: "\(type)", cases: cases), first)
    }
    let decoder = SchemaDecoder()
    let value = try T(from: decoder)
    if let element = decoder.element { return (.array(element), value) }
    return (.structure(name: "\(type)", fields: decoder.fields), value)
  }

  private static func cases<E: NamedCases>(_ type: E.Type) -> ([String], Any?) {
    (type.allCases.map(\.rawValue), type.allCases.first)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Fields<Key>(decoder: self))
  }

  func unkeyedContainer() -> any UnkeyedDecodingContainer { Elements(decoder: self) }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    throw Schema.Unsupported(what: "a value that reads itself")
  }

  private struct Fields<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: SchemaDecoder
    let codingPath: [any CodingKey] = []
    let allKeys: [Key] = []

    func contains(_ key: Key) -> Bool { true }
    func decodeNil(forKey key: Key) -> Bool { false }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
      let (schema, value) = try SchemaDecoder.read(type)
      decoder.fields[key.stringValue] = schema
      return value
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
      let (schema, value) = try SchemaDecoder.read(type)
      decoder.fields[key.stringValue] = .optional(schema)
      return value
    }

    // The types that have methods of their own.
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) -> Bool? { note(.bool, key, false) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) -> Int? { note(.int, key, 0) }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) -> Double? { note(.float, key, 0) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) -> String? { note(.string, key, "") }

    private func note<T>(_ schema: Schema, _ key: Key, _ value: T) -> T? {
      decoder.fields[key.stringValue] = .optional(schema)
      return value
    }

    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { throw Schema.Unsupported(what: "a nested container") }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      throw Schema.Unsupported(what: "a nested container")
    }
    func superDecoder() throws -> any Decoder { throw Schema.Unsupported(what: "a class") }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw Schema.Unsupported(what: "a class") }
  }

  /// An array of one.
  private struct Elements: UnkeyedDecodingContainer {
    let decoder: SchemaDecoder
    let codingPath: [any CodingKey] = []
    let count: Int? = 1
    var currentIndex = 0
    var isAtEnd: Bool { currentIndex == 1 }

    mutating func decodeNil() -> Bool { false }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
      let (schema, value) = try SchemaDecoder.read(type)
      decoder.element = schema
      currentIndex = 1
      return value
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
      throw Schema.Unsupported(what: "a nested container")
    }
    func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
      throw Schema.Unsupported(what: "a nested container")
    }
    func superDecoder() throws -> any Decoder { throw Schema.Unsupported(what: "a class") }
  }
}
