/// The whole daemon now.
public enum GetStatus: CameraMethod {
  /// The method's name on the wire.
  public static let name = "GetStatus"
  /// The camera to tell of; nil for all.
  public typealias Parameters = CameraSelection
  /// The answer.
  public struct Reply: Codable, Sendable {
    /// The daemon.
    public var status: Status
    /// An answer of these values.
    public init(status: Status) { self.status = status }
  }
}

/// The cameras there are.
public enum ListCameras: CameraMethod {
  /// The method's name on the wire.
  public static let name = "ListCameras"
  /// The camera to list; nil for all.
  public typealias Parameters = CameraSelection
  /// The answer.
  public struct Reply: Codable, Sendable {
    /// Every camera.
    public var cameras: [Camera]
    /// An answer of these values.
    public init(cameras: [Camera]) { self.cameras = cameras }
  }
}

/// The microphones there are.
public enum ListMicrophones: CameraMethod {
  /// The method's name on the wire.
  public static let name = "ListMicrophones"
  /// There are none.
  public typealias Parameters = Nothing
  /// The answer.
  public struct Reply: Codable, Sendable {
    /// Every microphone.
    public var microphones: [Microphone]
    /// An answer of these values.
    public init(microphones: [Microphone]) { self.microphones = microphones }
  }
}

/// Starts a recording.
public enum StartRecording: CameraMethod {
  /// The method's name on the wire.
  public static let name = "StartRecording"
  /// What to record; see the interface file.
  public struct Parameters: Codable, Sendable {
    /// The camera; nil for the default one.
    public var camera: String?
    /// The preset; nil means medium.
    public var quality: Quality?
    /// Seconds; 0 for no limit.
    public var maxDuration: Double?
    /// Bytes; 0 for no limit.
    public var maxBytes: Int?
    /// With sound; nil means true.
    public var audio: Bool?
    /// Seconds after which a new file begins; nil for one file.
    public var segmentDuration: Double?
    /// Bytes after which a new file begins; nil for one file.
    public var segmentBytes: Int?
    /// The kind of file; nil for MP4, or for what holds the codecs that are named.
    public var container: Container?
    /// nil for what the container mostly has.
    public var videoCodec: VideoCodec?
    /// nil for what the container mostly has.
    public var audioCodec: AudioCodec?
    /// False for sound alone; nil means true.
    public var video: Bool?
    /// Pixels; nil for those of the preset.
    public var width: Int?
    /// Pixels; nil for those of the preset.
    public var height: Int?
    /// Frames per second; nil for those of the preset.
    public var frameRate: Double?
    /// Bits per second of the picture; nil for those of the preset.
    public var bitRate: Int?
    /// Parameters of these values.
    public init(
      camera: String? = nil, quality: Quality? = nil, maxDuration: Double? = nil, maxBytes: Int? = nil,
      audio: Bool? = nil, segmentDuration: Double? = nil, segmentBytes: Int? = nil,
      movie: MovieSettings = MovieSettings()
    ) {
      self.segmentDuration = segmentDuration
      self.segmentBytes = segmentBytes
      self.camera = camera
      self.quality = quality
      self.maxDuration = maxDuration
      self.maxBytes = maxBytes
      self.audio = audio
      container = movie.container
      videoCodec = movie.videoCodec
      audioCodec = movie.audioCodec
      video = movie.video
      width = movie.width
      height = movie.height
      frameRate = movie.frameRate
      bitRate = movie.bitRate
    }
    /// What the movie is to be like besides its preset.
    public var movie: MovieSettings {
      MovieSettings(
        container: container, videoCodec: videoCodec, audioCodec: audioCodec, video: video, width: width,
        height: height, frameRate: frameRate, bitRate: bitRate)
    }
  }
  /// The answer.
  public struct Reply: Codable, Sendable {
    /// The recording that has begun.
    public var recording: RecordingStatus
    /// An answer of these values.
    public init(recording: RecordingStatus) { self.recording = recording }
  }
}

/// Ends a recording; answers when the file is complete.
public enum StopRecording: CameraMethod {
  /// The method's name on the wire.
  public static let name = "StopRecording"
  /// The camera.
  public typealias Parameters = CameraSelection
  /// The recording that has ended.
  public typealias Reply = RecordingResult
}

