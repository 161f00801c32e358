/// How far a recording is.
public enum RecordingState: String, Codable, Sendable, CaseIterable {
  case starting, recording, paused, finishing
}

/// Why a recording ended.
public enum StopReason: String, Codable, Sendable, CaseIterable {
  case stopped, maxDuration, maxSize, diskFull, cameraLost, modeChanged, cameraChanged, shutdown, segment, error
}

/// A recording that runs.
public struct RecordingStatus: Codable, Sendable, Equatable {
  /// The id of the camera.
  public var camera: String
  /// How far it is.
  public var state: RecordingState
  /// The preset.
  public var quality: Quality
  /// Pixels; 0 for sound alone.
  public var width: Int
  /// Pixels; 0 for sound alone.
  public var height: Int
  /// Frames per second; 0 for sound alone.
  public var frameRate: Double
  /// True where sound is recorded.
  public var audio: Bool
  /// When it started.
  public var time: Timestamp
  /// Seconds so far.
  public var duration: Double
  /// Frames so far.
  public var frames: Int
  /// Frames that the encoder was too slow for.
  public var droppedFrames: Int
  /// Bytes written so far.
  public var bytes: Int
  /// Seconds after which it ends by itself; nil for no limit.
  public var maxDuration: Double?
  /// Bytes after which it ends by itself; nil for no limit.
  public var maxBytes: Int?
  /// The number of the file among those of the recording, from 1; nil for a recording of one file.
  public var segment: Int?
  /// The kind of file.
  public var container: Container
  /// nil for sound alone.
  public var videoCodec: VideoCodec?
  /// nil without sound.
  public var audioCodec: AudioCodec?
  /// The GStreamer element that encodes the picture; `camera` where the camera's own pictures go in; nil for sound
  /// alone.
  public var encoder: String?

  /// A status of these values.
  public init(
    camera: String, state: RecordingState, quality: Quality, width: Int, height: Int, frameRate: Double, audio: Bool,
    time: Timestamp, duration: Double, frames: Int, droppedFrames: Int, bytes: Int, maxDuration: Double?,
    maxBytes: Int?, segment: Int? = nil, container: Container = .mp4, videoCodec: VideoCodec? = .h264,
    audioCodec: AudioCodec? = nil,
    encoder: String? = nil
  ) {
    self.segment = segment
    self.camera = camera
    self.state = state
    self.quality = quality
    self.width = width
    self.height = height
    self.frameRate = frameRate
    self.audio = audio
    self.time = time
    self.duration = duration
    self.frames = frames
    self.droppedFrames = droppedFrames
    self.bytes = bytes
    self.maxDuration = maxDuration
    self.maxBytes = maxBytes
    self.container = container
    self.videoCodec = videoCodec
    self.audioCodec = audioCodec
    self.encoder = encoder
  }
}

/// A recording that has ended.
public struct RecordingResult: Codable, Sendable, Equatable {
  /// The movie; nil where nothing could be kept.
  public var asset: Asset?
  /// Frames in the movie.
  public var frames: Int
  /// Frames that the encoder was too slow for.
  public var droppedFrames: Int
  /// True where the movie has sound.
  public var audio: Bool
  /// Why it ended.
  public var reason: StopReason
  /// What went wrong, where something did.
  public var message: String?

  /// A result of these values.
  public init(
    asset: Asset?, frames: Int, droppedFrames: Int, audio: Bool, reason: StopReason, message: String? = nil
  ) {
    self.asset = asset
    self.frames = frames
    self.droppedFrames = droppedFrames
    self.audio = audio
    self.reason = reason
    self.message = message
  }
}
