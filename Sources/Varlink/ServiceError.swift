/// An error reply: its qualified name and what travels with it.
public struct ServiceError: Error, Sendable {
  /// The qualified name, such as `org.varlink.service.MethodNotFound`.
  public var name: String
  /// What travels with it; nil for none.
  public var parameters: (any Encodable & Sendable)?

  /// An error without parameters.
  public init(_ name: String) {
    self.name = name
  }

  /// An error with parameters, which must encode as an object.
  public init(_ name: String, _ parameters: some Encodable & Sendable) {
    self.name = name
    self.parameters = parameters
  }

  /// `org.varlink.service.InterfaceNotFound`: there is no such interface here.
  public static func interfaceNotFound(_ interface: String) -> ServiceError {
    ServiceError("org.varlink.service.InterfaceNotFound", ["interface": interface])
  }

  /// `org.varlink.service.MethodNotFound`: the interface has no such method.
  public static func methodNotFound(_ method: String) -> ServiceError {
    ServiceError("org.varlink.service.MethodNotFound", ["method": method])
  }

  /// `org.varlink.service.MethodNotImplemented`: the interface has the method, this service hasn't.
  public static func methodNotImplemented(_ method: String) -> ServiceError {
    ServiceError("org.varlink.service.MethodNotImplemented", ["method": method])
  }

  /// `org.varlink.service.InvalidParameter`: that parameter is missing, unknown, or of the wrong type or value.
  public static func invalidParameter(_ parameter: String) -> ServiceError {
    ServiceError("org.varlink.service.InvalidParameter", ["parameter": parameter])
  }

  /// `org.varlink.service.PermissionDenied`: the caller may not do that.
  public static var permissionDenied: ServiceError { ServiceError("org.varlink.service.PermissionDenied") }

  /// `org.varlink.service.ExpectedMore`: the method only streams, the call must have `more`.
  public static var expectedMore: ServiceError { ServiceError("org.varlink.service.ExpectedMore") }
}
