/// A sample description: what a decoder has to know of the samples that have it.
public struct SampleEntry: Sendable, Equatable {
  /// Its four letters, such as `avc1` or `mp4a`.
  public let codec: String
  /// The whole box.
  let bytes: [UInt8]

  /// The entries of a whole `stsd` box.
  static func read(_ stsd: [UInt8]) throws(MovieFileError) -> [SampleEntry] {
    var cursor = ByteCursor(stsd)
    guard let box = try cursor.nextBox() else { throw MovieFileError(.damaged, "a sample description is cut") }
    var inner = ByteCursor(stsd, in: box.range)
    try inner.skip(8)
    var entries: [SampleEntry] = []
    var start = inner.position
    while let entry = try inner.nextBox(), entries.count < 64 {
      entries.append(SampleEntry(codec: entry.type.text, bytes: Array(stsd[start..<entry.range.upperBound])))
      start = entry.range.upperBound
    }
    guard !entries.isEmpty else { throw MovieFileError(.damaged, "a track has no sample description") }
    return entries
  }

  /// The payload of a box within it, such as `avcC`; nil where there is none. `kind`: what the entry describes.
  public func payload(of name: String, in kind: MovieTrack.Kind) -> [UInt8]? {
    range(of: FourCharacterCode(name), in: kind).map { Array(bytes[$0]) }
  }

  /// The same with another payload in a box within it.
  public func replacing(_ name: String, in kind: MovieTrack.Kind, with payload: [UInt8]) -> SampleEntry {
    guard let range = range(of: FourCharacterCode(name), in: kind), range.lowerBound >= 16 else { return self }
    var changed = Array(bytes[..<(range.lowerBound - 8)])
    changed += makeBox(FourCharacterCode(name), payload) + bytes[range.upperBound...]
    changed.replaceSubrange(0..<4, with: bigEndian(UInt64(changed.count), 4))
    return SampleEntry(codec: codec, bytes: changed)
  }

  /// Where the payload of a box within it lies. The box's header has 8 bytes.
  private func range(of type: FourCharacterCode, in kind: MovieTrack.Kind) -> Range<Int>? {
    // fields of the entry itself; those of QuickTime's sound have more where they say so
    var skip = kind == .video ? 86 : 36
    if kind == .audio, bytes.count > 18 {
      let version = Int(bytes[16]) << 8 | Int(bytes[17])
      skip += version == 1 ? 16 : version == 2 ? 36 : 0
    }
    guard bytes.count >= skip else { return nil }
    var cursor = ByteCursor(bytes, in: skip..<bytes.count)
    while true {
      let start = cursor.position
      guard let found = try? cursor.nextBox() else { return nil }
      if found.type == type { return found.range.lowerBound - start == 8 ? found.range : nil }
    }
  }
}
