extension PhotoPieces {
  private static let exifFlag: UInt8 = 0x08

  /// Metadata needs the extended kind of header, which an encoder leaves out for a plain picture. The block goes behind
  /// the picture.
  mutating func addWebP(_ picture: UnsafeRawBufferPointer, _ exif: [UInt8]) throws(PhotoFileError) {
    guard picture.count >= 30, picture.starts(with: "RIFF".utf8), picture[8..<12].elementsEqual("WEBP".utf8) else {
      throw PhotoFileError(description: "the picture is not a WebP")
    }
    func number(_ offset: Int, _ count: Int) -> Int {
      (0..<count).reduce(0) { $0 | Int(picture[offset + $1]) << (8 * $1) }
    }
    let size = number(4, 4) + 8
    guard size >= 30, size <= picture.count else { throw PhotoFileError(description: "the WebP is cut off") }
    var features: [UInt8]
    var start = 12
    switch String(decoding: picture[12..<16], as: UTF8.self) {
    case "VP8X":
      features = Array(picture[20..<30])
      start = 30
    case "VP8 ":
      // 14 bits each; the others ask a decoder to scale
      features = Self.features(width: number(26, 2) & 0x3FFF, height: number(28, 2) & 0x3FFF, alpha: false)
    case "VP8L":
      let bits = number(21, 4)
      features = Self.features(
        width: (bits & 0x3FFF) + 1, height: (bits >> 14 & 0x3FFF) + 1, alpha: bits >> 28 & 1 == 1)
    default: throw PhotoFileError(description: "the WebP has no picture")
    }
    features[0] |= Self.exifFlag
    let chunk = Array("EXIF".utf8) + littleEndian(exif.count, 4) + exif + (exif.count % 2 == 1 ? [0] : [])
    let total = 12 + 18 + (size - start) + chunk.count
    add(
      Array("RIFF".utf8) + littleEndian(total - 8, 4) + Array("WEBPVP8X".utf8) + littleEndian(features.count, 4)
        + features)
    add(start..<size)
    add(chunk)
  }

  /// The body of a `VP8X` chunk.
  private static func features(width: Int, height: Int, alpha: Bool) -> [UInt8] {
    [alpha ? 0x10 : 0, 0, 0, 0] + littleEndian(width - 1, 3) + littleEndian(height - 1, 3)
  }
}
