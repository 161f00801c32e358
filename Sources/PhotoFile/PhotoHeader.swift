import CameraProtocol

/// What stands in front of a picture's data, or between.
struct PhotoHeader {
  var format: PhotoFormat
  var width = 0
  var height = 0
  /// As TIFF.
  var exif: [UInt8]?

  /// More segments or chunks than that in front of a picture are not believed.
  private static let mostPieces = 4096

  init(jpeg file: PhotoBytes) throws(PhotoFileError) {
    format = .jpeg
    var position = 2
    for _ in 0..<Self.mostPieces {
      let head = file.bytes(at: position, count: 9)
      guard head.count >= 4, head[0] == 0xFF else {
        throw PhotoFileError(description: "the JPEG is cut off or damaged")
      }
      let marker = head[1]
      switch marker {
      case 0xFF: position += 1
      case 0x01, 0xD0...0xD7: position += 2
      case 0xDA:
        guard width > 0 else { throw PhotoFileError(description: "the JPEG has no size in front of its picture") }
        return
      default:
        let length = Int(head[2]) << 8 | Int(head[3])
        guard length >= 2, position + 2 + length <= file.size else {
          throw PhotoFileError(description: "the JPEG is cut off or damaged")
        }
        // frames of all kinds of encoding; C4, C8 and CC are tables
        if (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker), head.count >= 9, width == 0 {
          height = Int(head[5]) << 8 | Int(head[6])
          width = Int(head[7]) << 8 | Int(head[8])
        }
        if marker == 0xE1, exif == nil {
          let body = file.bytes(at: position + 4, count: length - 2)
          if body.starts(with: JPEGSegments.exifName) { exif = Array(body.dropFirst(JPEGSegments.exifName.count)) }
        }
        position += 2 + length
      }
    }
    throw PhotoFileError(description: "the JPEG has no picture")
  }

  init(png file: PhotoBytes) throws(PhotoFileError) {
    format = .png
    var position = 8
    var hasPicture = false
    for _ in 0..<Self.mostPieces * 16 {
      let head = file.bytes(at: position, count: 24)
      guard head.count >= 12 else { break }
      let length = head[0..<4].reduce(0) { $0 << 8 | Int($1) }
      let name = String(decoding: head[4..<8], as: UTF8.self)
      guard position + 12 + length <= file.size else { break }
      switch name {
      case "IHDR" where head.count >= 16 && length >= 8:
        width = head[8..<12].reduce(0) { $0 << 8 | Int($1) }
        height = head[12..<16].reduce(0) { $0 << 8 | Int($1) }
      case "eXIf" where length <= 1 << 20: exif = file.bytes(at: position + 8, count: length)
      case "IDAT": hasPicture = true
      case "IEND":
        guard hasPicture else { throw PhotoFileError(description: "the PNG has no picture") }
        return
      default: break
      }
      position += 12 + length
    }
    throw PhotoFileError(description: "the PNG is cut off or damaged")
  }

  init(webP file: PhotoBytes) throws(PhotoFileError) {
    format = .webp
    func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reversed().reduce(0) { $0 << 8 | Int($1) } }
    guard number(file.bytes(at: 4, count: 4)[...]) + 8 <= file.size else {
      throw PhotoFileError(description: "the WebP is cut off")
    }
    var position = 12
    var hasPicture = false
    for _ in 0..<Self.mostPieces {
      let head = file.bytes(at: position, count: 18)
      guard head.count >= 8 else { break }
      let length = number(head[4..<8])
      guard position + 8 + length <= file.size else { break }
      switch String(decoding: head[0..<4], as: UTF8.self) {
      case "VP8X" where head.count == 18:
        width = number(head[12..<15]) + 1
        height = number(head[15..<18]) + 1
      case "VP8 " where head.count == 18:
        hasPicture = true
        guard width == 0 else { break }
        width = number(head[14..<16]) & 0x3FFF
        height = number(head[16..<18]) & 0x3FFF
      case "VP8L" where head.count >= 13:
        hasPicture = true
        guard width == 0 else { break }
        let bits = number(head[9..<13])
        width = (bits & 0x3FFF) + 1
        height = (bits >> 14 & 0x3FFF) + 1
      case "ANMF": hasPicture = true
      case "EXIF" where length <= 1 << 20:
        let body = file.bytes(at: position + 8, count: length)
        // some writers put the JPEG's name of the block in front
        exif = body.starts(with: JPEGSegments.exifName) ? Array(body.dropFirst(JPEGSegments.exifName.count)) : body
      default: break
      }
      position += 8 + length + length % 2
    }
    guard hasPicture else { throw PhotoFileError(description: "the WebP has no picture") }
  }
}
