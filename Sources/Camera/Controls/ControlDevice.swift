public import CameraProtocol

/// A device whose controls can be seen and set. Every call may block, and opens the device for its own time only.
public protocol ControlDevice: Sendable {
  /// All controls with their values; empty where it has none.
  func controls() throws(CameraError) -> [DeviceControl]

  /// Sets controls together, in that order. The values are within what the controls can be.
  func set(_ changes: [ControlChange]) throws(CameraError)

  /// Focuses or measures the light at a point, or both; from the top left, 0 and 0, to the bottom right, 1 and 1. What
  /// is nil is done where the device can. Throws `notSupported` where it can't do what is wanted, or neither.
  func setPointOfInterest(x: Double, y: Double, focus: Bool?, exposure: Bool?) throws(CameraError)
}

/// A control and the device's value to set it to.
public struct ControlChange: Sendable, Equatable {
  /// The control, with the value that it had before.
  public var control: DeviceControl
  /// The value to set.
  public var value: Int64
}
