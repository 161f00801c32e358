public import CameraProtocol
public import GStreamer

/// A format that a device offers, with what it takes to ask for it.
public struct SourceFormat: Sendable, Equatable {
  /// Pixels.
  public var width: Int
  /// Pixels.
  public var height: Int
  /// Frames per second; 0 where it varies or the device doesn't say.
  public var frameRate: Fraction
  /// The media type, such as `video/x-raw`.
  public var mediaType: String
  /// The pixel format of raw pictures, or the order of the colours of a bare sensor's; nil for compressed ones.
  public var pixelFormat: String?

  /// A format of these values.
  public init(width: Int, height: Int, frameRate: Fraction, mediaType: String, pixelFormat: String? = nil) {
    self.width = width
    self.height = height
    self.frameRate = frameRate
    self.mediaType = mediaType
    self.pixelFormat = pixelFormat
  }

  /// What fixed caps say; nil where they lack a size.
  public init?(_ caps: Caps) {
    guard let structure = caps.structures.first, let width = structure.integers("width").first?.upper,
      let height = structure.integers("height").first?.upper
    else { return nil }
    self.init(
      width: width, height: height, frameRate: structure.fractions("framerate").first?.upper ?? Fraction(0),
      mediaType: structure.name, pixelFormat: structure.text("format"))
  }

  /// The caps that ask for it.
  public var caps: String {
    let format = pixelFormat.map { ",format=\($0)" } ?? ""
    // a rate that varies can't be asked for
    let rate = frameRate.numerator > 0 ? ",framerate=\(frameRate)" : ""
    return "\(mediaType)\(format),width=\(width),height=\(height)\(rate)"
  }

  /// As clients see it.
  public var format: Format {
    Format(width: width, height: height, frameRate: frameRate.value, encoding: encoding)
  }

  private var encoding: String {
    switch mediaType {
    case Self.jpeg: "jpeg"
    case Self.h264: "h264"
    case Self.bayer: "bayer"
    default: pixelFormat ?? mediaType
    }
  }
}

extension SourceFormat {
  static let raw = "video/x-raw"
  static let jpeg = "image/jpeg"
  static let h264 = "video/x-h264"
  static let bayer = "video/x-bayer"

  /// Whether a frame can't be decoded without those before it.
  var isInterCoded: Bool { mediaType == Self.h264 }

  /// What viewers of a session get: the format itself, or what it is decoded to where only one decoder can read it.
  var picture: SourceFormat {
    isInterCoded
      ? SourceFormat(width: width, height: height, frameRate: frameRate, mediaType: Self.raw, pixelFormat: "I420")
      : self
  }
}
