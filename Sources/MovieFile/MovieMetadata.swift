/// The turn that a player applies to show a movie upright, in degrees clockwise.
public enum Rotation: Int, Sendable, Codable, CaseIterable {
  case none = 0
  case right = 90
  case half = 180
  case left = 270
}

/// A place on earth.
public struct Location: Sendable, Equatable, Codable {
  /// Degrees, north is positive, -90 ... 90.
  public var latitude: Double
  /// Degrees, east is positive, -180 ... 180.
  public var longitude: Double
  /// Metres above sea level, where known.
  public var altitude: Double?

  /// A place of these values.
  public init(latitude: Double, longitude: Double, altitude: Double? = nil) {
    self.latitude = latitude
    self.longitude = longitude
    self.altitude = altitude
  }
}

/// What a finished movie carries besides picture and sound.
public struct MovieMetadata: Sendable, Equatable, Codable {
  /// The moment of the first frame, in seconds since 1970-01-01T00:00:00Z.
  public var creationTime: Int?
  /// The same moment as a local clock shows it: RFC 3339 with milliseconds and offset.
  public var localDate: String?
  /// How a player turns the picture.
  public var rotation: Rotation
  /// Where it was taken.
  public var location: Location?
  /// Who made the camera.
  public var maker: String?
  /// The camera's model.
  public var model: String?
  /// The program that recorded.
  public var software: String?
  /// The id of the camera, so that an index can be rebuilt from the files.
  public var camera: String?
  /// Samples of sound that the encoder put before the first real one; players skip them. 0 or more.
  public var audioPriming: Int
  /// Seconds from the first picture to the first sound; below 0 where the sound came first. Nil: as the file says.
  /// A fragmented file of GStreamer's mp4mux starts every track at 0 and so doesn't say it.
  public var audioOffset: Double?

  /// Metadata of these values.
  public init(
    creationTime: Int? = nil, localDate: String? = nil, rotation: Rotation = .none, location: Location? = nil,
    maker: String? = nil, model: String? = nil, software: String? = nil, camera: String? = nil, audioPriming: Int = 0,
    audioOffset: Double? = nil
  ) {
    self.creationTime = creationTime
    self.localDate = localDate
    self.rotation = rotation
    self.location = location
    self.maker = maker
    self.model = model
    self.software = software
    self.camera = camera
    self.audioPriming = audioPriming
    self.audioOffset = audioOffset
  }
}
