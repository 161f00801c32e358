/// A sequence parameter set of H.264 (ITU-T H.264, 7.3.2.1.1), as far as an edge has to be like its neighbour.
struct SequenceParameters {
  /// What the picture looks like: the parts of the VUI that players go by.
  struct Appearance {
    var aspectRatio: UInt32?
    var extendedRatio: (width: UInt32, height: UInt32)?
    /// Format, full range, and where they are known primaries, transfer and matrix.
    var signal: (format: UInt32, isFull: Bool, colours: UInt32?)?
    var chromaLocation: (top: UInt32, bottom: UInt32)?
    var timing: (unit: UInt32, scale: UInt32, isFixed: Bool)?
    /// Pictures that are shown in another order than decoded, and that a decoder keeps.
    var reordering: (frames: UInt32, buffer: UInt32)?
  }

  var profile: UInt32
  var level: UInt32
  var number: UInt32
  /// 1 for 4:2:0.
  var chromaFormat: UInt32 = 1
  var bitDepth: UInt32 = 8
  var references: UInt32
  var isProgressive: Bool
  var appearance = Appearance()
  /// The bit that says whether a VUI follows.
  private var end: Int

  private static let extendedProfiles: Set<UInt32> = [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]

  /// Reads a NAL unit; nil where it is none of this kind or contradicts itself.
  init?(_ unit: [UInt8]) {
    var reader = BitReader(unit: unit)
    guard reader.bits(8) & 31 == 7 else { return nil }
    profile = reader.bits(8)
    _ = reader.bits(8)
    level = reader.bits(8)
    number = reader.unsigned()
    if Self.extendedProfiles.contains(profile) {
      chromaFormat = reader.unsigned()
      if chromaFormat == 3 { _ = reader.flag() }
      bitDepth = 8 &+ reader.unsigned()
      _ = reader.unsigned()
      _ = reader.flag()
      if reader.flag() {
        for index in 0..<(chromaFormat == 3 ? 12 : 8) where reader.flag() {
          Self.skipScalingList(&reader, index < 6 ? 16 : 64)
        }
      }
    }
    _ = reader.unsigned()
    switch reader.unsigned() {
    case 0: _ = reader.unsigned()
    case 1:
      _ = reader.flag()
      _ = reader.signed()
      _ = reader.signed()
      let count = reader.unsigned()
      guard count < 256 else { return nil }
      for _ in 0..<count { _ = reader.signed() }
    default: break
    }
    references = reader.unsigned()
    _ = reader.flag()
    _ = reader.unsigned()
    _ = reader.unsigned()
    isProgressive = reader.flag()
    if !isProgressive { _ = reader.flag() }
    _ = reader.flag()
    if reader.flag() { for _ in 0..<4 { _ = reader.unsigned() } }
    end = reader.position
    guard number < 32, references <= 16, bitDepth <= 14, end < reader.count else { return nil }
    if reader.flag() { appearance = Self.appearance(&reader) }
  }

  private static func skipScalingList(_ reader: inout BitReader, _ size: Int) {
    var (last, next) = (8, 8)
    for _ in 0..<size {
      if next != 0 { next = (last + reader.signed() + 256) & 0xFF }
      last = next == 0 ? last : next
    }
  }

  private static func appearance(_ reader: inout BitReader) -> Appearance {
    var appearance = Appearance()
    if reader.flag() {
      let ratio = reader.bits(8)
      appearance.aspectRatio = ratio
      if ratio == 255 { appearance.extendedRatio = (reader.bits(16), reader.bits(16)) }
    }
    if reader.flag() { _ = reader.flag() }
    if reader.flag() {
      let (format, isFull) = (reader.bits(3), reader.flag())
      appearance.signal = (format, isFull, reader.flag() ? reader.bits(24) : nil)
    }
    if reader.flag() { appearance.chromaLocation = (reader.unsigned(), reader.unsigned()) }
    if reader.flag() { appearance.timing = (reader.bits(32), reader.bits(32), reader.flag()) }
    var hasDelay = false
    for _ in 0..<2 where reader.flag() {
      hasDelay = true
      let count = reader.unsigned()
      guard count < 32 else { return appearance }
      _ = reader.bits(8)
      for _ in 0...count {
        _ = reader.unsigned()
        _ = reader.unsigned()
        _ = reader.flag()
      }
      _ = reader.bits(20)
    }
    if hasDelay { _ = reader.flag() }
    _ = reader.flag()
    guard reader.flag() else { return appearance }
    _ = reader.flag()
    for _ in 0..<4 { _ = reader.unsigned() }
    let (frames, buffer) = (reader.unsigned(), reader.unsigned())
    if frames <= 16, buffer <= 16 { appearance.reordering = (frames, buffer) }
    return appearance
  }

  /// The unit that this was read from, with a number of its own and the level and the appearance of another, so that a
  /// player sees no difference.
  func unit(_ unit: [UInt8], number: UInt32, like other: SequenceParameters) -> [UInt8] {
    var reader = BitReader(unit: unit)
    var writer = BitWriter()
    writer.copy(&reader, to: 24)
    _ = reader.bits(8)
    writer.bits(other.level, 8)
    _ = reader.unsigned()
    writer.unsigned(number)
    writer.copy(&reader, to: end)
    let look = other.appearance
    writer.flag(true)
    writer.flag(look.aspectRatio != nil)
    if let ratio = look.aspectRatio { writer.bits(ratio, 8) }
    if let (width, height) = look.extendedRatio {
      writer.bits(width, 16)
      writer.bits(height, 16)
    }
    writer.flag(false)
    writer.flag(look.signal != nil)
    if let signal = look.signal {
      writer.bits(signal.format, 3)
      writer.flag(signal.isFull)
      writer.flag(signal.colours != nil)
      if let colours = signal.colours { writer.bits(colours, 24) }
    }
    writer.flag(look.chromaLocation != nil)
    if let location = look.chromaLocation {
      writer.unsigned(location.top)
      writer.unsigned(location.bottom)
    }
    writer.flag(look.timing != nil)
    if let timing = look.timing {
      writer.bits(timing.unit, 32)
      writer.bits(timing.scale, 32)
      writer.flag(timing.isFixed)
    }
    writer.flag(false)
    writer.flag(false)
    writer.flag(false)
    writer.flag(look.reordering != nil)
    if let (frames, buffer) = look.reordering {
      writer.flag(true)
      for limit: UInt32 in [0, 0, 15, 15] { writer.unsigned(limit) }
      writer.unsigned(frames)
      writer.unsigned(max(buffer, references))
    }
    return writer.unit()
  }
}
