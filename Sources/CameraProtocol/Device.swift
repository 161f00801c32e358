/// What a session is set up for.
public enum CaptureMode: String, Codable, Sendable, CaseIterable {
  /// Full still resolution; the microphone is closed.
  case photo
  /// Movie format; the microphone is open.
  case video
}

/// Where a camera looks, seen from the user of the machine.
public enum Position: String, Codable, Sendable, CaseIterable {
  case front, rear, external
}

/// What a camera can take.
public enum MediaType: String, Codable, Sendable, CaseIterable {
  case image, movie
}

/// Who has a device open.
public enum DeviceState: String, Codable, Sendable, CaseIterable {
  /// Nobody.
  case free
  /// This daemon.
  case inUse
  /// Another process.
  case busy
  /// Nobody: it is configured, and not connected.
  case absent
  /// The daemon's user may not open it.
  case noPermission
}

/// One picture format that a source delivers.
public struct Format: Codable, Sendable, Hashable {
  /// Pixels.
  public var width: Int
  /// Pixels.
  public var height: Int
  /// Frames per second.
  public var frameRate: Double
  /// A GStreamer pixel format name (`I420`) or the codec of compressed pictures (`jpeg`, `h264`).
  public var encoding: String

  /// A format of these values.
  public init(width: Int, height: Int, frameRate: Double, encoding: String) {
    self.width = width
    self.height = height
    self.frameRate = frameRate
    self.encoding = encoding
  }
}

/// A camera of this machine.
public struct Camera: Codable, Sendable, Equatable {
  /// Stays the same as long as the device does.
  public var id: String
  /// For people.
  public var name: String
  /// Where it looks, where that is known.
  public var position: Position?
  /// True for the picture that the daemon makes itself.
  public var synthetic: Bool
  /// Who has it open.
  public var state: DeviceState
  /// What it delivers.
  public var formats: [Format]
  /// The modes it can be used in.
  public var modes: [CaptureMode]
  /// What it can take.
  public var mediaTypes: [MediaType]
  /// Whether it has a light.
  public var flash: Bool
  /// Where the hardware is plugged in, or its serial number: the id that it has without a configuration; nil for what
  /// is no device.
  public var device: String?
  /// Whether requests that name no camera mean it.
  public var selected: Bool
  /// The program that has it open, where that is another one and can be seen.
  public var holder: String?

  /// A camera of these values.
  public init(
    id: String, name: String, position: Position?, synthetic: Bool, state: DeviceState, formats: [Format],
    modes: [CaptureMode] = CaptureMode.allCases, mediaTypes: [MediaType] = MediaType.allCases,
    flash: Bool = false, device: String? = nil, selected: Bool = false, holder: String? = nil
  ) {
    self.device = device
    self.selected = selected
    self.holder = holder
    self.id = id
    self.name = name
    self.position = position
    self.synthetic = synthetic
    self.state = state
    self.formats = formats
    self.modes = modes
    self.mediaTypes = mediaTypes
    self.flash = flash
  }
}

/// A microphone of this machine.
public struct Microphone: Codable, Sendable, Equatable {
  /// Stays the same as long as the device does.
  public var id: String
  /// For people.
  public var name: String
  /// True for the tone that the daemon makes itself.
  public var synthetic: Bool
  /// Who has it open.
  public var state: DeviceState
  /// Whether movies get its sound.
  public var selected: Bool
  /// The cameras whose sessions have it open.
  public var cameras: [String]

  /// A microphone of these values.
  public init(
    id: String, name: String, synthetic: Bool, state: DeviceState, selected: Bool = false, cameras: [String] = []
  ) {
    self.selected = selected
    self.cameras = cameras
    self.id = id
    self.name = name
    self.synthetic = synthetic
    self.state = state
  }
}
