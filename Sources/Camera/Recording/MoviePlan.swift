public import CameraProtocol
public import GStreamer
public import MovieFile

/// How a movie of a preset is made from what a source delivers: the part of the picture, size, rate and bit rates.
public struct MoviePlan: Sendable, Equatable {
  /// Pixels to cut off each side before scaling.
  public struct Crop: Sendable, Equatable {
    /// Pixels.
    public var left = 0, right = 0, top = 0, bottom = 0
  }
  /// The preset.
  public var quality: Quality
  /// What is cut off.
  public var crop: Crop
  /// Pixels; even.
  public var width: Int
  /// Pixels; even.
  public var height: Int
  /// Frames per second, at most the source's.
  public var frameRate: Fraction
  /// Bits per second.
  public var videoBitRate: Int
  /// Bits per second.
  public var audioBitRate: Int
  /// 1 or 2.
  public var audioChannels: Int
  /// The kind of file and what is in it.
  public var format: MovieFormat
  /// Whether the camera's own H.264 goes into the file.
  public var passes = false
  /// The turn that the pixels get, where the container can't tell players to turn the picture: players of Matroska and
  /// WebM know of none. Width and height are those before it.
  public var turn = Rotation.none
  /// Milliseconds of the movie that a kill may cost.
  var fragmentDuration = 300

  /// The plan for a preset, and for what settings say besides it: a size is cut to its shape like a preset's, and has the
  /// bit rate of `high`. `source` is what viewers of the session get, `delivered` what comes from the camera: its H.264
  /// goes in as it is where the movie is `high` or has a size by name or number, and all else is equal. `low` and `medium` keep the shape of the picture; the presets that name a size cut the
  /// picture to that shape. Throws `notSupported` where the source has fewer pixels than the preset, or less than two
  /// each way. `rotation` is what brings the picture upright.
  ///
  /// Sizes and bit rates follow from 1.8, 8.4 and 32 MB for 90 seconds at low, medium and (on 640x480) high; `high` and
  /// the presets that name a size scale that with their pixels.
  public init(
    _ quality: Quality, settings: MovieSettings = MovieSettings(), source: SourceFormat,
    delivered: SourceFormat? = nil, rotation: Rotation = .none, camera: String
  ) throws(CameraError) {
    self.quality = quality
    format = try MovieFormat(settings)
    turn = format.container == .mp4 || format.video == nil ? .none : rotation
    guard format.video != nil else {
      (crop, width, height, frameRate, videoBitRate) = (Crop(), 0, 0, Fraction(0), 0)
      (audioBitRate, audioChannels) = Self.sound(quality)
      return
    }
    guard source.width >= 2, source.height >= 2 else {
      throw CameraError(
        .notSupported, "camera '\(camera)' delivers \(source.width)x\(source.height), too small for a movie",
        camera: camera)
    }
    func even(_ value: Int) -> Int { max(2, value / 2 * 2) }
    let own = settings.width.flatMap { width in settings.height.map { (width: width, height: $0) } }
    var size: (width: Int, height: Int)
    switch quality {
    case _ where own != nil: size = own ?? (0, 0)
    case .low, .medium:
      let box = quality == .low ? 144 : 360
      // the shorter side fits the box, so that a picture of any shape keeps its detail
      let shorter = min(source.width, source.height)
      size =
        shorter <= box
        ? (even(source.width), even(source.height))
        : (even((source.width * box + shorter / 2) / shorter), even((source.height * box + shorter / 2) / shorter))
    case .high: size = (even(source.width), even(source.height))
    case .vga: size = (640, 480)
    case .hd720: size = (1280, 720)
    case .hd1080: size = (1920, 1080)
    }
    guard size.width <= source.width, size.height <= source.height else {
      let possible = Quality.allCases.filter { other in
        switch other {
        case .low, .medium, .high: true
        case .vga: source.width >= 640 && source.height >= 480
        case .hd720: source.width >= 1280 && source.height >= 720
        case .hd1080: source.width >= 1920 && source.height >= 1080
        }
      }
      throw CameraError(
        .notSupported,
        "camera '\(camera)' delivers \(source.width)x\(source.height), less than "
          + "\(own.map { "\($0.width)x\($0.height)" } ?? "'\(quality.rawValue)'") needs; "
          + "it can do \(possible.map(\.rawValue).joined(separator: ", "))", camera: camera)
    }
    (width, height) = size
    crop = Self.crop(source, to: size)

    let full = source.frameRate.numerator > 0 ? source.frameRate : Fraction(30)
    let most =
      settings.frameRate.map { Fraction(Int(($0 * 1000).rounded()), 1000) } ?? Fraction(quality == .low ? 15 : 1000)
    frameRate = full.value > most.value ? most : full
    let preset: Int? = own != nil ? nil : quality == .low ? 120_000 : quality == .medium ? 672_000 : nil
    let scaled = max(200_000, Int(2_700_000 * Double(width * height) / 307_200))
    videoBitRate = settings.bitRate ?? preset ?? scaled
    (audioBitRate, audioChannels) = Self.sound(quality)
    if let delivered, delivered.isInterCoded, format.video == .h264, settings.bitRate == nil, preset == nil {
      passes =
        turn == .none && crop == Crop() && size == (delivered.width, delivered.height) && frameRate == full
    }
  }

  /// Width and height in the file, in pixels.
  var fileSize: (width: Int, height: Int) {
    turn == .right || turn == .left ? (height, width) : (width, height)
  }

  /// The same for pictures that are encoded already.
  var passing: MoviePlan {
    var plan = self
    plan.passes = true
    return plan
  }

  /// Bits per second and channels.
  private static func sound(_ quality: Quality) -> (Int, Int) {
    switch quality {
    case .low: (32_000, 1)
    case .medium: (64_000, 2)
    default: (128_000, 2)
    }
  }

  /// The centre of the picture in the shape of the movie; a single odd line or column goes at the right or bottom.
  private static func crop(_ source: SourceFormat, to size: (width: Int, height: Int)) -> Crop {
    var width = source.width
    var height = source.height
    if width * size.height > height * size.width {
      width = (height * size.width + size.height / 2) / size.height
    } else {
      height = (width * size.height + size.width / 2) / size.width
    }
    // less than one movie pixel off is rounding, not shape
    if (source.width - width) * size.width <= source.width * 2 { width = source.width / 2 * 2 }
    if (source.height - height) * size.height <= source.height * 2 { height = source.height / 2 * 2 }
    let (extraX, extraY) = (max(0, source.width - width), max(0, source.height - height))
    // even offsets keep the chroma of 4:2:0 in place
    let (left, top) = (extraX / 4 * 2, extraY / 4 * 2)
    return Crop(left: left, right: extraX - left, top: top, bottom: extraY - top)
  }
}
