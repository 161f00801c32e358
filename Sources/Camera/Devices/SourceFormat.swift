public import CameraProtocol
public import GStreamer

/// A format that a device offers, with what it takes to ask for it.
public struct SourceFormat: Sendable, Equatable {
  /// Pixels.
  public var width: Int
  /// Pixels.
  public var height: Int
  /// Frames per second.
  public var frameRate: Fraction
  /// The media type, such as `video/x-raw`.
  public var mediaType: String
  /// The pixel format of raw pictures; nil for compressed ones.
  public var pixelFormat: String?

  /// A format of these values.
  public init(width: Int, height: Int, frameRate: Fraction, mediaType: String, pixelFormat: String? = nil) {
    self.width = width
    self.height = height
    self.frameRate = frameRate
    self.mediaType = mediaType
    self.pixelFormat = pixelFormat
  }

  /// The caps that ask for it.
  public var caps: String {
    let format = pixelFormat.map { ",format=\($0)" } ?? ""
    return "\(mediaType)\(format),width=\(width),height=\(height),framerate=\(frameRate)"
  }

  /// As clients see it.
  public var format: Format {
    Format(width: width, height: height, frameRate: frameRate.value, encoding: encoding)
  }

  private var encoding: String {
    pixelFormat ?? (mediaType == "image/jpeg" ? "jpeg" : mediaType == "video/x-h264" ? "h264" : mediaType)
  }
}

extension SourceFormat {
  /// What fixed caps say; nil where they lack a size.
  public init?(_ caps: Caps) {
    guard let structure = caps.structures.first, let width = structure.integers("width").first,
      let height = structure.integers("height").first
    else { return nil }
    self.init(
      width: width, height: height, frameRate: structure.fractions("framerate").first ?? Fraction(0),
      mediaType: structure.name, pixelFormat: structure.text("format"))
  }

  /// Everything that a device's caps offer and that camd can take, each size and pixel format at its rates.
  public static func all(in caps: Caps) -> [SourceFormat] {
    var formats: [SourceFormat] = []
    for structure in caps.structures where ["video/x-raw", "image/jpeg"].contains(structure.name) {
      let pixelFormats: [String?] = structure.name == "video/x-raw" ? structure.texts("format") : [nil]
      for pixelFormat in pixelFormats {
        for width in Set(structure.integers("width")) {
          for height in Set(structure.integers("height")) {
            for rate in Set(structure.fractions("framerate")) where rate.numerator > 0 {
              formats.append(
                SourceFormat(
                  width: width, height: height, frameRate: rate, mediaType: structure.name, pixelFormat: pixelFormat))
            }
          }
        }
      }
    }
    return formats
  }
}

extension Collection<SourceFormat> {
  /// The format for a mode. Photo: the most pixels. Video: the most pixels among those of at least 24 frames a second
  /// and at most 1920x1080, else the highest rate. Then the rate nearest to 30, then raw before compressed, then the
  /// pixel formats that need no conversion. nil where there is none.
  public func best(for mode: CaptureMode) -> SourceFormat? {
    var candidates = Array(self)
    if mode == .video {
      let fluent = candidates.filter { $0.frameRate.value >= 24 && $0.width * $0.height <= 1920 * 1080 }
      let highest = candidates.map(\.frameRate.value).max() ?? 0
      candidates = fluent.isEmpty ? candidates.filter { $0.frameRate.value == highest } : fluent
    }
    return candidates.max { $0.rank < $1.rank }
  }
}

extension SourceFormat {
  /// Sorts formats within a mode, the best last.
  fileprivate var rank: [Double] {
    let preferred = ["GRAY8", "YUY2", "NV12", "I420"]
    return [
      Double(width * height), -abs(frameRate.value - 30), pixelFormat == nil ? 0 : 1,
      Double(pixelFormat.flatMap { preferred.firstIndex(of: $0) } ?? -1),
    ]
  }
}

extension [Double] {
  fileprivate static func < (left: Self, right: Self) -> Bool { left.lexicographicallyPrecedes(right) }
}
