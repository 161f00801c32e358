/// What can be set on a camera.
public enum ListControls: CameraMethod {
  /// The method's name on the wire.
  public static let name = "ListControls"
  /// The camera.
  public typealias Parameters = CameraSelection
  /// The answer.
  public struct Reply: Codable, Sendable {
    /// Every control; none where the camera has none.
    public var controls: [Control]
    /// An answer of these values.
    public init(controls: [Control]) { self.controls = controls }
  }
}

/// Sets controls of a camera, all or none.
public enum SetControls: CameraMethod {
  /// The method's name on the wire.
  public static let name = "SetControls"
  /// What to set; see the interface file.
  public struct Parameters: Codable, Sendable {
    /// The camera; nil for the default one.
    public var camera: String?
    /// The controls with their values.
    public var values: [ControlValue]
    /// Set them again whenever the daemon starts; nil means false.
    public var persist: Bool?
    /// Parameters of these values.
    public init(camera: String? = nil, values: [ControlValue], persist: Bool? = nil) {
      self.camera = camera
      self.values = values
      self.persist = persist
    }
  }
  /// The answer.
  public struct Reply: Codable, Sendable {
    /// The controls that were set, as they are now.
    public var controls: [Control]
    /// An answer of these values.
    public init(controls: [Control]) { self.controls = controls }
  }
}

/// Sets controls of a camera to their defaults.
public enum ResetControls: CameraMethod {
  /// The method's name on the wire.
  public static let name = "ResetControls"
  /// Which controls; see the interface file.
  public struct Parameters: Codable, Sendable {
    /// The camera; nil for the default one.
    public var camera: String?
    /// The controls; nil for all.
    public var names: [String]?
    /// Parameters of these values.
    public init(camera: String? = nil, names: [String]? = nil) {
      self.camera = camera
      self.names = names
    }
  }
  /// The answer.
  public struct Reply: Codable, Sendable {
    /// The controls that were reset, as they are now.
    public var controls: [Control]
    /// An answer of these values.
    public init(controls: [Control]) { self.controls = controls }
  }
}

/// Focuses and measures the light at a point of the picture.
public enum SetPointOfInterest: CameraMethod {
  /// The method's name on the wire.
  public static let name = "SetPointOfInterest"
  /// Which point; see the interface file.
  public struct Parameters: Codable, Sendable {
    /// The camera; nil for the default one.
    public var camera: String?
    /// From the left, 0, to the right, 1.
    public var x: Double
    /// From the top, 0, to the bottom, 1.
    public var y: Double
    /// Focus there; nil means where the camera can.
    public var focus: Bool?
    /// Measure the light there; nil means where the camera can.
    public var exposure: Bool?
    /// Parameters of these values.
    public init(camera: String? = nil, x: Double, y: Double, focus: Bool? = nil, exposure: Bool? = nil) {
      self.camera = camera
      self.x = x
      self.y = y
      self.focus = focus
      self.exposure = exposure
    }
  }
  /// There is nothing to say.
  public typealias Reply = Nothing
}
