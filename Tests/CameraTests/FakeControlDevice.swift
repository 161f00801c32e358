import CameraProtocol
import Synchronization

@testable import Camera

/// A camera with what the kernel's test camera lacks: exposure, focus, a point of interest. It behaves as V4L2 does: a
/// manual value is inactive while its automatic is on.
final class FakeControlDevice: ControlDevice {
  struct State {
    var controls: [DeviceControl]
    /// Names with values, a list for each call of `set`.
    var calls: [[String: Int64]] = []
    var points: [[Double]] = []
    var failure: CameraError?
    /// The name of a control that the device refuses to set.
    var stubborn: String?
  }

  let state: Mutex<State>
  let hasPoint: Bool

  init(hasPoint: Bool = true) {
    self.hasPoint = hasPoint
    let modes = ["auto", "manual", "shutterPriority", "aperturePriority"]
    state = Mutex(
      State(controls: [
        DeviceControl(key: 1, name: "brightness", type: .integer, value: 10, defaultValue: 0, range: -64...64, step: 2),
        DeviceControl(
          key: 2, name: "exposureTime", type: .number, value: 156, defaultValue: 156, range: 1...10_000,
          inactive: true, unitsPerOne: 10_000),
        DeviceControl(
          key: 3, name: "exposureMode", type: .menu, value: 3, defaultValue: 3, range: 0...3,
          entries: [1, 3].map { ControlEntry(value: $0, name: modes[$0]) }),
        DeviceControl(
          key: 4, name: "focus", type: .integer, value: 0, defaultValue: 0, range: 0...250, step: 5, inactive: true),
        DeviceControl(key: 5, name: "autoFocus", type: .boolean, value: 1, defaultValue: 1, range: 0...1),
        DeviceControl(key: 6, name: "privacy", type: .boolean, value: 0, defaultValue: 0, range: 0...1, readOnly: true),
        DeviceControl(
          key: 7, name: "wide", type: .integer, value: 0, defaultValue: 0, range: Int64.min...Int64.max, isWide: true),
        DeviceControl(
          key: 8, name: "lockedByWhatever", type: .integer, value: 0, defaultValue: 1, range: 0...9, inactive: true),
      ]))
  }

  func controls() throws(CameraError) -> [DeviceControl] {
    if let failure = state.withLock({ $0.failure }) { throw failure }
    return state.withLock { $0.controls }
  }

  func set(_ changes: [ControlChange]) throws(CameraError) {
    let refused = state.withLock { state -> String? in
      if let stubborn = state.stubborn, changes.contains(where: { $0.control.name == stubborn }) { return stubborn }
      state.calls.append(Dictionary(uniqueKeysWithValues: changes.map { ($0.control.name, $0.value) }))
      for change in changes {
        guard let index = state.controls.firstIndex(where: { $0.key == change.control.key }) else { continue }
        if state.controls[index].inactive { return change.control.name }
        state.controls[index].value = change.value
        for other in state.controls.indices {
          switch (change.control.name, state.controls[other].name) {
          case ("exposureMode", "exposureTime"): state.controls[other].inactive = change.value != 1
          case ("autoFocus", "focus"): state.controls[other].inactive = change.value != 0
          default: break
          }
        }
      }
      return nil
    }
    if let refused { throw CameraError(.cameraFailed, "the device refuses '\(refused)'") }
  }

  func setPointOfInterest(x: Double, y: Double, focus: Bool?, exposure: Bool?) throws(CameraError) {
    guard hasPoint else { throw CameraError(.notSupported, "no point") }
    state.withLock { $0.points.append([x, y, focus == true ? 1 : 0, exposure == true ? 1 : 0]) }
  }

  /// The values by name.
  var values: [String: Int64] {
    state.withLock { Dictionary(uniqueKeysWithValues: $0.controls.map { ($0.name, $0.value) }) }
  }
}
