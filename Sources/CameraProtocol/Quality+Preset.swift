/// What each preset comes to. Sizes and bit rates follow from 1.8, 8.4 and 32 MB for 90 seconds at low, medium and (on
/// 640x480) high; `high` and the presets that name a size scale that with their pixels.
extension Quality {
  /// The size of a movie that is made of pictures of that size; even. `low` and `medium` keep the shape of the picture,
  /// `high` its size; the presets that name a size may come out larger than the picture.
  public func size(ofPicture width: Int, _ height: Int) -> (width: Int, height: Int) {
    func even(_ value: Int) -> Int { max(2, value / 2 * 2) }
    switch self {
    case .low, .medium:
      let box = self == .low ? 144 : 360
      // the shorter side fits the box, so that a picture of any shape keeps its detail
      let shorter = min(width, height)
      guard shorter > box else { return (even(width), even(height)) }
      return (even((width * box + shorter / 2) / shorter), even((height * box + shorter / 2) / shorter))
    case .high: return (even(width), even(height))
    case .vga: return (640, 480)
    case .hd720: return (1280, 720)
    case .hd1080: return (1920, 1080)
    }
  }

  /// Bits per second of a picture of that size; nil for the presets whose rate follows from the pixels alone, which is
  /// `scaledBitRate`.
  public var fixedBitRate: Int? {
    switch self {
    case .low: 120_000
    case .medium: 672_000
    default: nil
    }
  }

  /// Bits per second of a picture of that size at the rate of `high`.
  public static func scaledBitRate(width: Int, height: Int) -> Int {
    max(200_000, Int(2_700_000 * Double(width * height) / 307_200))
  }

  /// The most frames a second; nil for as many as there are.
  public var largestFrameRate: Int? { self == .low ? 15 : nil }

  /// Bits per second and channels of the sound.
  public var sound: (bitRate: Int, channels: Int) {
    switch self {
    case .low: (32_000, 1)
    case .medium: (64_000, 2)
    default: (128_000, 2)
    }
  }
}

/// Pixels to cut off each side of a picture.
public struct PictureMargins: Sendable, Equatable {
  /// Pixels.
  public var left = 0
  /// Pixels.
  public var right = 0
  /// Pixels.
  public var top = 0
  /// Pixels.
  public var bottom = 0

  /// Nothing is cut off.
  public init() {}

  /// The centre of a picture in the shape of another size; a single odd line or column goes at the right or bottom.
  public init(ofPicture pictureWidth: Int, _ pictureHeight: Int, inShapeOf size: (width: Int, height: Int)) {
    var width = pictureWidth
    var height = pictureHeight
    if width * size.height > height * size.width {
      width = (height * size.width + size.height / 2) / size.height
    } else {
      height = (width * size.height + size.width / 2) / size.width
    }
    // less than one movie pixel off is rounding, not shape
    if (pictureWidth - width) * size.width <= pictureWidth * 2 { width = pictureWidth / 2 * 2 }
    if (pictureHeight - height) * size.height <= pictureHeight * 2 { height = pictureHeight / 2 * 2 }
    let (extraX, extraY) = (max(0, pictureWidth - width), max(0, pictureHeight - height))
    // even offsets keep the chroma of 4:2:0 in place
    (left, top) = (extraX / 4 * 2, extraY / 4 * 2)
    (right, bottom) = (extraX - left, extraY - top)
  }
}
