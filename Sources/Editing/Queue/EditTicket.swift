public import CameraProtocol
public import MediaLibrary

/// An edit that was taken on.
public struct EditTicket: Sendable {
  /// Something about it that is new.
  public struct Update: Sendable {
    /// How it stands.
    public var edit: Edit
    /// Why it came to nothing; nil unless it did.
    public var error: CameraError?
    /// Whether nothing of the picture was lost; nil where that isn't known, or it is a movie.
    public var isLossless: Bool?
    /// What was made, to be read from its beginning, where that is wanted.
    public var file: AssetDescriptor?
  }

  /// The edit's id.
  public let id: String
  /// What it is made of.
  public let original: Asset
  /// The newest about it, from how it stands now to its end. One reader; one that comes late misses what is between.
  public let updates: AsyncStream<Update>
}
