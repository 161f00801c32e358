public import CameraProtocol

/// What a time-lapse is asked for.
public struct TimelapseRequest: Sendable, Equatable {
  /// How its movie is made.
  public struct Movie: Sendable, Equatable {
    /// The preset.
    public var quality: Quality
    /// Frames per second, in thousandths.
    public var millihertz: Int

    /// A movie of these values.
    public init(quality: Quality = .medium, frameRate: Double = 30) {
      self.quality = quality
      millihertz = Int((frameRate * 1000).rounded())
    }
  }

  /// Nanoseconds from picture to picture.
  public var interval: UInt64
  /// Pictures that are due in all; nil for no end.
  public var frames: Int?
  /// How the movie is made; nil for photos.
  public var movie: Movie?
  /// How photos are made.
  public var photo: PhotoRequest
  /// Who asks for it.
  public var requester: Requester

  /// A request of these values.
  public init(
    interval: UInt64, frames: Int? = nil, movie: Movie? = nil, photo: PhotoRequest = PhotoRequest(),
    requester: Requester = Requester()
  ) {
    self.interval = interval
    self.frames = frames
    self.movie = movie
    self.photo = photo
    self.requester = requester
  }
}
