/// What a decoder of H.264 has to know beforehand: the payload of an `avcC` box (ISO/IEC 14496-15, 5.3.3).
struct AVCConfiguration: Equatable {
  /// Profile, constraints and level as the first bytes say.
  var profile: [UInt8]
  /// Bytes of the length before each NAL unit: 1, 2 or 4.
  var lengthSize: Int
  var sequenceSets: [[UInt8]]
  var pictureSets: [[UInt8]]
  /// What high profiles add.
  var rest: [UInt8]

  /// Reads it; nil where it contradicts itself.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 7, bytes[0] == 1 else { return nil }
    profile = Array(bytes[1...3])
    lengthSize = Int(bytes[4] & 3) + 1
    guard lengthSize != 3 else { return nil }
    var position = 5
    func sets(_ count: Int) -> [[UInt8]]? {
      var sets: [[UInt8]] = []
      for _ in 0..<count {
        guard position + 2 <= bytes.count else { return nil }
        let size = Int(bytes[position]) << 8 | Int(bytes[position + 1])
        guard size > 0, position + 2 + size <= bytes.count else { return nil }
        sets.append(Array(bytes[position + 2..<position + 2 + size]))
        position += 2 + size
      }
      return sets
    }
    position = 6
    guard let sequences = sets(Int(bytes[5] & 31)), position < bytes.count else { return nil }
    sequenceSets = sequences
    position += 1
    guard let pictures = sets(Int(bytes[position - 1])) else { return nil }
    pictureSets = pictures
    rest = Array(bytes[position...])
  }

  /// The payload.
  var bytes: [UInt8] {
    var bytes: [UInt8] = [1]
    bytes += profile
    bytes += [0xFC | UInt8(lengthSize - 1), 0xE0 | UInt8(sequenceSets.count)]
    for set in sequenceSets { Self.append(set, to: &bytes) }
    bytes.append(UInt8(pictureSets.count))
    for set in pictureSets { Self.append(set, to: &bytes) }
    return bytes + rest
  }

  private static func append(_ set: [UInt8], to bytes: inout [UInt8]) {
    bytes += [UInt8(set.count >> 8 & 0xFF), UInt8(set.count & 0xFF)]
    bytes += set
  }

  /// A number that none of its parameter sets has, for both kinds; nil where all are taken.
  var freeNumber: UInt32? {
    let sequences = Set(sequenceSets.compactMap { SequenceParameters($0)?.number })
    let pictures = Set(pictureSets.map { PictureParameters($0).number })
    guard sequenceSets.count < 31, pictureSets.count < 255 else { return nil }
    return (0..<32).reversed().first { !sequences.contains($0) && !pictures.contains($0) }
  }

  /// The same with what another needs; their numbers must differ.
  func merging(_ other: AVCConfiguration) -> AVCConfiguration {
    var merged = self
    merged.sequenceSets += other.sequenceSets
    merged.pictureSets += other.pictureSets
    return merged
  }
}

/// The numbers in a picture parameter set.
struct PictureParameters {
  let number: UInt32
  /// Whether slices are coded arithmetically (CABAC).
  let isArithmetic: Bool

  init(_ unit: [UInt8]) {
    var reader = BitReader(unit: unit)
    _ = reader.bits(8)
    number = reader.unsigned()
    _ = reader.unsigned()
    isArithmetic = reader.flag()
  }

  /// A unit with other numbers, for itself and for the sequence's.
  static func renumbered(_ unit: [UInt8], _ number: UInt32) -> [UInt8] {
    var reader = BitReader(unit: unit)
    var writer = BitWriter()
    writer.copy(&reader, to: 8)
    for _ in 0..<2 {
      _ = reader.unsigned()
      writer.unsigned(number)
    }
    writer.copy(&reader, to: reader.count)
    return writer.unit()
  }

  /// A slice that names another picture parameter set. Only for slices that aren't coded arithmetically: those are bits
  /// from end to end, while the others have bytes.
  static func renumbered(slice unit: [UInt8], _ number: UInt32) -> [UInt8] {
    var reader = BitReader(unit: unit)
    var writer = BitWriter()
    writer.copy(&reader, to: 8)
    for _ in 0..<2 { writer.unsigned(reader.unsigned()) }
    _ = reader.unsigned()
    writer.unsigned(number)
    writer.copy(&reader, to: reader.count)
    return writer.unit()
  }
}
