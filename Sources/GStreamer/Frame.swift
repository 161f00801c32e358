/// A sample that is kept.
public final class Frame: Sendable {
  /// What is kept.
  public let sample: Sample

  /// Keeps a sample.
  public init(_ sample: consuming Sample) { self.sample = sample }
}

extension Sample {
  /// Whether it can be decoded with what is at hand: it needs no other sample, or has the one before it.
  public var isDecodable: Bool { !isDelta || predecessor != nil }
}

extension Frame {
  /// What has to be decoded to see it: the key frame that it goes back to and all that follow, itself last.
  public var history: [Frame] {
    var frames = [self]
    while let before = frames.last?.sample.predecessor { frames.append(before) }
    return frames.reversed()
  }
}
