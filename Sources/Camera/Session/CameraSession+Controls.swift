public import CameraProtocol

/// What can be set on the camera. Nothing here opens it, or waits for what the session does.
extension CameraSession {
  /// All controls; none where the camera is not a V4L2 device.
  public func listControls() async throws(CameraError) -> [Control] {
    try await controls.list(deviceOfControls)
  }

  /// Sets controls, all or none; they are set again whenever the camera is opened, and with `persist` also by the next
  /// daemon. Returns them as they are then.
  public func setControls(_ values: [ControlValue], persist: Bool) async throws(CameraError) -> [Control] {
    try await controls.set(values, persist: persist, on: deviceOfControls)
  }

  /// Sets the controls of those names, or all, to their defaults, and keeps no value for them any more. Returns them as
  /// they are then.
  public func resetControls(_ names: [String]?) async throws(CameraError) -> [Control] {
    try await controls.reset(names, on: deviceOfControls)
  }

  /// Focuses, or measures the light, at a point: from the top left, 0 and 0, to the bottom right, 1 and 1. What is nil
  /// is done where the camera can.
  public func setPointOfInterest(x: Double, y: Double, focus: Bool?, exposure: Bool?) async throws(CameraError) {
    try await controls.setPointOfInterest(x: x, y: y, focus: focus, exposure: exposure, on: deviceOfControls)
  }

  /// Before the camera is opened: a driver may have lost what was set, and a new daemon finds what was kept.
  func restoreControls() async {
    await controls.restore(deviceOfControls) { self.warn($0) }
  }

  /// Seconds, where somebody has set how long the camera exposes: of the time that it chooses itself a driver need not
  /// know. Nil as well where the driver doesn't answer at once.
  func exposureTime() async -> Double? {
    guard let device = deviceOfControls else { return nil }
    return await controls.exposureTime(device)
  }

  private var deviceOfControls: (any ControlDevice)? {
    controlDevice ?? deviceSource.node.map { V4L2ControlDevice(node: $0, camera: id) }
  }
}
