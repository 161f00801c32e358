public import CameraProtocol

/// What a photo's file says of it.
public struct PhotoMetadata: Sendable, Equatable {
  /// What the camera's light did.
  public enum Flash: Sendable, Equatable {
    /// There is none.
    case none
    /// Whether it was lit, and whether that was decided by the scene's brightness.
    case used(Bool, isAutomatic: Bool)
  }

  /// What is done about the position.
  public enum Place: Sendable, Equatable {
    /// This one is written.
    case location(GeoLocation)
    /// None is written; what the camera wrote itself stays.
    case unknown
    /// None may be in the file.
    case withheld
  }

  /// When the picture was captured, under the local offset.
  public var time: Timestamp
  /// Pixels, as they are stored.
  public var width: Int
  /// Pixels, as they are stored.
  public var height: Int
  /// How a viewer has to turn it.
  public var orientation: Orientation
  /// Who made the camera.
  public var maker: String?
  /// The camera's model.
  public var model: String?
  /// The program that took it.
  public var software: String?
  /// Seconds, where known.
  public var exposureTime: Double?
  /// The light; nil where that isn't known.
  public var flash: Flash?
  /// Where it was taken.
  public var place: Place

  /// Metadata of these values.
  public init(
    time: Timestamp, width: Int, height: Int, orientation: Orientation = .upright, maker: String? = nil,
    model: String? = nil, software: String? = nil, exposureTime: Double? = nil, flash: Flash? = nil,
    place: Place = .unknown
  ) {
    self.time = time
    self.width = width
    self.height = height
    self.orientation = orientation
    self.maker = maker
    self.model = model
    self.software = software
    self.exposureTime = exposureTime
    self.flash = flash
    self.place = place
  }
}

/// A picture or a block of metadata that can't be understood.
public struct PhotoFileError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What is wrong.
  public var description: String
}
