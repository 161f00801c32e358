extension MovieFile {
  /// What stands in a file of any container that recordings have: MP4 and its kin, Matroska and WebM, Ogg with Opus. Of
  /// a Matroska file that says how long it is, and of a finished MP4, only the headers are read. Throws
  /// `MovieFileError`: `unsupported` where it is one of these with something in it that this code doesn't know.
  public static func summary(descriptor: Int32) throws(MovieFileError) -> MovieSummary {
    let file = try BoxFile(descriptor: descriptor)
    if try MatroskaScanner.isMatroska(file) { return try MovieSummary(matroska: file) }
    if try OggFinisher.isOgg(file) {
      let movie = try OggFinisher.describe(file)
      return MovieSummary(duration: movie.duration, hasPicture: false)
    }
    let movie = try read(descriptor: descriptor)
    guard movie.tracks.contains(where: { $0.sampleCount > 0 && $0.kind != .other }) else {
      throw MovieFileError(.noSamples, "the movie holds neither picture nor sound")
    }
    return MovieSummary(movie)
  }
}

/// What an album wants to know of a movie.
public struct MovieSummary: Sendable, Equatable {
  /// Seconds.
  public var duration: Double
  /// Whether it is more than sound.
  public var hasPicture: Bool
  /// Pixels as shown, after rotation; nil without picture.
  public var width: Int?
  /// Pixels as shown, after rotation; nil without picture.
  public var height: Int?
  /// What it carries besides.
  public var metadata = MovieMetadata()

  init(duration: Double, hasPicture: Bool, width: Int? = nil, height: Int? = nil) {
    self.duration = duration
    self.hasPicture = hasPicture
    self.width = width
    self.height = height
  }

  init(_ movie: MovieDescription) {
    let video = movie.video.flatMap { $0.sampleCount > 0 ? $0 : nil }
    let isTurned = movie.metadata.rotation == .left || movie.metadata.rotation == .right
    self.init(
      duration: movie.duration, hasPicture: video != nil, width: isTurned ? video?.height : video?.width,
      height: isTurned ? video?.width : video?.height)
    metadata = movie.metadata
  }

  /// Reads up to the first cluster, and further only where the duration isn't told before.
  init(matroska file: BoxFile) throws(MovieFileError) {
    var scan = try MatroskaScanner(file, headersOnly: true)
    var seconds = try scan.toldSeconds() ?? 0
    if seconds == 0 { seconds = try MatroskaScanner(file).seconds }
    guard !scan.tracks.isEmpty, seconds > 0 else {
      throw MovieFileError(.noSamples, "the file holds neither picture nor sound")
    }
    let video = scan.tracks.first { $0.isVideo }
    self.init(duration: seconds, hasPicture: video != nil, width: video?.width, height: video?.height)
    try scan.readTags()
    metadata = scan.metadata
    if let nanoseconds = try scan.toldDate() {
      // since 2001-01-01T00:00:00Z
      metadata.creationTime = 978_307_200 + nanoseconds / 1_000_000_000
    }
  }
}
