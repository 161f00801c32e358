public import CameraProtocol
import Glibc

/// What a photo's file says of it, read from the file.
public struct PhotoSummary: Sendable, Equatable {
  /// How it is encoded.
  public var format: PhotoFormat
  /// Pixels, as they are stored.
  public var width: Int
  /// Pixels, as they are stored.
  public var height: Int
  /// How a viewer has to turn it.
  public var orientation = Orientation.upright
  /// When it was taken; where the file knows no offset, under that of the machine's zone at that moment.
  public var time: Timestamp?
  /// Where it was taken.
  public var location: Coordinates?
  /// Who made the camera.
  public var maker: String?
  /// The camera's model.
  public var model: String?

  /// Reads the file behind a descriptor, which must be readable; its position is neither used nor moved. Reads the
  /// headers only, and trusts nothing that they claim. Throws where it is none of the formats, or cut off before the
  /// picture.
  public init(descriptor: Int32) throws(PhotoFileError) {
    let file = PhotoBytes(descriptor: descriptor)
    let head = file.bytes(at: 0, count: 30)
    let header: PhotoHeader
    if head.starts(with: [0xFF, 0xD8, 0xFF]) {
      header = try PhotoHeader(jpeg: file)
    } else if head.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      header = try PhotoHeader(png: file)
    } else if head.count >= 12, head.starts(with: "RIFF".utf8), head[8..<12].elementsEqual("WEBP".utf8) {
      header = try PhotoHeader(webP: file)
    } else {
      throw PhotoFileError(
        description: file.size == 0 ? "the file is empty" : "the file is neither JPEG nor PNG nor WebP")
    }
    guard header.width > 0, header.height > 0 else { throw PhotoFileError(description: "the picture has no size") }
    format = header.format
    width = header.width
    height = header.height
    guard let bytes = header.exif else { return }
    let exif = try ExifBlock(bytes)
    orientation = exif.orientation ?? .upright
    time = exif.time
    location = exif.coordinates
    maker = exif.text("Exif.Image.Make")
    model = exif.text("Exif.Image.Model")
  }
}

/// A file that is read piece by piece.
struct PhotoBytes {
  let descriptor: Int32
  let size: Int

  init(descriptor: Int32) {
    self.descriptor = descriptor
    var status = stat()
    size = fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
  }

  /// The bytes there; fewer at the end of the file or where it can't be read.
  func bytes(at offset: Int, count: Int) -> [UInt8] {
    guard offset >= 0, count > 0, offset < size else { return [] }
    return [UInt8](unsafeUninitializedCapacity: min(count, size - offset)) { buffer, filled in
      filled = 0
      while filled < buffer.count {
        let read = pread(
          descriptor, buffer.baseAddress.map { $0 + filled }, buffer.count - filled, off_t(offset + filled))
        if read < 0 && errno == EINTR { continue }
        guard read > 0 else { break }
        filled += read
      }
    }
  }
}
