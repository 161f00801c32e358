/// Cuts a movie's beginning and end off.
public enum TrimMovie: CameraMethod {
  /// The method's name on the wire.
  public static let name = "TrimMovie"
  /// What to cut; see the interface file.
  public struct Parameters: Codable, Sendable {
    /// The movie; nil for the newest one.
    public var id: String?
    /// Seconds from the movie's beginning, below 0 from its end.
    public var start: Double
    /// Seconds from the movie's beginning, below 0 from its end; nil for its end.
    public var end: Double?
    /// End the edit when this connection ends; nil means false.
    public var cancelOnDisconnect: Bool?
    /// Keep what is made in the album; nil means true.
    public var album: Bool?
    /// Hand over a descriptor of what is made; nil means false.
    public var descriptor: Bool?
    /// Parameters of these values.
    public init(
      id: String? = nil, start: Double, end: Double? = nil, cancelOnDisconnect: Bool? = nil, album: Bool? = nil,
      descriptor: Bool? = nil
    ) {
      self.id = id
      self.start = start
      self.end = end
      self.cancelOnDisconnect = cancelOnDisconnect
      self.album = album
      self.descriptor = descriptor
    }
  }
  /// The answer.
  public typealias Reply = EditReply
}

/// Takes a part of a photo, or turns it.
public enum CropPhoto: CameraMethod {
  /// The method's name on the wire.
  public static let name = "CropPhoto"
  /// What to do; see the interface file.
  public struct Parameters: Codable, Sendable {
    /// The photo; nil for the newest one.
    public var id: String?
    /// The part, in pixels of the picture as it is shown; nil for all of it.
    public var crop: Rectangle?
    /// Degrees clockwise by which that is turned, 0, 90, 180 or 270; nil means 0.
    public var rotation: Int?
    /// End the edit when this connection ends; nil means false.
    public var cancelOnDisconnect: Bool?
    /// Keep what is made in the album; nil means true.
    public var album: Bool?
    /// Hand over a descriptor of what is made; nil means false.
    public var descriptor: Bool?
    /// Parameters of these values.
    public init(
      id: String? = nil, crop: Rectangle? = nil, rotation: Int? = nil, cancelOnDisconnect: Bool? = nil,
      album: Bool? = nil, descriptor: Bool? = nil
    ) {
      self.id = id
      self.crop = crop
      self.rotation = rotation
      self.cancelOnDisconnect = cancelOnDisconnect
      self.album = album
      self.descriptor = descriptor
    }
  }
  /// The answer.
  public typealias Reply = EditReply
}

/// Makes a smaller movie of a movie.
public enum TranscodeMovie: CameraMethod {
  /// The method's name on the wire.
  public static let name = "TranscodeMovie"
  /// What to make; see the interface file.
  public struct Parameters: Codable, Sendable {
    /// The movie; nil for the newest one.
    public var id: String?
    /// The preset.
    public var quality: Quality
    /// Seconds after which the new movie ends; nil for all of it.
    public var maxDuration: Double?
    /// End the edit when this connection ends; nil means false.
    public var cancelOnDisconnect: Bool?
    /// Keep what is made in the album; nil means true.
    public var album: Bool?
    /// Hand over a descriptor of what is made; nil means false.
    public var descriptor: Bool?
    /// Parameters of these values.
    public init(
      id: String? = nil, quality: Quality, maxDuration: Double? = nil, cancelOnDisconnect: Bool? = nil,
      album: Bool? = nil, descriptor: Bool? = nil
    ) {
      self.id = id
      self.quality = quality
      self.maxDuration = maxDuration
      self.cancelOnDisconnect = cancelOnDisconnect
      self.album = album
      self.descriptor = descriptor
    }
  }
  /// The answer.
  public typealias Reply = EditReply
}

/// The answer to what edits an asset, or one of several.
public struct EditReply: Codable, Sendable {
  /// How the edit stands.
  public var edit: Edit
  /// What it is made of.
  public var original: Asset
  /// What it made; nil in answers that come before the last one.
  public var edited: Asset?
  /// The part of a photo that was taken, in the pixels of `original` as it is shown; nil for all of it.
  public var crop: Rectangle?
  /// Whether nothing of the picture was lost; nil where that isn't known yet, or it is a movie.
  public var lossless: Bool?
  /// The index of the descriptor of what was made among those that came with the answer.
  public var descriptor: Int?
  /// An answer of these values.
  public init(
    edit: Edit, original: Asset, edited: Asset? = nil, crop: Rectangle? = nil, lossless: Bool? = nil,
    descriptor: Int? = nil
  ) {
    self.edit = edit
    self.original = original
    self.edited = edited
    self.crop = crop
    self.lossless = lossless
    self.descriptor = descriptor
  }
}

/// Ends an edit; nothing of it is left.
public enum CancelEdit: CameraMethod {
  /// The method's name on the wire.
  public static let name = "CancelEdit"
  /// Which one.
  public struct Parameters: Codable, Sendable {
    /// The edit's id.
    public var id: String
    /// Parameters of these values.
    public init(id: String) { self.id = id }
  }
  /// The answer.
  public struct Reply: Codable, Sendable {
    /// How it stands now.
    public var edit: Edit
    /// An answer of these values.
    public init(edit: Edit) { self.edit = edit }
  }
}

/// The edits that wait, run, or have ended not long ago.
public enum ListEdits: CameraMethod {
  /// The method's name on the wire.
  public static let name = "ListEdits"
  /// There are none.
  public typealias Parameters = Nothing
  /// The answer.
  public struct Reply: Codable, Sendable {
    /// In the order in which they were asked for.
    public var edits: [Edit]
    /// An answer of these values.
    public init(edits: [Edit]) { self.edits = edits }
  }
}

/// Whether an asset or a file can be edited.
public enum CanEdit: CameraMethod {
  /// The method's name on the wire.
  public static let name = "CanEdit"
  /// What is asked about.
  public struct Parameters: Codable, Sendable {
    /// The asset.
    public var id: String?
    /// The index of a readable descriptor of a file among those that came with the call, in place of an asset.
    public var descriptor: Int?
    /// Parameters of these values.
    public init(id: String? = nil, descriptor: Int? = nil) {
      self.id = id
      self.descriptor = descriptor
    }
  }
  /// The answer.
  public struct Reply: Codable, Sendable, Equatable {
    /// Whether its beginning and end can be cut off.
    public var trim: EditPossibility
    /// Whether a part of it can be taken, and whether it can be turned.
    public var crop: EditPossibility
    /// Whether a smaller movie can be made of it.
    public var transcode: EditPossibility
    /// The presets that are smaller than it is.
    public var qualities: [Quality]
    /// An answer of these values.
    public init(
      trim: EditPossibility, crop: EditPossibility, transcode: EditPossibility, qualities: [Quality] = []
    ) {
      self.trim = trim
      self.crop = crop
      self.transcode = transcode
      self.qualities = qualities
    }
  }
}
