extension PhotoContents {
  /// What may go into another PNG whatever its pixels are. Others say something of the palette or of the kind of pixels,
  /// or when the file was changed.
  private static let chunks: Set<String> = ["iCCP", "sRGB", "gAMA", "cHRM", "cICP", "pHYs", "tEXt", "zTXt", "iTXt"]

  mutating func readPNG(_ file: UnsafeRawBufferPointer) throws(PhotoFileError) {
    isLossless = true
    var position = 8
    var colors: UInt8 = 0
    while position + 12 <= file.count {
      let length = file.number(position, 4)
      let name = String(decoding: file[position + 4..<position + 8], as: UTF8.self)
      let end = position + 12 + length
      guard end <= file.count else { throw PhotoFileError(description: "the PNG is cut off") }
      let body = file[position + 8..<end - 4]
      switch name {
      case "IHDR":
        guard length == 13 else { throw PhotoFileError(description: "the PNG is damaged") }
        size = (file.number(position + 8, 4), file.number(position + 12, 4))
        colors = file[position + 17]
        if file[position + 16] == 16, colors != 0 { obstacle = "it has 16 bits for each colour" }
      case "eXIf": exif = Array(body)
      case "acTL": obstacle = "it is animated"
      case "tRNS" where colors == 0: colors = 4
      case "IEND":
        guard size != nil else { throw PhotoFileError(description: "the PNG has no header") }
        // a decoder makes colours of grey with transparency, which a profile of greys doesn't fit
        if colors == 4 { kept.removeAll { $0.name == "iCCP" } }
        return
      case _ where Self.chunks.contains(name) && !Self.isOldExif(name, body):
        kept.append(Kept(name: name, bytes: Array(file[position..<end])))
      default: break
      }
      position = end
    }
    throw PhotoFileError(description: "the PNG is cut off")
  }

  /// Some programs write EXIF as a text, which would tell of the whole picture.
  private static func isOldExif(_ name: String, _ body: Slice<UnsafeRawBufferPointer>) -> Bool {
    guard name != "iCCP" else { return false }
    return ["Raw profile type exif", "Raw profile type APP1"].contains { body.starts(with: $0.utf8) }
  }
}

extension UnsafeRawBufferPointer {
  /// A whole number, the highest byte first.
  func number(_ offset: Int, _ count: Int) -> Int {
    (0..<count).reduce(0) { $0 << 8 | Int(self[offset + $1]) }
  }

  /// A whole number, the lowest byte first.
  func littleNumber(_ offset: Int, _ count: Int) -> Int {
    (0..<count).reduce(0) { $0 | Int(self[offset + $1]) << (8 * $1) }
  }
}
