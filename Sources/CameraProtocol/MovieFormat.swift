/// A kind of movie file.
public enum Container: String, Codable, Sendable, CaseIterable {
  /// MP4; without a picture M4A.
  case mp4
  /// Matroska.
  case matroska
  /// WebM.
  case webm
  /// Ogg, for sound alone.
  case ogg
}

/// How pictures are encoded.
public enum VideoCodec: String, Codable, Sendable, CaseIterable {
  case h264, vp8, vp9
}

/// How sound is encoded.
public enum AudioCodec: String, Codable, Sendable, CaseIterable {
  case aac, opus
}

/// What a movie is to be like besides its preset; what is nil follows from the preset and from the rest.
public struct MovieSettings: Sendable, Equatable {
  /// The kind of file; nil for MP4, or for what holds the codecs that are named.
  public var container: Container?
  /// nil for what the container mostly has.
  public var videoCodec: VideoCodec?
  /// nil for what the container mostly has.
  public var audioCodec: AudioCodec?
  /// False for sound alone; nil means true.
  public var video: Bool?
  /// Pixels; even, and only together with the height.
  public var width: Int?
  /// Pixels; even, and only together with the width.
  public var height: Int?
  /// Frames per second, of which the camera's are the most.
  public var frameRate: Double?
  /// Bits per second of the picture.
  public var bitRate: Int?

  /// Settings of these values.
  public init(
    container: Container? = nil, videoCodec: VideoCodec? = nil, audioCodec: AudioCodec? = nil, video: Bool? = nil,
    width: Int? = nil, height: Int? = nil, frameRate: Double? = nil, bitRate: Int? = nil
  ) {
    self.container = container
    self.videoCodec = videoCodec
    self.audioCodec = audioCodec
    self.video = video
    self.width = width
    self.height = height
    self.frameRate = frameRate
    self.bitRate = bitRate
  }
}
