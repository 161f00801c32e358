/// One track of a movie file.
public struct MovieTrack: Sendable, Equatable {
  /// What a track holds.
  public enum Kind: String, Sendable {
    case video, audio, other
  }

  /// What it holds.
  public var kind: Kind
  /// The four letters of its sample description, such as `avc1` or `mp4a`.
  public var codec: String
  /// Pixels as coded, before rotation; nil where it is no picture.
  public var width: Int?
  /// Pixels as coded, before rotation; nil where it is no picture.
  public var height: Int?
  /// Ticks a second.
  public var timescale: Int
  /// Pictures, or packets of sound.
  public var sampleCount: Int
  /// Seconds that it is presented, without what comes before it.
  public var duration: Double
  /// Seconds from the movie's start to its first sample.
  public var startOffset: Double
}

/// What stands in a movie file.
public struct MovieDescription: Sendable, Equatable {
  /// The tracks in the order of the file.
  public var tracks: [MovieTrack]
  /// Seconds from the start to the end of the longest track.
  public var duration: Double
  /// True for a recording that was not finished.
  public var isFragmented: Bool
  /// What it carries besides picture and sound.
  public var metadata: MovieMetadata

  /// The first picture track.
  public var video: MovieTrack? { tracks.first { $0.kind == .video } }
  /// The first sound track.
  public var audio: MovieTrack? { tracks.first { $0.kind == .audio } }
}
