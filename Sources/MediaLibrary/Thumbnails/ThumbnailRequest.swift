public import CameraProtocol

/// Which small picture of an asset is wanted.
public struct ThumbnailRequest: Sendable, Equatable {
  /// Which picture of a movie. Of a photo there is one only.
  public enum Moment: Sendable, Equatable {
    /// The one half-way, or one near by where that one is black or of one colour.
    case halfWay
    /// The one that a recording began with, or one near by where that one is black or of one colour.
    case first
    /// The one that is shown at a time, in seconds from the movie's start.
    case at(Double)
    /// The key frame that is nearest to a time in seconds; nil: half-way.
    case keyframe(near: Double?)
  }

  /// The largest edge that can be asked for, in pixels.
  public static let largestEdge = 4096

  /// Which picture.
  public var moment: Moment
  /// Pixels of the longer edge at most.
  public var edge: Int
  /// How it is encoded.
  public var format: PhotoFormat

  /// A request of these values.
  public init(_ moment: Moment = .halfWay, edge: Int = 256, format: PhotoFormat = .png) {
    self.moment = moment
    self.edge = edge
    self.format = format
  }
}

/// Several pictures of a movie in one, from its beginning to its end, row by row.
public struct ThumbnailSheetRequest: Sendable, Equatable {
  /// The most pictures that can be asked for.
  public static let largestCount = 100

  /// How many pictures.
  public var count: Int
  /// How many of them stand side by side.
  public var columns: Int
  /// Pixels of the longer edge of each at most.
  public var edge: Int
  /// How it is encoded.
  public var format: PhotoFormat

  /// A request of these values. `columns`: nil for about as many as rows.
  public init(count: Int, columns: Int? = nil, edge: Int = 256, format: PhotoFormat = .jpeg) {
    self.count = count
    self.columns = columns ?? Int(Double(max(count, 1)).squareRoot().rounded(.up))
    self.edge = edge
    self.format = format
  }
}

/// A small picture.
public struct Thumbnail: Sendable {
  /// What it is of.
  public var asset: Asset
  /// Pixels.
  public var width: Int
  /// Pixels.
  public var height: Int
  /// When its pictures are shown, in seconds from the movie's start; empty for a photo.
  public var positions: [Double]
  /// How it is encoded.
  public var format: PhotoFormat
  /// The file's bytes.
  var bytes: [UInt8]

  /// A descriptor of the file at its beginning, sealed against every change. Throws `captureFailed`.
  public func descriptor() throws(CameraError) -> AssetDescriptor {
    try SealedMemory.descriptor(of: bytes, name: "thumbnail")
  }
}
