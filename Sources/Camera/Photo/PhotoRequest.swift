public import CameraProtocol
public import MediaLibrary
import PhotoFile

/// What a photo is asked for.
public struct PhotoRequest: Sendable, Equatable {
  /// How it is encoded.
  public var format: PhotoFormat
  /// Quality of JPEG and WebP, 1 ... 100.
  public var quality: Int
  /// Degrees clockwise that bring it upright: 0, 90, 180 or 270; nil for what the camera is configured for.
  public var rotation: Int?
  /// Turn the pixels, in place of a tag that tells viewers to.
  public var isUpright: Bool
  /// A part that is wanted as a photo of its own.
  public var crop: Rectangle?

  /// A request of these values.
  public init(
    format: PhotoFormat = .jpeg, quality: Int = 90, rotation: Int? = nil, isUpright: Bool = false,
    crop: Rectangle? = nil
  ) {
    self.format = format
    self.quality = quality
    self.rotation = rotation
    self.isUpright = isUpright
    self.crop = crop
  }
}

/// An encoded photo, lent for the time of a call.
public struct EncodedPhoto {
  /// The file's bytes: one buffer behind the other.
  public var buffers: [UnsafeRawBufferPointer]
  /// What is known of it.
  public var description: PhotoDescription
}

/// What one frame became.
public struct PhotoSet {
  /// The whole picture.
  public var original: EncodedPhoto
  /// The part of it that was asked for.
  public var edited: EncodedPhoto?
}

/// A request with all that is known when its frame has been taken.
struct PhotoJob: Sendable {
  var request: PhotoRequest
  var camera: String
  /// How the camera is mounted, or held; nil where nobody has said so.
  var orientation: Orientation?
  /// Size and orientation are filled in.
  var metadata: PhotoMetadata
  var log: Logger
}
