extension PhotoPieces {
  /// The block goes behind the header: readers look for it in front of the picture.
  mutating func addPNG(_ picture: UnsafeRawBufferPointer, _ exif: [UInt8]) throws(PhotoFileError) {
    let header = 8 + 25
    guard picture.count > header, picture.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
      picture[12..<16].elementsEqual("IHDR".utf8)
    else { throw PhotoFileError(description: "the picture is not a PNG") }
    add(0..<header)
    let body = Array("eXIf".utf8) + exif
    add(bigEndian(exif.count, 4) + body + bigEndian(Int(Self.checksum(body)), 4))
    add(header..<picture.count)
  }

  /// CRC-32 as PNG has it. Bit by bit: it is for some hundred bytes.
  static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var checksum = UInt32.max
    for byte in bytes {
      checksum ^= UInt32(byte)
      for _ in 0..<8 { checksum = checksum >> 1 ^ (checksum & 1 == 1 ? 0xEDB8_8320 : 0) }
    }
    return ~checksum
  }
}
