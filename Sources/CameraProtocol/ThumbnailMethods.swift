/// A small picture of an asset.
public enum GetThumbnail: CameraMethod {
  /// The method's name on the wire.
  public static let name = "GetThumbnail"
  /// Which picture; see the interface file.
  public struct Parameters: Codable, Sendable, Equatable {
    /// The asset's id; nil for the newest photo or movie.
    public var id: String?
    /// Seconds from a movie's start; nil for half-way.
    public var position: Double?
    /// The key frame that is nearest to the position, which is quicker; nil means false.
    public var nearestKeyframe: Bool?
    /// The picture that the movie begins with; nil means false.
    public var first: Bool?
    /// Pixels of the longer edge at most, 16 to 4096; nil means 256.
    public var size: Int?
    /// How it is encoded; nil means PNG.
    public var format: PhotoFormat?
    /// Parameters of these values.
    public init(
      id: String? = nil, position: Double? = nil, nearestKeyframe: Bool? = nil, first: Bool? = nil, size: Int? = nil,
      format: PhotoFormat? = nil
    ) {
      self.id = id
      self.position = position
      self.nearestKeyframe = nearestKeyframe
      self.first = first
      self.size = size
      self.format = format
    }
  }
  /// The answer.
  public struct Reply: Codable, Sendable, Equatable {
    /// The asset's id.
    public var id: String
    /// Pixels.
    public var width: Int
    /// Pixels.
    public var height: Int
    /// When the picture is shown, in seconds from the movie's start; nil for a photo.
    public var position: Double?
    /// How it is encoded.
    public var format: PhotoFormat
    /// The index of the picture's descriptor among those that came with the reply.
    public var descriptor: Int
    /// An answer of these values.
    public init(id: String, width: Int, height: Int, position: Double?, format: PhotoFormat, descriptor: Int) {
      self.id = id
      self.width = width
      self.height = height
      self.position = position
      self.format = format
      self.descriptor = descriptor
    }
  }
}

/// Several pictures of a movie in one.
public enum GetThumbnailSheet: CameraMethod {
  /// The method's name on the wire.
  public static let name = "GetThumbnailSheet"
  /// Which pictures; see the interface file.
  public struct Parameters: Codable, Sendable, Equatable {
    /// The movie's id; nil for the newest movie.
    public var id: String?
    /// How many pictures, 1 to 100.
    public var count: Int
    /// How many of them stand side by side; nil for about as many as rows.
    public var columns: Int?
    /// Pixels of the longer edge of each at most, 16 to 4096; nil means 256.
    public var size: Int?
    /// How it is encoded; nil means JPEG.
    public var format: PhotoFormat?
    /// Parameters of these values.
    public init(
      id: String? = nil, count: Int, columns: Int? = nil, size: Int? = nil, format: PhotoFormat? = nil
    ) {
      self.id = id
      self.count = count
      self.columns = columns
      self.size = size
      self.format = format
    }
  }
  /// The answer.
  public struct Reply: Codable, Sendable, Equatable {
    /// The movie's id.
    public var id: String
    /// Pixels.
    public var width: Int
    /// Pixels.
    public var height: Int
    /// When each picture is shown, in seconds from the movie's start, in reading order.
    public var positions: [Double]
    /// How it is encoded.
    public var format: PhotoFormat
    /// The index of the picture's descriptor among those that came with the reply.
    public var descriptor: Int
    /// An answer of these values.
    public init(id: String, width: Int, height: Int, positions: [Double], format: PhotoFormat, descriptor: Int) {
      self.id = id
      self.width = width
      self.height = height
      self.positions = positions
      self.format = format
      self.descriptor = descriptor
    }
  }
}
