/// What an asset is.
public enum AssetKind: String, Codable, Sendable, CaseIterable {
  case image, movie, audio
}

/// Something that was captured.
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

  /// An asset of these values.
  public init(
    id: String, kind: AssetKind, path: String?, width: Int?, height: Int?, bytes: Int, time: Timestamp,
    camera: String?, duration: Double? = nil, recovered: Bool? = nil
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
  }
}
