public import CameraProtocol
public import GStreamer

/// A camera or microphone from the configuration.
public struct ConfiguredDevice: Sendable, Equatable {
  /// What the user points at.
  public enum Source: Sendable, Equatable {
    /// A device: a path, the id that it has without a configuration, or the name that the sound system has for it.
    case device(String)
    /// A launch fragment.
    case fragment(String)
  }
  /// The section's name; it is the id.
  public var name: String
  /// What the user points at.
  public var source: Source
  /// Where it looks.
  public var position: Position?
  /// Its light, where it is a camera that has one.
  public var flash: FlashDefinition?
  /// Who made it, and its model; nil for what the device says.
  public var maker: String?, model: String?
  /// Degrees clockwise that bring its picture upright: 0, 90, 180 or 270; nil where nothing is said.
  public var rotation: Int?
  /// Where it was written, as `file:line`.
  public var origin: String?

  /// A device of these values.
  public init(
    name: String, source: Source, position: Position? = nil, flash: FlashDefinition? = nil, maker: String? = nil,
    model: String? = nil, rotation: Int? = nil, origin: String? = nil
  ) {
    self.name = name
    self.source = source
    self.position = position
    self.flash = flash
    self.maker = maker
    self.model = model
    self.rotation = rotation
    self.origin = origin
  }
}

/// Which cameras and microphones there are: the configured ones, those that were found, or else the synthetic ones.
public final class DeviceRegistry: Sendable {
  private let cameras: [ConfiguredDevice]
  private let microphones: [ConfiguredDevice]
  private let monitor: DeviceMonitor?
  private let discovers: Bool

  /// Throws where a configured fragment doesn't parse. `monitor` finds the devices of the machine; with `discovers` false
  /// it serves the configured ones only, and the rest is not offered.
  public init(
    cameras: [ConfiguredDevice], microphones: [ConfiguredDevice], monitor: DeviceMonitor?, discovers: Bool = true
  ) throws(CameraError) {
    self.cameras = cameras
    self.microphones = microphones
    self.monitor = monitor
    self.discovers = discovers
    for device in cameras + microphones {
      guard case .fragment(let fragment) = device.source else { continue }
      do {
        try Pipeline.check(fragment: fragment)
      } catch {
        let place = device.origin.map { "\($0): " } ?? ""
        throw CameraError(
          .cameraFailed, "\(place)Source= of '\(device.name)' is not a GStreamer launch fragment: \(error.message)",
          camera: device.name, cause: error.description)
      }
    }
  }

  /// The devices of now.
  public func definitions() -> (cameras: [CameraDefinition], microphones: [MicrophoneDefinition]) {
    let found = FoundDevices(monitor?.devices ?? [])
    var cameras = self.cameras.map { Self.camera($0, found.cameras) }
    var microphones = self.microphones.map { Self.microphone($0, found.microphones) }
    if discovers {
      let known = Set(cameras.compactMap(\.hardware))
      let names = Set(cameras.map(\.id))
      cameras += found.cameras.filter { !known.contains($0.id) && !names.contains($0.id) }.map { camera in
        CameraDefinition(
          id: camera.id, name: camera.name, position: camera.position, source: camera.source, hardware: camera.id,
          maker: camera.maker ?? "camd")
      }
      let sources = Set(microphones.map(\.source.launch))
      let sounds = Set(microphones.map(\.id))
      microphones += found.microphones.filter { !sources.contains($0.source.launch) && !sounds.contains($0.id) }
    }
    // alone on a machine without devices and without a configuration, so that nobody takes it for a real one
    if cameras.isEmpty, self.microphones.isEmpty {
      cameras = [.synthetic]
      if microphones.isEmpty { microphones = [.synthetic] }
    }
    return (cameras, microphones)
  }

  private static func camera(_ configured: ConfiguredDevice, _ found: [FoundDevices.Camera]) -> CameraDefinition {
    var definition = CameraDefinition(
      id: configured.name, name: configured.name, position: configured.position,
      source: DeviceSource(launch: "", origin: configured.origin), flash: configured.flash,
      rotation: configured.rotation)
    switch configured.source {
    case .fragment(let fragment):
      definition.source.launch = fragment
    case .device(let name):
      let node = SystemFile.realPath(name)
      if let camera = found.first(where: { $0.id == name || $0.source.node.map(SystemFile.realPath) == node }) {
        definition.hardware = camera.id
        definition.source.formats = camera.source.formats
        definition.source.node = camera.source.node
        definition.position = configured.position ?? camera.position
        definition.name = camera.name
        definition.maker = camera.maker ?? definition.maker
        // a path is opened as it was written: a link that stays is better than a number that changes
        definition.source.launch = name.hasPrefix("/") ? "" : camera.source.launch
      } else {
        definition.source.node = name.hasPrefix("/") ? name : nil
        definition.source.isPresent = node.hasPrefix("/") && SystemFile.exists(node)
      }
      if definition.source.launch.isEmpty {
        definition.source.launch = "v4l2src device=\(LaunchLine.quote(name))"
      }
    }
    definition.maker = configured.maker ?? definition.maker
    definition.model = configured.model ?? definition.name
    return definition
  }

  private static func microphone(
    _ configured: ConfiguredDevice, _ found: [MicrophoneDefinition]
  ) -> MicrophoneDefinition {
    let launch: String
    switch configured.source {
    case .fragment(let fragment):
      launch = fragment
    case .device(let name):
      // ALSA's names have the plugin before a colon; PulseAudio's never do
      let element = name.contains(":") || name == "default" ? "alsasrc" : "pulsesrc"
      let given = "\(element) device=\(LaunchLine.quote(name))"
      launch = found.first { $0.id == name }?.source.launch ?? given
    }
    return MicrophoneDefinition(
      id: configured.name, name: configured.name, source: DeviceSource(launch: launch, origin: configured.origin))
  }
}
