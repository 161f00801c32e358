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

  var isAtEnd: Bool { position >= count }

  /// The next bits as a number, at most 32. Behind the end all are 0.
  mutating func bits(_ count: Int) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<count {
      let byte = position >> 3
      let bit = byte < bytes.count ? bytes[byte] >> UInt8(7 - position & 7) & 1 : 0
      value = value << 1 | UInt32(bit)
      position += 1
    }
    return value
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
  private var free = 0

  mutating func bits(_ value: UInt32, _ count: Int) {
    for index in stride(from: count - 1, through: 0, by: -1) {
      if free == 0 {
        bytes.append(0)
        free = 8
      }
      free -= 1
      bytes[bytes.count - 1] |= UInt8(value >> UInt32(index) & 1) << UInt8(free)
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
    free = 0
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
