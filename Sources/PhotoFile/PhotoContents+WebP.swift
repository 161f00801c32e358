/// A chunk of a WebP.
struct WebPChunk {
  var name: String
  /// All of it, with header and padding.
  var whole: Range<Int>
  var body: Range<Int>

  /// The chunks of a file. Throws where it is cut off.
  static func all(in file: UnsafeRawBufferPointer) throws(PhotoFileError) -> [WebPChunk] {
    let end = min(file.count, file.count >= 12 ? file.littleNumber(4, 4) + 8 : 0)
    var chunks: [WebPChunk] = []
    var position = 12
    while position + 8 <= end {
      let length = file.littleNumber(position + 4, 4)
      guard position + 8 + length <= end else { throw PhotoFileError(description: "the WebP is cut off") }
      let body = position + 8..<position + 8 + length
      let whole = position..<min(end, body.upperBound + length % 2)
      chunks.append(
        WebPChunk(
          name: String(decoding: file[position..<position + 4], as: UTF8.self), whole: whole, body: body))
      position = body.upperBound + length % 2
    }
    return chunks
  }
}

extension PhotoContents {
  mutating func readWebP(_ file: UnsafeRawBufferPointer) throws(PhotoFileError) {
    for chunk in try WebPChunk.all(in: file) {
      switch chunk.name {
      case "VP8 ":
        guard chunk.body.count >= 10 else { throw PhotoFileError(description: "the WebP is damaged") }
        let start = chunk.body.lowerBound
        size = (file.littleNumber(start + 6, 2) & 0x3FFF, file.littleNumber(start + 8, 2) & 0x3FFF)
      case "VP8L":
        guard chunk.body.count >= 5 else { throw PhotoFileError(description: "the WebP is damaged") }
        let bits = file.littleNumber(chunk.body.lowerBound + 1, 4)
        size = ((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
        isLossless = true
      case "ANIM", "ANMF": obstacle = "it is animated"
      case "EXIF":
        // some programs write the name of the block as in a JPEG
        let body = Array(file[chunk.body])
        exif = body.starts(with: JPEGSegments.exifName) ? Array(body.dropFirst(JPEGSegments.exifName.count)) : body
      case "ICCP", "XMP ":
        kept.append(Kept(name: chunk.name, bytes: Array(file[chunk.whole])))
      default: break
      }
    }
    guard size != nil || obstacle != nil else { throw PhotoFileError(description: "the WebP has no picture") }
  }
}

extension PhotoPieces {
  /// A WebP of the picture's own chunks, with colour profile and XMP of another one.
  mutating func addWebP(
    _ picture: UnsafeRawBufferPointer, _ exif: [UInt8], _ kept: [PhotoContents.Kept]
  ) throws(PhotoFileError) {
    let pictureContents = try PhotoContents(picture)
    guard let size = pictureContents.size else { throw PhotoFileError(description: "the WebP has no picture") }
    let chunks = try WebPChunk.all(in: picture).filter { ["VP8 ", "VP8L", "ALPH"].contains($0.name) }
    let profile = kept.filter { $0.name == "ICCP" }.flatMap { Self.padded($0.bytes) }
    let notes = kept.filter { $0.name == "XMP " }.flatMap { Self.padded($0.bytes) }
    let hasAlpha = chunks.contains { chunk in
      chunk.name == "ALPH" || chunk.name == "VP8L" && picture[chunk.body.lowerBound + 4] & 0x10 != 0
    }
    var flags: UInt8 = 0x08
    if hasAlpha { flags |= 0x10 }
    if !profile.isEmpty { flags |= 0x20 }
    if !notes.isEmpty { flags |= 0x04 }
    let header =
      Array("VP8X".utf8) + littleEndian(10, 4) + [flags, 0, 0, 0] + littleEndian(size.width - 1, 3)
      + littleEndian(size.height - 1, 3)
    let block = Self.padded(Array("EXIF".utf8) + littleEndian(exif.count, 4) + exif)
    let length =
      4 + header.count + profile.count + chunks.reduce(0) { $0 + $1.body.count + 8 + $1.body.count % 2 } + block.count
      + notes.count
    add(Array("RIFF".utf8) + littleEndian(length, 4) + Array("WEBP".utf8) + header + profile)
    for chunk in chunks {
      add(chunk.body.lowerBound - 8..<chunk.body.upperBound)
      if chunk.body.count % 2 == 1 { add([0]) }
    }
    add(block + notes)
  }

  /// Chunks begin at even places.
  private static func padded(_ chunk: [UInt8]) -> [UInt8] { chunk.count % 2 == 1 ? chunk + [0] : chunk }
}
