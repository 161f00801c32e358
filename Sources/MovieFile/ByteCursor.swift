/// Reads big-endian numbers from bytes in memory; past the end it throws.
struct ByteCursor {
  let bytes: [UInt8]
  var position: Int
  let end: Int

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    position = 0
    end = bytes.count
  }

  /// A part of the bytes; the range must lie within them.
  init(_ bytes: [UInt8], in range: Range<Int>) {
    self.bytes = bytes
    position = range.lowerBound
    end = min(range.upperBound, bytes.count)
  }

  var remaining: Int { end - position }

  mutating func uint(_ width: Int) throws(MovieFileError) -> UInt64 {
    guard remaining >= width else { throw MovieFileError(.damaged, "a box ends before its last field") }
    var value: UInt64 = 0
    for index in position..<position + width {
      value = value << 8 | UInt64(bytes[index])
    }
    position += width
    return value
  }

  mutating func uint16() throws(MovieFileError) -> UInt16 { UInt16(truncatingIfNeeded: try uint(2)) }

  mutating func uint32() throws(MovieFileError) -> UInt32 { UInt32(truncatingIfNeeded: try uint(4)) }

  mutating func uint64() throws(MovieFileError) -> UInt64 { try uint(8) }

  mutating func code() throws(MovieFileError) -> FourCharacterCode { FourCharacterCode(rawValue: try uint32()) }

  mutating func skip(_ count: Int) throws(MovieFileError) {
    guard count >= 0, remaining >= count else { throw MovieFileError(.damaged, "a box ends before its last field") }
    position += count
  }

  /// Version and flags of a full box.
  mutating func versionAndFlags() throws(MovieFileError) -> (version: UInt8, flags: UInt32) {
    let word = try uint32()
    return (UInt8(word >> 24), word & 0xFF_FFFF)
  }

  /// The next box within these bytes; nil at their end or where what follows is no box.
  mutating func nextBox() throws(MovieFileError) -> (type: FourCharacterCode, range: Range<Int>)? {
    guard remaining >= 8 else { return nil }
    let start = position
    var size = try uint(4)
    let type = try code()
    if size == 1 { size = try uint64() }
    if size == 0 { size = UInt64(end - start) }
    guard size >= UInt64(position - start), size <= UInt64(end - start) else {
      throw MovieFileError(.damaged, "the box '\(type.text)' is larger than the one around it")
    }
    let range = position..<start + Int(size)
    position = range.upperBound
    return (type, range)
  }
}
