/// Chooses the camera of all requests that name none.
public enum SelectCamera: CameraMethod {
  /// The method's name on the wire.
  public static let name = "SelectCamera"
  /// Which one.
  public struct Parameters: Codable, Sendable {
    /// Its id, its position, or the id of its hardware.
    public var camera: String
    /// Parameters of these values.
    public init(camera: String) { self.camera = camera }
  }
  /// The answer.
  public struct Reply: Codable, Sendable {
    /// The id of the camera that is selected now.
    public var camera: String
    /// The recording of the one before, which ran and was finished first.
    public var finished: RecordingResult?
    /// An answer of these values.
    public init(camera: String, finished: RecordingResult? = nil) {
      self.camera = camera
      self.finished = finished
    }
  }
}

/// Chooses the microphone of the movies.
public enum SelectMicrophone: CameraMethod {
  /// The method's name on the wire.
  public static let name = "SelectMicrophone"
  /// Which one.
  public struct Parameters: Codable, Sendable {
    /// Its id.
    public var microphone: String
    /// Parameters of these values.
    public init(microphone: String) { self.microphone = microphone }
  }
  /// The answer.
  public struct Reply: Codable, Sendable {
    /// The id of the microphone that is selected now.
    public var microphone: String
    /// An answer of these values.
    public init(microphone: String) { self.microphone = microphone }
  }
}

/// Why something can't be had now.
public enum UnavailableReason: String, Codable, Sendable, CaseIterable {
  /// There is none.
  case absent
  /// Another program has it.
  case busy
  /// The daemon's user may not use it.
  case noPermission
  /// Nothing is in it.
  case empty
}

/// Whether a source of pictures can be used, and for what.
public struct Availability: Codable, Sendable, Equatable {
  /// Whether it can be used now.
  public var available: Bool
  /// Why not; nil where it can.
  public var reason: UnavailableReason?
  /// The same for people.
  public var message: String?
  /// What it offers.
  public var mediaTypes: [MediaType]
  /// The modes it offers; none for the album.
  public var modes: [CaptureMode]

  /// What is available.
  public init(mediaTypes: [MediaType], modes: [CaptureMode]) {
    (available, self.mediaTypes, self.modes) = (true, mediaTypes, modes)
  }

  /// What is not available, and why.
  public init(missing reason: UnavailableReason, message: String) {
    (available, mediaTypes, modes) = (false, [], [])
    (self.reason, self.message) = (reason, message)
  }
}

/// Whether there is a camera, what it can do, and whether the album holds anything.
public enum GetAvailability: CameraMethod {
  /// The method's name on the wire.
  public static let name = "GetAvailability"
  /// The camera that is asked for; nil for the selected one.
  public typealias Parameters = CameraSelection
  /// The answer.
  public struct Reply: Codable, Sendable {
    /// The id of the camera that was meant; nil where there is none.
    public var id: String?
    /// The camera.
    public var camera: Availability
    /// Whether the camera has a light.
    public var flash: Bool
    /// The album.
    public var album: Availability
    /// An answer of these values.
    public init(id: String?, camera: Availability, flash: Bool, album: Availability) {
      self.id = id
      self.camera = camera
      self.flash = flash
      self.album = album
    }
  }
}
