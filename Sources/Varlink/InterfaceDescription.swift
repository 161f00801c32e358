/// A Varlink interface, read from its interface file.
public struct InterfaceDescription: Sendable {
  /// What a field or a named type is.
  public indirect enum FieldType: Sendable, Equatable {
    case bool, int, float, string
    /// Any JSON object.
    case object
    /// Any JSON value.
    case any
    /// A type of this interface.
    case named(String)
    case array(FieldType)
    /// An object that maps strings to values of one type.
    case map(FieldType)
    /// May be null or absent.
    case optional(FieldType)
    case structure([Field])
    case enumeration([String])
  }

  /// A member of a structure.
  public struct Field: Sendable, Equatable {
    /// Its name.
    public let name: String
    /// What it holds.
    public let type: FieldType
  }

  /// A named type.
  public struct NamedType: Sendable, Equatable {
    /// Its name.
    public let name: String
    /// What it is.
    public let type: FieldType
    /// The comment in front of it.
    public let documentation: String
  }

  /// A method.
  public struct Method: Sendable, Equatable {
    /// Its name, without the interface's.
    public let name: String
    /// What a call carries.
    public let parameters: [Field]
    /// What a reply carries.
    public let reply: [Field]
    /// The comment in front of it.
    public let documentation: String
  }

  /// An error.
  public struct NamedError: Sendable, Equatable {
    /// Its name, without the interface's.
    public let name: String
    /// What travels with it.
    public let parameters: [Field]
    /// The comment in front of it.
    public let documentation: String
  }

  /// Why a text isn't an interface file.
  public struct ParseError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The line, counted from 1.
    public let line: Int
    /// What is wrong there.
    public let reason: String
    /// The line and the reason.
    public var description: String { "line \(line): \(reason)" }
  }

  /// The interface's name, such as `org.varlink.service`.
  public let name: String
  /// The comment in front of it.
  public let documentation: String
  /// The interface file as it was given.
  public let text: String
  /// The named types, in the order of the file.
  public let types: [NamedType]
  /// The methods, in the order of the file.
  public let methods: [Method]
  /// The errors, in the order of the file.
  public let errors: [NamedError]

  private let typesByName: [String: FieldType]
  private let methodsByName: [String: Method]

  /// Reads an interface file.
  public init(_ text: String) throws(ParseError) {
    var parser = InterfaceParser(text)
    let parsed = try parser.parse()
    self.text = text
    name = parsed.name
    documentation = parsed.documentation
    types = parsed.types
    methods = parsed.methods
    errors = parsed.errors
    typesByName = Dictionary(parsed.types.map { ($0.name, $0.type) }) { first, _ in first }
    methodsByName = Dictionary(parsed.methods.map { ($0.name, $0) }) { first, _ in first }
  }

  /// The method of that name, without the interface's.
  public func method(named name: String) -> Method? { methodsByName[name] }

  /// The type of that name.
  public func type(named name: String) -> FieldType? { typesByName[name] }
}
