public import CameraProtocol

/// What stands in a photo's file besides its picture, and is to stand in one that is made of it.
public struct PhotoContents: Sendable, Equatable {
  /// How it is encoded.
  public var format: PhotoFormat
  /// Pixels, as they are stored; nil where its header doesn't say, which a JPEG's decoder finds out.
  public var size: (width: Int, height: Int)?
  /// The EXIF block, as TIFF.
  public internal(set) var exif: [UInt8]?
  /// Whether every pixel is as it was encoded; false for a JPEG.
  public internal(set) var isLossless = false
  /// Why it can't be decoded and encoded again as it is; nil where it can.
  public internal(set) var obstacle: String?
  /// Whole segments or chunks, in the order in which they stood.
  var kept: [Kept] = []

  /// A segment or a chunk.
  struct Kept: Sendable, Equatable {
    /// Four letters; of a JPEG none.
    var name: String
    /// All of it, with its header.
    var bytes: [UInt8]
  }

  /// Reads a file. Throws where it is no photo, or damaged.
  public init(_ file: UnsafeRawBufferPointer) throws(PhotoFileError) {
    guard let format = PhotoFormat(signature: file) else {
      throw PhotoFileError(description: "it is neither a JPEG, nor a PNG, nor a WebP")
    }
    self.format = format
    switch format {
    case .jpeg: try readJPEG(file)
    case .png: try readPNG(file)
    case .webp: try readWebP(file)
    }
  }

  /// Whether the same was found in both.
  public static func == (one: PhotoContents, other: PhotoContents) -> Bool {
    one.format == other.format && one.size?.width == other.size?.width && one.size?.height == other.size?.height
      && one.exif == other.exif && one.isLossless == other.isLossless && one.obstacle == other.obstacle
      && one.kept == other.kept
  }

  private mutating func readJPEG(_ file: UnsafeRawBufferPointer) throws(PhotoFileError) {
    exif = JPEGSegments.exif(of: file)
    kept = try JPEGSegments(file).others(in: file).map { Kept(name: "", bytes: $0) }
  }
}

extension PhotoFormat {
  /// The format of which a file has the signature; nil for another one.
  public init?(signature file: UnsafeRawBufferPointer) {
    func has(_ bytes: [UInt8], at offset: Int = 0) -> Bool {
      file.count >= offset + bytes.count && file[offset..<offset + bytes.count].elementsEqual(bytes)
    }
    if has([0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
    } else if has(Array("RIFF".utf8)), has(Array("WEBP".utf8), at: 8) {
      self = .webp
    } else {
      return nil
    }
  }
}

extension PhotoPieces {
  /// The file of a new picture with an EXIF block and with what else stood in the file that it was made of. `isNew`: it
  /// was encoded again, and so lacks what a transform of the old one has kept already.
  public init(
    _ picture: UnsafeRawBufferPointer, exif: [UInt8], keeping contents: PhotoContents, isNew: Bool
  ) throws(PhotoFileError) {
    switch contents.format {
    case .jpeg:
      self.init()
      try addJPEG(picture, exif, isEdited: true)
      // behind the EXIF segment, which is the second piece
      if isNew { insert(contents.kept.flatMap(\.bytes), at: 2) }
    case .png:
      try self.init(picture, format: .png, exif: exif)
      // behind the header, in front of the EXIF chunk
      insert(contents.kept.flatMap(\.bytes), at: 1)
    case .webp:
      self.init()
      try addWebP(picture, exif, contents.kept)
    }
  }
}
