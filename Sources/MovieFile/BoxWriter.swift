#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Writes numbers and boxes to a place in a file, a quarter of a mebibyte at a time.
struct BoxWriter {
  private static let capacity = 256 << 10

  private let descriptor: Int32
  private var offset: Int
  private var buffer: [UInt8] = []

  init(descriptor: Int32, offset: Int) {
    self.descriptor = descriptor
    self.offset = offset
    buffer.reserveCapacity(Self.capacity + 64)
  }

  mutating func append(_ bytes: [UInt8]) throws(MovieFileError) {
    buffer += bytes
    if buffer.count >= Self.capacity { try flush() }
  }

  mutating func uint(_ value: UInt64, _ width: Int) throws(MovieFileError) {
    for index in 0..<width { buffer.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * (width - 1 - index)))) }
    if buffer.count >= Self.capacity { try flush() }
  }

  mutating func uint32(_ value: UInt32) throws(MovieFileError) { try uint(UInt64(value), 4) }

  mutating func header(_ type: FourCharacterCode, size: Int) throws(MovieFileError) {
    try uint32(UInt32(truncatingIfNeeded: size))
    try uint32(type.rawValue)
  }

  /// The header of a table: version 0, then the number of entries.
  mutating func fullHeader(_ type: FourCharacterCode, size: Int, count: Int) throws(MovieFileError) {
    try header(type, size: size)
    try uint32(0)
    try uint32(UInt32(truncatingIfNeeded: count))
  }

  /// Writes what is still in memory.
  mutating func flush() throws(MovieFileError) {
    try Self.write(buffer, to: descriptor, at: offset)
    offset += buffer.count
    buffer.removeAll(keepingCapacity: true)
  }

  /// Writes all of the bytes at an offset.
  static func write(_ bytes: [UInt8], to descriptor: Int32, at offset: Int) throws(MovieFileError) {
    do throws(PositionedFile.Failure) {
      try PositionedFile.write(bytes, to: descriptor, at: offset)
    } catch {
      throw .system("can't write the movie's index", error.number)
    }
  }
}
