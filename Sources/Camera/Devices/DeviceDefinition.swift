public import CameraProtocol
import GStreamer

/// Where the frames or the sound of a device come from.
public struct DeviceSource: Sendable, Equatable {
  /// A launch line that ends in an open source pad.
  public var launch: String
  /// What a choice can be made from; empty where the launch line says it all.
  public var formats: [SourceFormat]
  /// Where the launch line was written, as `file:line`, for the errors it causes.
  public var origin: String?
  /// The V4L2 node that has its controls, where there is one.
  public var node: String?
  /// False where it is a device that is not connected.
  public var isPresent = true

  /// A source of these values.
  public init(launch: String, formats: [SourceFormat] = [], origin: String? = nil, node: String? = nil) {
    self.launch = launch
    self.formats = formats
    self.origin = origin
    self.node = node
  }
}

/// A camera that sessions can be made for.
public struct CameraDefinition: Sendable, Equatable {
  /// Stays the same as long as the device does.
  public var id: String
  /// For people.
  public var name: String
  /// Where it looks, where that is known.
  public var position: Position?
  /// True for the picture that the daemon makes itself.
  public var synthetic: Bool
  /// Where its frames come from.
  public var source: DeviceSource
  /// Its light, where it has one.
  public var flash: FlashDefinition?
  /// Where the hardware is plugged in: the id of a camera without a configuration.
  public var hardware: String?
  /// Who made it, as captures say. Where that isn't known: who made its pictures.
  public var maker: String
  /// Its model, as captures say.
  public var model: String
  /// Degrees clockwise that bring its picture upright: 0, 90, 180 or 270; nil where nothing is configured.
  public var rotation: Int?

  /// A camera of these values. `model`: nil for its name.
  public init(
    id: String, name: String, position: Position?, synthetic: Bool = false, source: DeviceSource,
    flash: FlashDefinition? = nil, hardware: String? = nil, maker: String = "camd", model: String? = nil,
    rotation: Int? = nil
  ) {
    self.hardware = hardware
    self.id = id
    self.name = name
    self.position = position
    self.synthetic = synthetic
    self.source = source
    self.flash = flash
    self.maker = maker
    self.model = model ?? name
    self.rotation = rotation
  }

  /// The camera of a machine that has none: colour bars that move.
  public static let synthetic = CameraDefinition(
    id: "synthetic", name: "Synthetic camera", position: nil, synthetic: true,
    source: DeviceSource(
      launch: "videotestsrc is-live=true pattern=smpte75 horizontal-speed=4",
      formats: [
        SourceFormat(
          width: 1920, height: 1080, frameRate: .init(30), mediaType: "video/x-raw", pixelFormat: "I420")
      ]))
}

/// A microphone that sessions can listen to.
public struct MicrophoneDefinition: Sendable, Equatable {
  /// Stays the same as long as the device does.
  public var id: String
  /// For people.
  public var name: String
  /// True for the tone that the daemon makes itself.
  public var synthetic: Bool
  /// Where its sound comes from.
  public var source: DeviceSource

  /// A microphone of these values.
  public init(id: String, name: String, synthetic: Bool = false, source: DeviceSource) {
    self.id = id
    self.name = name
    self.synthetic = synthetic
    self.source = source
  }

  /// The microphone of a machine that has none: a soft tone of 440 Hz.
  public static let synthetic = MicrophoneDefinition(
    id: "synthetic", name: "Synthetic microphone", synthetic: true,
    source: DeviceSource(launch: "audiotestsrc is-live=true freq=440 volume=0.2 samplesperbuffer=480"))
}
