import CameraProtocol

/// The controls of one camera. Its calls to the device run one after the other on an executor of their own, so that a
/// driver that hangs holds up nothing else; each is waited for with a deadline.
actor CameraControls {
  /// The longest wait for a device.
  private static let deadline = Duration.seconds(3)

  nonisolated let executor = QueueExecutor("camd.controls")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let camera: String
  private let store: ControlStore

  init(camera: String, store: ControlStore) {
    self.camera = camera
    self.store = store
  }

  /// All controls.
  nonisolated func list(_ device: (any ControlDevice)?) async throws(CameraError) -> [Control] {
    guard let device else { return [] }
    return try await waited { () throws(CameraError) in
      try await self.run { _ throws(CameraError) in try device.controls().map(\.control) }
    }
  }

  /// The exposure time in seconds, where the camera doesn't choose it. Nil where the device fails, or takes longer than a
  /// photo should wait.
  nonisolated func exposureTime(_ device: any ControlDevice) async -> Double? {
    let late = CameraError(.timedOut, "the controls of camera '\(camera)' did not answer in time", camera: camera)
    do throws(CameraError) {
      return try await withDeadline(.milliseconds(100), timedOut: late) { () throws(CameraError) in
        try await self.run { _ throws(CameraError) in
          let all = try device.controls().map(\.control)
          guard let mode = all.first(where: { $0.name == "exposureMode" }),
            let entry = mode.entries?.first(where: { Double($0.value) == mode.value }),
            ["manual", "shutterPriority"].contains(entry.name)
          else { return nil }
          return all.first { $0.name == "exposureTime" && !$0.inactive }?.value
        }
      }
    } catch {
      // The photo is worth more than this number; commands to the controls tell the same error.
      return nil
    }
  }

  /// Sets controls, all or none. Returns them as they are then.
  nonisolated func set(
    _ values: [ControlValue], persist: Bool, on device: (any ControlDevice)?
  ) async throws(CameraError) -> [Control] {
    let device = try known(device)
    return try await waited { () throws(CameraError) in
      try await self.run { controls throws(CameraError) in
        let changes = try ControlPlan.changes(values, try device.controls(), camera: controls.camera)
        guard !changes.isEmpty else { return [] }
        try device.set(changes)
        var set: [String: Double] = [:]
        for change in changes { set[change.control.name] = change.control.inUnits(change.value) }
        try controls.store.keep(set, camera: controls.camera, persist: persist)
        return try device.controls().filter { set[$0.name] != nil }.map(\.control)
      }
    }
  }

  /// Sets controls to their defaults: all where there is no list. Returns them as they are then.
  nonisolated func reset(
    _ names: [String]?, on device: (any ControlDevice)?
  ) async throws(CameraError) -> [Control] {
    let device = try known(device)
    return try await waited { () throws(CameraError) in
      try await self.run { controls throws(CameraError) in
        // twice: what the first round makes active takes its default in the second
        for _ in 0..<2 {
          for group in try ControlPlan.defaults(names, try device.controls(), camera: controls.camera) {
            try device.set(group)
          }
        }
        let now = try device.controls().filter { names?.contains($0.name) ?? true }
        try controls.store.forget(names ?? Array(controls.store.wanted(controls.camera).keys), camera: controls.camera)
        return now.map(\.control)
      }
    }
  }

  /// Focuses, or measures the light, at a point.
  nonisolated func setPointOfInterest(
    x: Double, y: Double, focus: Bool?, exposure: Bool?, on device: (any ControlDevice)?
  ) async throws(CameraError) {
    let device = try known(device)
    guard (0...1).contains(x), (0...1).contains(y) else {
      throw CameraError(.valueOutOfRange, "a point of the picture has x and y from 0 to 1", camera: camera)
    }
    try await waited { () throws(CameraError) in
      try await self.run { _ throws(CameraError) in
        try device.setPointOfInterest(x: x, y: y, focus: focus, exposure: exposure)
      }
    }
  }

  /// Sets the controls of a camera that is about to be opened to what was wanted of them. Never throws: what can't be
  /// set is told to `warn`.
  nonisolated func restore(_ device: (any ControlDevice)?, warn: @escaping @Sendable (String) -> Void) async {
    let wanted = store.wanted(camera)
    guard let device, !wanted.isEmpty else { return }
    do {
      try await waited { () throws(CameraError) in
        try await self.run { controls throws(CameraError) in try controls.restore(wanted, device, warn) }
      }
    } catch {
      // opening the camera says so itself
      guard error.kind != .cameraDisconnected else { return }
      warn("the controls of camera '\(camera)' are not as they were set: \(error)")
    }
  }

  private func restore(
    _ wanted: [String: Double], _ device: any ControlDevice, _ warn: (String) -> Void
  ) throws(CameraError) {
    let present = try device.controls()
    var values: [ControlValue] = []
    for (name, value) in wanted.sorted(by: { $0.key < $1.key }) {
      guard present.first(where: { $0.name == name })?.control.value != value else { continue }
      values.append(ControlValue(name: name, value: value))
    }
    guard !values.isEmpty else { return }
    do {
      try device.set(try ControlPlan.changes(values, present, camera: camera))
    } catch {
      // one of them doesn't suit any more; the others shall not suffer
      for value in values.sorted(by: { !ControlPlan.isDependent($0.name) && ControlPlan.isDependent($1.name) }) {
        do throws(CameraError) {
          try device.set(try ControlPlan.changes([value], try device.controls(), camera: camera))
        } catch {
          // an inactive one takes effect when another control lets it
          guard error.kind != .controlInactive else { continue }
          warn("control '\(value.name)' of camera '\(camera)' is not as it was set: \(error)")
        }
      }
    }
  }

  /// The device; throws where the camera has none.
  private nonisolated func known(_ device: (any ControlDevice)?) throws(CameraError) -> any ControlDevice {
    guard let device else {
      throw CameraError(
        .notSupported, "camera '\(camera)' has no controls: it is not a V4L2 device", camera: camera)
    }
    return device
  }

  private func run<Value: Sendable>(
    _ body: @Sendable (isolated CameraControls) throws(CameraError) -> Value
  ) throws(CameraError) -> Value {
    try body(self)
  }

  private nonisolated func waited<Value: Sendable>(
    _ operation: @escaping @Sendable () async throws(CameraError) -> Value
  ) async throws(CameraError) -> Value {
    let late = CameraError(
      .timedOut, "the controls of camera '\(camera)' did not answer within 3 seconds; its driver may hang",
      camera: camera)
    return try await withDeadline(Self.deadline, timedOut: late, operation)
  }
}
