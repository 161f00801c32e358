public import CameraProtocol
public import GStreamer
public import MovieFile

/// How a movie of a preset is made from what a source delivers: the part of the picture, size, rate and bit rates.
public struct MoviePlan: Sendable, Equatable {
  /// Pixels to cut off each side before scaling.
  public typealias Crop = PictureMargins
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
  public init(
    _ quality: Quality, settings: MovieSettings = MovieSettings(), source: SourceFormat,
    delivered: SourceFormat? = nil, rotation: Rotation = .none, camera: String
  ) throws(CameraError) {
    self.quality = quality
    format = try MovieFormat(settings)
    turn = format.container == .mp4 || format.video == nil ? .none : rotation
    guard format.video != nil else {
      (crop, width, height, frameRate, videoBitRate) = (Crop(), 0, 0, Fraction(0), 0)
      (audioBitRate, audioChannels) = quality.sound
      return
    }
    guard source.width >= 2, source.height >= 2 else {
      throw CameraError(
        .notSupported, "camera '\(camera)' delivers \(source.width)x\(source.height), too small for a movie",
        camera: camera)
    }
    let own = settings.width.flatMap { width in settings.height.map { (width: width, height: $0) } }
    let size = own ?? quality.size(ofPicture: source.width, source.height)
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
    crop = Crop(ofPicture: source.width, source.height, inShapeOf: size)

    let full = source.frameRate.numerator > 0 ? source.frameRate : Fraction(30)
    let most =
      settings.frameRate.map { Fraction(Int(($0 * 1000).rounded()), 1000) }
      ?? Fraction(quality.largestFrameRate ?? 1000)
    frameRate = full.value > most.value ? most : full
    let preset = own == nil ? quality.fixedBitRate : nil
    videoBitRate = settings.bitRate ?? preset ?? Quality.scaledBitRate(width: width, height: height)
    (audioBitRate, audioChannels) = quality.sound
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
}
