/// How a photo is encoded.
public enum PhotoFormat: String, Codable, Sendable, CaseIterable {
  case jpeg, png, webp

  /// The ending of a file's name.
  public var fileExtension: String { self == .jpeg ? "jpg" : rawValue }
}

/// A part of a picture, in its pixels from the top left.
public struct Rectangle: Codable, Sendable, Equatable {
  /// Pixels from the left.
  public var x: Int
  /// Pixels from the top.
  public var y: Int
  /// Pixels.
  public var width: Int
  /// Pixels.
  public var height: Int

  /// A rectangle of these values.
  public init(x: Int, y: Int, width: Int, height: Int) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// True where it has an area and lies within a picture of that size.
  public func isInside(width pictureWidth: Int, height pictureHeight: Int) -> Bool {
    x >= 0 && y >= 0 && width > 0 && height > 0 && x < pictureWidth && y < pictureHeight && width <= pictureWidth - x
      && height <= pictureHeight - y
  }
}

/// Takes a photo.
public enum TakePhoto: CameraMethod {
  /// The method's name on the wire.
  public static let name = "TakePhoto"
  /// What to take; see the interface file.
  public struct Parameters: Codable, Sendable {
    /// The camera; nil for the default one.
    public var camera: String?
    /// How it is encoded; nil means JPEG.
    public var format: PhotoFormat?
    /// Quality of JPEG and WebP, 1 to 100; nil means 90.
    public var quality: Int?
    /// Degrees clockwise that bring it upright: 0, 90, 180 or 270; nil for what the camera is configured for.
    public var rotation: Int?
    /// Turn the pixels, in place of a tag that tells viewers to; nil means false.
    public var upright: Bool?
    /// Make a second photo of this part of the picture; nil for none.
    public var crop: Rectangle?
    /// Keep a copy in the album; nil means true.
    public var album: Bool?
    /// Hand over a descriptor of the picture; nil means false.
    public var descriptor: Bool?
    /// Seconds until it is taken; nil for now.
    public var timer: Double?
    /// Parameters of these values.
    public init(
      camera: String? = nil, format: PhotoFormat? = nil, quality: Int? = nil, rotation: Int? = nil,
      upright: Bool? = nil, crop: Rectangle? = nil, album: Bool? = nil, descriptor: Bool? = nil, timer: Double? = nil
    ) {
      self.timer = timer
      self.camera = camera
      self.format = format
      self.quality = quality
      self.rotation = rotation
      self.upright = upright
      self.crop = crop
      self.album = album
      self.descriptor = descriptor
    }
  }
  /// The answer.
  public struct Reply: Codable, Sendable {
    /// What was taken.
    public var asset: Asset
    /// The part of it that was asked for.
    public var edited: Asset?
    /// That part, in the pixels of `asset`.
    public var crop: Rectangle?
    /// Seconds.
    public var frameAge: Double
    /// Seconds.
    public var settled: Double?
    /// Whether the light was on for it; nil where there is none.
    public var flash: Bool?
    /// Frames that a recording had to drop from the request to the answer; nil where none ran.
    public var recordingDropped: Int?
    /// The index of the picture's descriptor among those that came with the reply.
    public var descriptor: Int?
    /// An answer of these values.
    public init(
      asset: Asset, edited: Asset? = nil, crop: Rectangle? = nil, frameAge: Double, settled: Double? = nil,
      flash: Bool? = nil, descriptor: Int? = nil, recordingDropped: Int? = nil
    ) {
      self.recordingDropped = recordingDropped
      self.asset = asset
      self.edited = edited
      self.crop = crop
      self.frameAge = frameAge
      self.settled = settled
      self.flash = flash
      self.descriptor = descriptor
    }
  }
}
