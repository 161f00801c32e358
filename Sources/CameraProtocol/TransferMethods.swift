/// Copies a file into the album.
public enum ImportAsset: CameraMethod {
  /// The method's name on the wire.
  public static let name = "ImportAsset"
  /// Which file.
  public struct Parameters: Codable, Sendable {
    /// The index of its descriptor among those that come with the call.
    public var descriptor: Int
    /// What it is called in errors; nil for no name.
    public var name: String?
    /// Parameters of these values.
    public init(descriptor: Int, name: String? = nil) {
      self.descriptor = descriptor
      self.name = name
    }
  }
  /// An answer; the last one has the asset.
  public struct Reply: Codable, Sendable {
    /// Bytes that are copied.
    public var copied: Int
    /// Bytes that the file has.
    public var bytes: Int
    /// What it is in the album.
    public var asset: Asset?
    /// Whether the asset was there before, and nothing was done.
    public var duplicate: Bool?
    /// An answer of these values.
    public init(copied: Int, bytes: Int, asset: Asset? = nil, duplicate: Bool? = nil) {
      self.copied = copied
      self.bytes = bytes
      self.asset = asset
      self.duplicate = duplicate
    }
  }
}

/// Writes an asset's bytes to a file of the client.
public enum ExportAsset: CameraMethod {
  /// The method's name on the wire.
  public static let name = "ExportAsset"
  /// Which asset, and where to.
  public struct Parameters: Codable, Sendable {
    /// The asset's id.
    public var id: String
    /// The index of the file's descriptor among those that come with the call.
    public var descriptor: Int
    /// Parameters of these values.
    public init(id: String, descriptor: Int) {
      self.id = id
      self.descriptor = descriptor
    }
  }
  /// The answer.
  public struct Reply: Codable, Sendable {
    /// What was exported.
    public var asset: Asset
    /// An answer of these values.
    public init(asset: Asset) { self.asset = asset }
  }
}
