/// The segments of a JPEG file in front of its picture.
public struct JPEGSegments: Sendable {
  static let exifName = Array("Exif\0\0".utf8)

  /// Where an EXIF block is put: behind the JFIF header, if there is one.
  private(set) var insertion = 2
  /// The segments of EXIF that there are, each as a whole.
  private(set) var exif: [Range<Int>] = []
  /// Those that say where further pictures lie behind this one.
  private(set) var directories: [Range<Int>] = []
  /// Comments and other metadata that hold for any picture with these contents.
  private(set) var notes: [Range<Int>] = []
  /// Behind the marker that ends the picture. Some cameras fill up their buffers behind it.
  private(set) var end: Int

  /// Reads them. Throws where it is no JPEG.
  public init(_ picture: UnsafeRawBufferPointer) throws(PhotoFileError) {
    guard picture.count >= 4, picture[0] == 0xFF, picture[1] == 0xD8 else {
      throw PhotoFileError(description: "the picture is not a JPEG")
    }
    end = picture.count
    while end > 4, picture[end - 1] == 0 { end -= 1 }
    if picture[end - 2] != 0xFF || picture[end - 1] != 0xD9 { end = picture.count }
    var position = 2
    while position + 4 <= picture.count {
      guard picture[position] == 0xFF else { throw PhotoFileError(description: "the JPEG is damaged") }
      let marker = picture[position + 1]
      if marker == 0xFF {
        position += 1
        continue
      }
      if marker == 0xDA { return }
      if marker == 0x01 || (0xD0...0xD7).contains(marker) {
        position += 2
        continue
      }
      let length = Int(picture[position + 2]) << 8 | Int(picture[position + 3])
      let next = position + 2 + length
      guard length >= 2, next <= picture.count else { throw PhotoFileError(description: "the JPEG is damaged") }
      let body = picture[position + 4..<next]
      if marker == 0xE0, position == 2, body.starts(with: Array("JFIF\0".utf8)) { insertion = next }
      switch marker {
      case 0xE1 where body.starts(with: Self.exifName): exif.append(position..<next)
      case 0xE2 where body.starts(with: Array("MPF\0".utf8)): directories.append(position..<next)
      // XMP, colour profiles, IPTC, comments; of the others APP0 and APP14 are the encoder's
      case 0xE1, 0xE2, 0xED, 0xFE: notes.append(position..<next)
      default: break
      }
      position = next
    }
    throw PhotoFileError(description: "the JPEG has no picture")
  }

  /// The bytes of comments and other metadata.
  func others(in picture: UnsafeRawBufferPointer) -> [[UInt8]] { notes.map { Array(picture[$0]) } }

  /// The EXIF block that the picture came with, as TIFF.
  public static func exif(of picture: UnsafeRawBufferPointer) -> [UInt8]? {
    // What is no JPEG has none.
    guard let segment = (try? JPEGSegments(picture))?.exif.first else { return nil }
    return Array(picture[segment.dropFirst(4 + exifName.count)])
  }
}

extension PhotoPieces {
  /// `isEdited`: the pictures that lay behind it don't any more.
  mutating func addJPEG(
    _ picture: UnsafeRawBufferPointer, _ exif: [UInt8], isEdited: Bool = false
  ) throws(PhotoFileError) {
    let segments = try JPEGSegments(picture)
    add(0..<segments.insertion)
    add([0xFF, 0xE1] + bigEndian(2 + JPEGSegments.exifName.count + exif.count, 2) + JPEGSegments.exifName + exif)
    var position = segments.insertion
    let obsolete = segments.exif + (isEdited ? segments.directories : [])
    for old in obsolete.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      // One in front of the JFIF header can't be: that header is the first segment, or it is none.
      add(position..<old.lowerBound)
      position = old.upperBound
    }
    add(position..<segments.end)
  }
}
