/// The whole daemon now.
public enum GetStatus: CameraMethod {
  public static let name = "GetStatus"
  public typealias Parameters = Nothing
  /// The answer.
  public struct Reply: Codable, Sendable {
    public var status: Status
    public init(status: Status) { self.status = status }
  }
}

/// The cameras there are.
public enum ListCameras: CameraMethod {
  public static let name = "ListCameras"
  public typealias Parameters = Nothing
  /// The answer.
  public struct Reply: Codable, Sendable {
    public var cameras: [Camera]
    public init(cameras: [Camera]) { self.cameras = cameras }
  }
}

/// The microphones there are.
public enum ListMicrophones: CameraMethod {
  public static let name = "ListMicrophones"
  public typealias Parameters = Nothing
  /// The answer.
  public struct Reply: Codable, Sendable {
    public var microphones: [Microphone]
    public init(microphones: [Microphone]) { self.microphones = microphones }
  }
}

/// Takes a photo.
public enum TakePhoto: CameraMethod {
  public static let name = "TakePhoto"
  /// What to take; see the interface file.
  public struct Parameters: Codable, Sendable {
    public var camera: String?
    public var quality: Int?
    public var album: Bool?
    public var descriptor: Bool?
    public init(camera: String? = nil, quality: Int? = nil, album: Bool? = nil, descriptor: Bool? = nil) {
      self.camera = camera
      self.quality = quality
      self.album = album
      self.descriptor = descriptor
    }
  }
  /// The answer.
  public struct Reply: Codable, Sendable {
    public var asset: Asset
    /// Seconds.
    public var frameAge: Double
    /// Seconds.
    public var settled: Double?
    public var descriptor: Int?
    public init(asset: Asset, frameAge: Double, settled: Double? = nil, descriptor: Int? = nil) {
      self.asset = asset
      self.frameAge = frameAge
      self.settled = settled
      self.descriptor = descriptor
    }
  }
}

/// Starts a recording.
public enum StartRecording: CameraMethod {
  public static let name = "StartRecording"
  /// What to record; see the interface file.
  public struct Parameters: Codable, Sendable {
    public var camera: String?
    public var quality: Quality?
    /// Seconds; 0 for no limit.
    public var maxDuration: Double?
    /// Bytes; 0 for no limit.
    public var maxBytes: Int?
    public var audio: Bool?
    public init(
      camera: String? = nil, quality: Quality? = nil, maxDuration: Double? = nil, maxBytes: Int? = nil,
      audio: Bool? = nil
    ) {
      self.camera = camera
      self.quality = quality
      self.maxDuration = maxDuration
      self.maxBytes = maxBytes
      self.audio = audio
    }
  }
  /// The answer.
  public struct Reply: Codable, Sendable {
    public var recording: RecordingStatus
    public init(recording: RecordingStatus) { self.recording = recording }
  }
}

/// Ends a recording; answers when the file is complete.
public enum StopRecording: CameraMethod {
  public static let name = "StopRecording"
  public typealias Parameters = CameraSelection
  public typealias Reply = RecordingResult
}

/// Ends a recording and discards it.
public enum CancelRecording: CameraMethod {
  public static let name = "CancelRecording"
  public typealias Parameters = CameraSelection
  /// The answer.
  public struct Reply: Codable, Sendable {
    /// Frames that were discarded.
    public var frames: Int
    public init(frames: Int) { self.frames = frames }
  }
}

/// Sets up a session for photos or for movies.
public enum SetMode: CameraMethod {
  public static let name = "SetMode"
  /// Which mode.
  public struct Parameters: Codable, Sendable {
    public var camera: String?
    public var mode: CaptureMode
    public init(camera: String? = nil, mode: CaptureMode) {
      self.camera = camera
      self.mode = mode
    }
  }
  /// The answer.
  public struct Reply: Codable, Sendable {
    public var camera: String
    public var mode: CaptureMode
    /// The recording that ran and was finished first.
    public var finished: RecordingResult?
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
  public static let name = "Preview"
  /// What to stream; see the interface file.
  public struct Parameters: Codable, Sendable {
    public var camera: String?
    /// The index of the descriptor that came with the call.
    public var output: Int?
    public var format: PreviewFormat?
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
  public static let name = "StopPreview"
  /// Which one.
  public struct Parameters: Codable, Sendable {
    public var viewer: String
    public init(viewer: String) { self.viewer = viewer }
  }
  public typealias Reply = Nothing
}

/// Everything that happens, from now on.
public enum Subscribe: CameraMethod {
  public static let name = "Subscribe"
  /// Which kinds; nil for all.
  public struct Parameters: Codable, Sendable {
    public var kinds: [EventKind]?
    public init(kinds: [EventKind]? = nil) { self.kinds = kinds }
  }
  /// One of many answers.
  public struct Reply: Codable, Sendable {
    public var event: Event
    public init(event: Event) { self.event = event }
  }
}

/// The camera that a method acts on; nil for the default one.
public struct CameraSelection: Codable, Sendable {
  public var camera: String?
  public init(camera: String? = nil) { self.camera = camera }
}
