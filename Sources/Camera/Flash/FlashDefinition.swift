import Glibc

/// The light of a camera, as it was configured.
public struct FlashDefinition: Sendable, Equatable {
  /// The mean luminance (0 ... 255) below which `auto` lights, where nothing else is said. A picture that an automatic
  /// exposure has brought to rest has about 100; below 50 it has run out of gain.
  public static let defaultThreshold = 50.0

  /// The folder of a LED class device, or below `/dev` a V4L2 node with flash controls.
  public var path: String
  /// The mean luminance, 0 ... 255, below which `auto` lights.
  public var threshold: Double
  /// Where it was written, as `file:line`.
  public var origin: String?

  /// A light of these values.
  public init(path: String, threshold: Double = Self.defaultThreshold, origin: String? = nil) {
    self.path = path
    self.threshold = threshold
    self.origin = origin
  }

  /// Whether it is there now.
  public var isPresent: Bool { access(path, F_OK) == 0 }

  /// The light itself.
  public var light: any Light {
    path.hasPrefix("/dev/") ? V4L2Light { () throws(LightError) in try V4L2FlashNode(path) } : LEDLight(folder: path)
  }
}
