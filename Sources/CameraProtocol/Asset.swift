/// What an asset is.
public enum AssetKind: String, Codable, Sendable, CaseIterable {
  case image, movie, audio
}

/// Where an asset comes from.
public enum AssetOrigin: String, Codable, Sendable, CaseIterable {
  case captured, imported, edited
}

/// How an asset stands in the album.
public enum AssetState: String, Codable, Sendable, CaseIterable {
  /// It is there.
  case ok
  /// Its file can't be read as what its name says.
  case damaged
  /// It is in the trash.
  case trashed
}

/// Something in the album, or a photo that was taken for a client alone.
public struct Asset: Codable, Sendable, Equatable {
  /// Names the asset within the album.
  public var id: String
  /// What it is.
  public var kind: AssetKind
  /// The file; nil where no copy is kept in the album.
  public var path: String?
  /// Pixels; nil for sound.
  public var width: Int?
  /// Pixels; nil for sound.
  public var height: Int?
  /// Size of the file.
  public var bytes: Int
  /// The moment of capture, for a movie that of its first frame.
  public var time: Timestamp
  /// The id of the camera that took it.
  public var camera: String?
  /// Seconds; nil for an image.
  public var duration: Double?
  /// True where the file was finished after an unclean end of the daemon.
  public var recovered: Bool?
  /// How a photo is encoded; nil for what is no photo.
  public var format: PhotoFormat?
  /// Degrees clockwise by which the file tells viewers to turn it; nil where it is upright as it is.
  public var rotation: Int?
  /// The position that stands in the file.
  public var location: Coordinates?
  /// The id of the asset that it was made from.
  public var parent: String?
  /// Where it comes from.
  public var origin: AssetOrigin
  /// Whether somebody marked it; retention never removes it then.
  public var favorite: Bool
  /// When it went into the trash; nil where it isn't there.
  public var trashed: Timestamp?
  /// Why its file can't be read; nil where it can.
  public var damage: String?

  /// An asset of these values.
  public init(
    id: String, kind: AssetKind, path: String?, width: Int?, height: Int?, bytes: Int, time: Timestamp,
    camera: String?, duration: Double? = nil, recovered: Bool? = nil, format: PhotoFormat? = nil,
    rotation: Int? = nil, location: Coordinates? = nil, parent: String? = nil, origin: AssetOrigin = .captured,
    favorite: Bool = false, trashed: Timestamp? = nil, damage: String? = nil
  ) {
    self.id = id
    self.kind = kind
    self.path = path
    self.width = width
    self.height = height
    self.bytes = bytes
    self.time = time
    self.camera = camera
    self.duration = duration
    self.recovered = recovered
    self.format = format
    self.rotation = rotation
    self.location = location
    self.parent = parent
    self.origin = origin
    self.favorite = favorite
    self.trashed = trashed
    self.damage = damage
  }
}
