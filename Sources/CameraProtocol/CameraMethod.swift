/// A method of the interface `org.camd.Camera`: its name, what it takes, what it answers.
public protocol CameraMethod: Sendable {
  /// What the call carries.
  associatedtype Parameters: Codable & Sendable
  /// What each answer carries.
  associatedtype Reply: Codable & Sendable
  /// The name within the interface, such as `TakePhoto`.
  static var name: String { get }
}

extension CameraMethod {
  /// The name as it stands in a message: interface, point, method.
  public static var qualifiedName: String { "\(CameraInterface.name).\(name)" }
}

/// The interface as other programs see it.
public enum CameraInterface {
  /// The interface's name.
  public static let name = "org.camd.Camera"
  /// The version of the daemon and its client.
  public static let version = "0.1.0"
  /// The interface file: every method, type and error with its meaning.
  public static var description: String {
    String(decoding: PackageResources.org_camd_Camera_varlink, as: UTF8.self)
  }
}

/// A structure without fields, for methods that take or answer nothing.
public struct Nothing: Codable, Sendable, Equatable {
  /// The one value there is.
  public init() {}
}