/// Ends a recording and discards it.
public enum CancelRecording: CameraMethod {
  /// The method's name on the wire.
  public static let name = "CancelRecording"
  /// The camera.
  public typealias Parameters = CameraSelection
  /// The answer.
  public struct Reply: Codable, Sendable {
    /// Frames that were discarded.
    public var frames: Int
    /// An answer of these values.
    public init(frames: Int) { self.frames = frames }
  }
}

/// Sets up a session for photos or for movies.
public enum SetMode: CameraMethod {
  /// The method's name on the wire.
  public static let name = "SetMode"
  /// Which mode.
  public struct Parameters: Codable, Sendable {
    /// The camera; nil for the default one.
    public var camera: String?
    /// The mode to set.
    public var mode: CaptureMode
    /// Parameters of these values.
    public init(camera: String? = nil, mode: CaptureMode) {
      self.camera = camera
      self.mode = mode
    }
  }
  /// The answer.
  public struct Reply: Codable, Sendable {
    /// The camera that was meant.
    public var camera: String
    /// The mode that is set now.
    public var mode: CaptureMode
    /// The recording that ran and was finished first.
    public var finished: RecordingResult?
    /// An answer of these values.
    public init(camera: String, mode: CaptureMode, finished: RecordingResult? = nil) {
      self.camera = camera
      self.mode = mode
      self.finished = finished
    }
  }
}

/// How a preview stream is written.
public enum PreviewFormat: String, Codable, Sendable, CaseIterable {
  /// Motion-JPEG in Matroska.
  case matroska
  /// JPEG pictures one after the other.
  case mjpeg
  /// The bytes of the frames as I420.
  case raw
}

/// Streams the live picture into a descriptor.
public enum Preview: CameraMethod {
  /// The method's name on the wire.
  public static let name = "Preview"
  /// What to stream; see the interface file.
  public struct Parameters: Codable, Sendable {
    /// The camera; nil for the default one.
    public var camera: String?
    /// The index of the descriptor that came with the call.
    public var output: Int?
    /// How the stream is written; nil means Matroska.
    public var format: PreviewFormat?
    /// Parameters of these values.
    public init(camera: String? = nil, output: Int? = nil, format: PreviewFormat? = nil) {
      self.camera = camera
      self.output = output
      self.format = format
    }
  }
  /// The answer.
  public struct Reply: Codable, Sendable {
    /// Names this preview for `StopPreview`.
    public var viewer: String
    /// What is streamed.
    public var format: Format
    /// Frames that were streamed.
    public var frames: Int
    /// Frames that the reader was too slow for.
    public var droppedFrames: Int
    /// An answer of these values.
    public init(viewer: String, format: Format, frames: Int, droppedFrames: Int) {
      self.viewer = viewer
      self.format = format
      self.frames = frames
      self.droppedFrames = droppedFrames
    }
  }
}

/// Ends a preview.
public enum StopPreview: CameraMethod {
  /// The method's name on the wire.
  public static let name = "StopPreview"
  /// Which one.
  public struct Parameters: Codable, Sendable {
    /// The id that `Preview` answered.
    public var viewer: String
    /// Parameters of these values.
    public init(viewer: String) { self.viewer = viewer }
  }
  /// There is nothing to say.
  public typealias Reply = Nothing
}

/// Everything that happens, from now on.
public enum Subscribe: CameraMethod {
  /// The method's name on the wire.
  public static let name = "Subscribe"
  /// Which kinds; nil for all.
  public struct Parameters: Codable, Sendable {
    /// Only these; nil for all.
    public var kinds: [EventKind]?
    /// Parameters of these values.
    public init(kinds: [EventKind]? = nil) { self.kinds = kinds }
  }
  /// One of many answers.
  public struct Reply: Codable, Sendable {
    /// What happened.
    public var event: Event
    /// An answer of these values.
    public init(event: Event) { self.event = event }
  }
}

/// The camera that a method acts on.
public struct CameraSelection: Codable, Sendable {
  /// Its id, its position, or the id of its hardware; nil for the selected one.
  public var camera: String?
  /// A selection of that camera.
  public init(camera: String? = nil) { self.camera = camera }
}
