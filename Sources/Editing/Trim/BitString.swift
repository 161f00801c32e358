/// Reads the fields of a parameter set or a slice's header bit by bit (ITU-T H.264, 7.2 and 9.1).
struct BitReader {
  private let bytes: [UInt8]
  private(set) var position = 0

  /// Reads the payload of a NAL unit, its header byte included, without the bytes that keep start codes away.
  init(unit: [UInt8]) { bytes = Self.unescaped(unit) }

  /// The bits before the one that ends the payload.
  var count: Int {
    guard let last = bytes.lastIndex(where: { $0 != 0 }) else { return 0 }
    return last * 8 + 7 - bytes[last].trailingZeroBitCount
  }

  /// The next bits as a number, at most 32. Behind the end all are 0.
  mutating func bits(_ count: Int) -> UInt32 {
    guard count > 0 else { return 0 }
    var value: UInt64 = 0
    for index in position >> 3...(position + count - 1) >> 3 {
      value = value << 8 | UInt64(index < bytes.count ? bytes[index] : 0)
    }
    position += count
    return UInt32(value >> UInt64(-position & 7) & (1 << UInt64(count) - 1))
  }

  mutating func flag() -> Bool { bits(1) == 1 }

  /// An unsigned Exp-Golomb number.
  mutating func unsigned() -> UInt32 {
    var zeros = 0
    while zeros < 32, position < bytes.count * 8, bits(1) == 0 { zeros += 1 }
    guard zeros < 32 else { return .max }
    return (1 << UInt32(zeros)) - 1 + bits(zeros)
  }

  /// A signed Exp-Golomb number.
  mutating func signed() -> Int {
    let value = Int(unsigned())
    return value & 1 == 1 ? (value + 1) / 2 : -value / 2
  }

  private static func unescaped(_ unit: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(unit.count)
    var zeros = 0
    for byte in unit {
      if zeros >= 2, byte == 3 {
        zeros = 0
        continue
      }
      zeros = byte == 0 ? zeros + 1 : 0
      result.append(byte)
    }
    return result
  }
}

/// Writes such fields.
struct BitWriter {
  private var bytes: [UInt8] = []
  /// Bits that don't fill a byte yet, and their number.
  private var rest: (bits: UInt64, count: Int) = (0, 0)

  /// Writes the lowest bits of a number, at most 32.
  mutating func bits(_ value: UInt32, _ count: Int) {
    guard count > 0 else { return }
    rest.bits = rest.bits << UInt64(count) | UInt64(value) & (1 << UInt64(count) - 1)
    rest.count += count
    while rest.count >= 8 {
      rest.count -= 8
      bytes.append(UInt8(truncatingIfNeeded: rest.bits >> UInt64(rest.count)))
    }
  }

  mutating func flag(_ value: Bool) { bits(value ? 1 : 0, 1) }

  mutating func unsigned(_ value: UInt32) {
    let width = 32 - (value &+ 1).leadingZeroBitCount
    bits(0, width - 1)
    bits(value &+ 1, width)
  }

  /// Copies the bits up to a position.
  mutating func copy(_ reader: inout BitReader, to position: Int) {
    while reader.position < position {
      let count = min(32, position - reader.position)
      bits(reader.bits(count), count)
    }
  }

  /// The NAL unit, ended, with the bytes that keep start codes away.
  mutating func unit() -> [UInt8] {
    bits(1, 1)
    if rest.count > 0 { bits(0, 8 - rest.count) }
    var result: [UInt8] = []
    var zeros = 0
    for byte in bytes {
      if zeros >= 2, byte <= 3 {
        result.append(3)
        zeros = 0
      }
      zeros = byte == 0 ? zeros + 1 : 0
      result.append(byte)
    }
    return result
  }
}
