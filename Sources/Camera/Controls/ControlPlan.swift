import CameraProtocol

/// What setting a camera's controls comes to, decided without the device.
enum ControlPlan {
  /// Which controls another one makes inactive, and at which of its values they are active. A menu's value is that of
  /// V4L2's standard menu.
  private static let masters: [String: (name: String, activeAt: Set<Int64>)] = [
    "exposureTime": ("exposureMode", [1, 2]), "iris": ("exposureMode", [1, 3]), "gain": ("autoGain", [0]),
    "whiteBalanceTemperature": ("autoWhiteBalance", [0]), "redBalance": ("autoWhiteBalance", [0]),
    "blueBalance": ("autoWhiteBalance", [0]), "focus": ("autoFocus", [0]), "hue": ("autoHue", [0]),
    "brightness": ("autoBrightness", [0]), "isoSensitivity": ("isoSensitivityMode", [0]),
  ]

  /// Whether another control can make this one inactive.
  static func isDependent(_ name: String) -> Bool { masters[name] != nil }

  /// The changes that bring the values about, in the order in which the device has to take them: what makes others
  /// active first. Of several values for a control the last one counts. Throws where one of them can't be set.
  static func changes(
    _ values: [ControlValue], _ controls: [DeviceControl], camera: String
  ) throws(CameraError) -> [ControlChange] {
    var changes: [String: ControlChange] = [:]
    var order: [String] = []
    for wanted in values {
      guard let control = controls.first(where: { $0.name == wanted.name }) else {
        throw unknown(wanted.name, controls, camera: camera)
      }
      guard !control.readOnly else {
        throw CameraError(
          .controlReadOnly, "control '\(control.name)' of camera '\(camera)' can't be set", camera: camera)
      }
      let change = ControlChange(control: control, value: try control.value(for: wanted, camera: camera))
      if changes.updateValue(change, forKey: control.name) == nil { order.append(control.name) }
    }
    let sorted = order.filter { !isDependent($0) } + order.filter(isDependent)
    let result = sorted.compactMap { changes[$0] }
    for change in result { try checkActive(change, result, controls, camera: camera) }
    return result
  }

  /// Whether a control has an effect once the changes are made.
  private static func checkActive(
    _ change: ControlChange, _ changes: [ControlChange], _ controls: [DeviceControl], camera: String
  ) throws(CameraError) {
    let name = change.control.name
    let master = masters[name].flatMap { master in controls.first { $0.name == master.name } }
    if let master, let activeAt = masters[name]?.activeAt,
      let other = changes.first(where: { $0.control.name == master.name })
    {
      if activeAt.contains(other.value) { return }
      throw inactive(name, by: master, camera: camera)
    }
    if change.control.inactive { throw inactive(name, by: master, camera: camera) }
  }

  private static func inactive(_ name: String, by master: DeviceControl?, camera: String) -> CameraError {
    let reason = master.map { "'\($0.name)' decides instead; set that too, to another value" } ?? "another one decides"
    return CameraError(
      .controlInactive, "control '\(name)' of camera '\(camera)' has no effect now: \(reason)", camera: camera)
  }

  /// The changes of a reset, in groups to be made one after the other: what others make inactive goes first, as long as
  /// they don't. Those controls, or all where there is no list; what can't be set is left alone.
  static func defaults(
    _ names: [String]?, _ controls: [DeviceControl], camera: String
  ) throws(CameraError) -> [[ControlChange]] {
    for name in names ?? [] where !controls.contains(where: { $0.name == name }) {
      throw unknown(name, controls, camera: camera)
    }
    let changes = controls.filter { control in
      (names?.contains(control.name) ?? true) && !control.readOnly && !control.inactive
        && control.value != control.defaultValue
    }.map { ControlChange(control: $0, value: $0.defaultValue) }
    return [
      changes.filter { isDependent($0.control.name) }, changes.filter { !isDependent($0.control.name) },
    ].filter { !$0.isEmpty }
  }

  private static func unknown(_ name: String, _ controls: [DeviceControl], camera: String) -> CameraError {
    CameraError(
      .noSuchControl,
      "camera '\(camera)' has no control '\(name)'; it has \(controls.map(\.name).joined(separator: ", "))",
      camera: camera)
  }
}
