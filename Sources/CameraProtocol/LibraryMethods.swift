/// A circle on the earth's surface.
public struct Circle: Codable, Sendable, Equatable {
  /// Degrees, -90 to 90.
  public var latitude: Double
  /// Degrees, -180 to 180.
  public var longitude: Double
  /// From the centre to the edge.
  public var kilometres: Double
  /// A circle of these values.
  public init(latitude: Double, longitude: Double, kilometres: Double) {
    self.latitude = latitude
    self.longitude = longitude
    self.kilometres = kilometres
  }
}

/// What is in the album, the newest first, a page at a time.
public enum ListAssets: CameraMethod {
  /// The method's name on the wire.
  public static let name = "ListAssets"
  /// Which of them; see the interface file.
  public struct Parameters: Codable, Sendable, Equatable {
    /// Only these kinds; nil for all.
    public var kinds: [AssetKind]?
    /// Only of that camera: an id, or a position.
    public var camera: String?
    /// Only of that moment or later.
    public var since: Timestamp?
    /// Only from before that moment.
    public var until: Timestamp?
    /// Only from within that circle.
    public var near: Circle?
    /// Only those that are marked, or that aren't.
    public var favorite: Bool?
    /// Only those that come from there.
    public var origin: AssetOrigin?
    /// Only those that stand so; nil for `ok`.
    public var state: AssetState?
    /// At most so many, 1 to 1000; nil for 50.
    public var limit: Int?
    /// Goes on behind the page of which this was `next`.
    public var after: String?
    /// Parameters of these values.
    public init(
      kinds: [AssetKind]? = nil, camera: String? = nil, since: Timestamp? = nil, until: Timestamp? = nil,
      near: Circle? = nil, favorite: Bool? = nil, origin: AssetOrigin? = nil, state: AssetState? = nil,
      limit: Int? = nil, after: String? = nil
    ) {
      self.kinds = kinds
      self.camera = camera
      self.since = since
      self.until = until
      self.near = near
      self.favorite = favorite
      self.origin = origin
      self.state = state
      self.limit = limit
      self.after = after
    }
  }
  /// The answer.
  public struct Reply: Codable, Sendable, Equatable {
    /// The page.
    public var assets: [Asset]
    /// How many there are on all pages.
    public var total: Int
    /// For `after`, where there is more.
    public var next: String?
    /// Whether the album's files are being read: there may be more.
    public var scanning: Bool
    /// An answer of these values.
    public init(assets: [Asset], total: Int, next: String?, scanning: Bool) {
      self.assets = assets
      self.total = total
      self.next = next
      self.scanning = scanning
    }
  }
}

/// What is known of an asset.
public enum GetAsset: CameraMethod {
  /// The method's name on the wire.
  public static let name = "GetAsset"
  /// Which one.
  public struct Parameters: Codable, Sendable {
    /// Its id.
    public var id: String
    /// Parameters of these values.
    public init(id: String) { self.id = id }
  }
  /// The answer.
  public struct Reply: Codable, Sendable {
    /// The asset.
    public var asset: Asset
    /// An answer of these values.
    public init(asset: Asset) { self.asset = asset }
  }
}

/// Hands over an asset's bytes.
public enum OpenAsset: CameraMethod {
  /// The method's name on the wire.
  public static let name = "OpenAsset"
  /// Which one.
  public typealias Parameters = GetAsset.Parameters
  /// The answer.
  public struct Reply: Codable, Sendable {
    /// The asset.
    public var asset: Asset
    /// The index of the readable descriptor that comes with the answer.
    public var descriptor: Int
    /// An answer of these values.
    public init(asset: Asset, descriptor: Int) {
      self.asset = asset
      self.descriptor = descriptor
    }
  }
}

/// Marks assets, or takes the mark away.
public enum SetFavorite: CameraMethod {
  /// The method's name on the wire.
  public static let name = "SetFavorite"
  /// Which ones.
  public struct Parameters: Codable, Sendable {
    /// Their ids.
    public var ids: [String]
    /// Whether they are marked.
    public var favorite: Bool
    /// Parameters of these values.
    public init(ids: [String], favorite: Bool) {
      self.ids = ids
      self.favorite = favorite
    }
  }
  /// The answer.
  public typealias Reply = AssetList
}

/// Some assets.
public struct AssetList: Codable, Sendable {
  /// As they are now, or were when they went.
  public var assets: [Asset]
  /// A list of these.
  public init(assets: [Asset]) { self.assets = assets }
}

/// Puts assets into the trash, or removes them for good.
public enum DeleteAssets: CameraMethod {
  /// The method's name on the wire.
  public static let name = "DeleteAssets"
  /// Which ones.
  public struct Parameters: Codable, Sendable {
    /// Their ids.
    public var ids: [String]
    /// For good, from the trash as well; nil means no.
    public var permanently: Bool?
    /// Parameters of these values.
    public init(ids: [String], permanently: Bool? = nil) {
      self.ids = ids
      self.permanently = permanently
    }
  }
  /// The answer.
  public typealias Reply = AssetList
}

/// Takes assets out of the trash.
public enum RestoreAssets: CameraMethod {
  /// The method's name on the wire.
  public static let name = "RestoreAssets"
  /// Which ones.
  public struct Parameters: Codable, Sendable {
    /// Their ids.
    public var ids: [String]
    /// Parameters of these values.
    public init(ids: [String]) { self.ids = ids }
  }
  /// The answer.
  public typealias Reply = AssetList
}

/// Removes for good what is in the trash.
public enum EmptyTrash: CameraMethod {
  /// The method's name on the wire.
  public static let name = "EmptyTrash"
  /// There are none.
  public typealias Parameters = Nothing
  /// The answer.
  public struct Reply: Codable, Sendable {
    /// How many there were.
    public var files: Int
    /// How large they were together.
    public var bytes: Int
    /// An answer of these values.
    public init(files: Int, bytes: Int) {
      self.files = files
      self.bytes = bytes
    }
  }
}
