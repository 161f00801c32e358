/// What an album keeps. Favourites are always kept.
public struct RetentionPolicy: Sendable, Equatable {
  /// Seconds that an asset is kept; nil for ever.
  public var maxAge: Double?
  /// Bytes that the album may have, its trash included; nil for no limit.
  public var maxSize: Int?
  /// Whether the oldest go where a capture would have less room than the reserve.
  public var removesOldest: Bool

  /// A policy of these values; nothing is removed by one without.
  public init(maxAge: Double? = nil, maxSize: Int? = nil, removesOldest: Bool = false) {
    self.maxAge = maxAge
    self.maxSize = maxSize
    self.removesOldest = removesOldest
  }
}
