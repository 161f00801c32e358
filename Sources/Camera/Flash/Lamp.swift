public import CameraProtocol
import GStreamer
import Synchronization

/// A light and those who want it on: a photo, the torch. Serves them one after the other on an executor of its own,
/// since a driver may block.
actor Lamp {
  /// What the light is wanted for.
  enum Use: Sendable { case photo, torch }

  private struct Standing {
    var isOn = false
    var darkSince: UInt64 = 0
  }

  /// The longest wait for the driver.
  static let deadline = Duration.seconds(2)

  nonisolated let executor = QueueExecutor("camd.light")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  nonisolated let definition: FlashDefinition
  private let light: any Light
  private let camera: String
  private let clock: SystemClock
  private var uses: Set<Use> = []
  /// How it shines; nil where an order failed and that is unknown.
  private var lighting: Lighting? = .off
  private var isRetired = false
  private nonisolated let standing = Mutex(Standing())

  /// A light that is off.
  init(_ definition: FlashDefinition, light: any Light, camera: String, clock: SystemClock) {
    self.definition = definition
    self.light = light
    self.camera = camera
    self.clock = clock
  }

  /// Whether it is on now.
  nonisolated var isOn: Bool { standing.withLock { $0.isOn } }

  /// Running time since which it is off; frames from before may be lit.
  nonisolated var darkSince: UInt64 { standing.withLock { $0.darkSince } }

  /// Turns it on for a use, and calls `then` as soon as it is on.
  nonisolated func turnOn(for use: Use, then: @escaping @Sendable () -> Void = {}) async throws(CameraError) {
    try await withDeadline(Self.deadline, timedOut: late) { () throws(CameraError) in try await self.add(use, then) }
  }

  /// Ends a use; the light is off after the last one.
  nonisolated func turnOff(for use: Use) async throws(CameraError) {
    try await withDeadline(Self.deadline, timedOut: late) { () throws(CameraError) in try await self.remove(use) }
  }

  /// Puts it out, whoever wanted it on, and lets nobody turn it on again.
  nonisolated func retire() async throws(CameraError) {
    try await withDeadline(Self.deadline, timedOut: late) { () throws(CameraError) in try await self.end() }
  }

  /// Puts it out, though it wasn't this lamp that turned it on.
  nonisolated func reset() async throws(CameraError) {
    try await withDeadline(Self.deadline, timedOut: late) { () throws(CameraError) in try await self.putOut() }
  }

  private func add(_ use: Use, _ then: @Sendable () -> Void) throws(CameraError) {
    guard !isRetired else { throw CameraError(.shuttingDown, "the daemon is about to exit", camera: camera) }
    uses.insert(use)
    try apply()
    then()
  }

  private func remove(_ use: Use) throws(CameraError) {
    uses.remove(use)
    try apply()
  }

  private func end() throws(CameraError) {
    isRetired = true
    uses = []
    try apply()
  }

  private func putOut() throws(CameraError) {
    lighting = nil
    try apply()
  }

  private func apply() throws(CameraError) {
    let wanted: Lighting = uses.contains(.photo) ? .flash : uses.contains(.torch) ? .torch : .off
    guard wanted != lighting else { return }
    do {
      try light.set(wanted)
    } catch {
      lighting = nil
      throw CameraError(
        .cameraFailed, "the light of camera '\(camera)' can't be turned \(wanted == .off ? "off" : "on"): \(error)",
        camera: camera, path: definition.path)
    }
    lighting = wanted
    let now = clock.runningTime
    standing.withLock { standing in
      if standing.isOn, wanted == .off { standing.darkSince = now }
      standing.isOn = wanted != .off
    }
  }

  private nonisolated var late: CameraError {
    CameraError(
      .timedOut, "the light of camera '\(camera)' did not obey within \(Self.deadline.components.seconds) seconds",
      camera: camera, path: definition.path)
  }
}

extension FlashDefinition {
  /// Puts the light out, whoever left it on: a daemon that was killed could not.
  public func putOut(camera: String, settings: SessionSettings) async throws(CameraError) {
    try await Lamp(self, light: settings.light(self), camera: camera, clock: settings.clock).reset()
  }
}
