public import CameraProtocol
import Glibc
public import GStreamer
import Synchronization

/// A camera or microphone from the configuration.
public struct ConfiguredDevice: Sendable, Equatable {
  /// What the user points at.
  public enum Source: Sendable, Equatable {
    /// A device: a path, or the name that the sound system has for it.
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
  /// Where it was written, as `file:line`.
  public var origin: String?

  /// A device of these values.
  public init(
    name: String, source: Source, position: Position? = nil, flash: FlashDefinition? = nil, origin: String? = nil
  ) {
    self.name = name
    self.source = source
    self.position = position
    self.flash = flash
    self.origin = origin
  }
}

/// Which cameras and microphones there are: the configured ones, else those that were found, else the synthetic ones.
public final class DeviceRegistry: Sendable {
  private let cameras: [ConfiguredDevice]
  private let microphones: [ConfiguredDevice]
  private let monitor: DeviceMonitor?

  /// Throws where a configured fragment doesn't parse. `monitor` finds the devices of the machine.
  public init(cameras: [ConfiguredDevice], microphones: [ConfiguredDevice], monitor: DeviceMonitor?)
    throws(CameraError)
  {
    self.cameras = cameras
    self.microphones = microphones
    self.monitor = monitor
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
    let found = monitor?.devices ?? []
    var cameras = self.cameras.map { Self.camera($0, found) }
    var microphones = self.microphones.map(Self.microphone)
    if cameras.isEmpty { cameras = Self.cameras(found) }
    if microphones.isEmpty { microphones = Self.microphones(found) }
    // alone on a machine without devices and without a configuration, so that nobody takes it for a real one
    if cameras.isEmpty, self.microphones.isEmpty {
      cameras = [.synthetic]
      if microphones.isEmpty { microphones = [.synthetic] }
    }
    return (cameras, microphones)
  }

  private static func camera(_ configured: ConfiguredDevice, _ found: [Device]) -> CameraDefinition {
    var source: DeviceSource
    switch configured.source {
    case .fragment(let fragment):
      source = DeviceSource(launch: fragment, origin: configured.origin)
    case .device(let path):
      let node = realPath(path)
      let device = found.first { $0.kind == .camera && $0.properties["device.path"].map(realPath) == node }
      source = DeviceSource(
        launch: "v4l2src device=\(LaunchLine.quote(path))", formats: device?.caps.map(SourceFormat.all) ?? [],
        origin: configured.origin, node: path)
    }
    return CameraDefinition(
      id: configured.name, name: configured.name, position: configured.position, source: source,
      flash: configured.flash)
  }

  private static func microphone(_ configured: ConfiguredDevice) -> MicrophoneDefinition {
    let launch: String
    switch configured.source {
    case .fragment(let fragment):
      launch = fragment
    case .device(let name):
      // ALSA's names have the plugin before a colon; PulseAudio's never do
      let element = name.contains(":") || name == "default" ? "alsasrc" : "pulsesrc"
      launch = "\(element) device=\(LaunchLine.quote(name))"
    }
    return MicrophoneDefinition(
      id: configured.name, name: configured.name,
      source: DeviceSource(launch: launch, origin: configured.origin))
  }

  private static func cameras(_ found: [Device]) -> [CameraDefinition] {
    var ids: Set<String> = []
    return found.filter { $0.kind == .camera }.compactMap { device in
      let formats = device.caps.map(SourceFormat.all) ?? []
      guard !formats.isEmpty else { return nil }
      let id = unique(
        device.properties["v4l2.device.bus_info"] ?? device.properties["device.path"] ?? device.name, &ids)
      return CameraDefinition(
        id: id, name: device.name, position: .external,
        source: DeviceSource(
          launch: device.launch, formats: formats,
          node: device.properties["device.path"] ?? device.properties["api.v4l2.path"]))
    }
  }

  private static func microphones(_ found: [Device]) -> [MicrophoneDefinition] {
    var ids: Set<String> = []
    return found.filter { $0.kind == .microphone && $0.properties["device.class"] != "monitor" }.map { device in
      let id = unique(device.properties["node.name"] ?? device.properties["device.string"] ?? device.name, &ids)
      return MicrophoneDefinition(id: id, name: device.name, source: DeviceSource(launch: device.launch))
    }
  }

  private static func unique(_ id: String, _ taken: inout Set<String>) -> String {
    var candidate = id
    var count = 1
    while !taken.insert(candidate).inserted {
      count += 1
      candidate = "\(id)-\(count)"
    }
    return candidate
  }

  private static func realPath(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
