/// How far the album's files have been read.
public struct RescanProgress: Codable, Sendable, Equatable {
  /// Files that were looked at so far.
  public var files = 0
  /// Files that there are.
  public var total = 0
  /// Assets that were not known.
  public var added = 0
  /// Assets whose files had changed or moved.
  public var changed = 0
  /// Assets whose files are gone.
  public var removed = 0
  /// Files among those that were added or had changed that can't be read.
  public var damaged = 0
  /// Nothing was read yet.
  public init() {}
}

/// Makes the index true to the files.
public enum RescanLibrary: CameraMethod {
  /// The method's name on the wire.
  public static let name = "RescanLibrary"
  /// There are none.
  public typealias Parameters = Nothing
  /// The answer.
  public struct Reply: Codable, Sendable {
    /// How far it is; in the last reply, what came of it.
    public var progress: RescanProgress
    /// An answer of these values.
    public init(progress: RescanProgress) { self.progress = progress }
  }
}

/// Why an asset is removed without being asked for.
public enum RetentionReason: String, Codable, Sendable, CaseIterable {
  /// It is older than is kept.
  case age
  /// The album is larger than it may be.
  case size
  /// The disk needs the room.
  case space
}

/// An asset that retention removes.
public struct RetiredAsset: Codable, Sendable, Equatable {
  /// The asset.
  public var asset: Asset
  /// Why.
  public var reason: RetentionReason
  /// One of these values.
  public init(asset: Asset, reason: RetentionReason) {
    self.asset = asset
    self.reason = reason
  }
}

/// Removes what the configuration doesn't want kept.
public enum ApplyRetention: CameraMethod {
  /// The method's name on the wire.
  public static let name = "ApplyRetention"
  /// How.
  public struct Parameters: Codable, Sendable {
    /// Only say what would be removed; nil means no.
    public var dryRun: Bool?
    /// Parameters of these values.
    public init(dryRun: Bool? = nil) { self.dryRun = dryRun }
  }
  /// The answer.
  public struct Reply: Codable, Sendable {
    /// What was removed, or would be, the oldest first.
    public var removed: [RetiredAsset]
    /// Their size together.
    public var bytes: Int
    /// An answer of these values.
    public init(removed: [RetiredAsset], bytes: Int) {
      self.removed = removed
      self.bytes = bytes
    }
  }
}
