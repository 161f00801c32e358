import CTurboJPEG
import CameraProtocol
import PhotoFile

/// Cuts and turns JPEG pictures, without decoding them where their blocks allow that. Its calls block.
struct JPEGEditor {
  /// A picture whose values are of that kind.
  private struct Header {
    var width: Int
    var height: Int
    /// How many samples of colour there are for those of brightness, as the library numbers it.
    var sampling: Int32
    var colors: Int32

    var blockWidth: Int { [8, 16, 16, 8, 8, 32][Int(sampling)] }
    var blockHeight: Int { [8, 8, 16, 8, 16, 8][Int(sampling)] }

    /// The kind of pixels that keeps all of it.
    var pixels: (format: Int32, bytes: Int) {
      switch colors {
      case Int32(TJCS_GRAY.rawValue): (Int32(TJPF_GRAY.rawValue), 1)
      case Int32(TJCS_CMYK.rawValue), Int32(TJCS_YCCK.rawValue): (Int32(TJPF_CMYK.rawValue), 4)
      default: (Int32(TJPF_RGB.rawValue), 3)
      }
    }
  }

  /// Of what has to be encoded again.
  private static let quality: Int32 = 95

  private(set) var bytes: [UInt8]
  private var header: Header
  /// Whether every value is still that of the picture that it began with.
  private(set) var isLossless = true

  var width: Int { header.width }
  var height: Int { header.height }

  /// Begins with a file. Throws `notCompatible` where it can't be read.
  init(_ file: [UInt8]) throws(CameraError) {
    bytes = file
    header = try Self.header(of: file)
    try EditFile.check(width: header.width, height: header.height)
  }

  /// Cuts a part out, which lies in the picture as it is stored.
  mutating func crop(_ part: Rectangle) throws(CameraError) {
    guard part != Rectangle(x: 0, y: 0, width: width, height: height) else { return }
    if part.x % header.blockWidth == 0, part.y % header.blockHeight == 0 {
      try transform(Int32(TJXOP_NONE.rawValue), part)
    } else {
      try encodeAgain(part)
    }
  }

  /// Turns the pixels, so that a picture of that orientation stands upright. False, and nothing is done, where that can't
  /// be without loss: blocks at an edge that are there in part can't go to the other side.
  mutating func turn(_ orientation: Orientation) throws(CameraError) -> Bool {
    let (evenX, evenY) = (width % header.blockWidth == 0, height % header.blockHeight == 0)
    let (operation, isPossible) =
      switch orientation {
      case .upright: (TJXOP_NONE, true)
      case .mirrored: (TJXOP_HFLIP, evenX)
      case .half: (TJXOP_ROT180, evenX && evenY)
      case .halfMirrored: (TJXOP_VFLIP, evenY)
      case .transposed: (TJXOP_TRANSPOSE, true)
      case .right: (TJXOP_ROT90, evenY)
      case .transverse: (TJXOP_TRANSVERSE, evenX && evenY)
      case .left: (TJXOP_ROT270, evenX)
      }
    guard isPossible else { return false }
    if orientation != .upright { try transform(Int32(operation.rawValue), nil) }
    return true
  }

  /// A small JPEG of it, at most 160x120 or 120x160, as cameras put it into EXIF.
  func thumbnail() throws(CameraError) -> [UInt8] {
    let (boxWidth, boxHeight) = width >= height ? (160, 120) : (120, 160)
    let scale = max(1, Double(width) / Double(boxWidth), Double(height) / Double(boxHeight))
    let (smallWidth, smallHeight) = (max(1, Int(Double(width) / scale)), max(1, Int(Double(height) / scale)))
    // the library decodes at eighths of the size
    let eighths = max(1, min(8, Int((8 / scale).rounded(.up))))
    let (wide, high) = ((width * eighths + 7) / 8, (height * eighths + 7) / 8)
    let (format, size) = header.colors == Int32(TJCS_GRAY.rawValue) ? (TJPF_GRAY, 1) : (TJPF_RGB, 3)
    guard header.pixels.bytes <= 3 else { throw Self.failure("its colours have no small picture", nil) }
    let decoded = try Self.decode(bytes, wide, high, Int32(format.rawValue), size)
    var small = [UInt8](repeating: 0, count: smallWidth * smallHeight * size)
    for y in 0..<smallHeight {
      let rows = y * high / smallHeight..<max(y * high / smallHeight + 1, (y + 1) * high / smallHeight)
      for x in 0..<smallWidth {
        let columns = x * wide / smallWidth..<max(x * wide / smallWidth + 1, (x + 1) * wide / smallWidth)
        for channel in 0..<size {
          var sum = 0
          for row in rows { for column in columns { sum += Int(decoded[(row * wide + column) * size + channel]) } }
          small[(y * smallWidth + x) * size + channel] = UInt8(sum / (rows.count * columns.count))
        }
      }
    }
    let sampling = size == 1 ? TJSAMP_GRAY : TJSAMP_420
    return try Self.encode(
      small[...], smallWidth, smallHeight, smallWidth * size, Int32(format.rawValue), Int32(sampling.rawValue),
      quality: 75)
  }

  // MARK: Library

  private mutating func transform(_ operation: Int32, _ part: Rectangle?) throws(CameraError) {
    guard let handle = tjInitTransform() else { throw Self.failure("it can't be changed", nil) }
    defer { tjDestroy(handle) }
    var change = tjtransform()
    change.op = operation
    change.options = TJXOPT_PERFECT
    if let part {
      change.r = tjregion(x: Int32(part.x), y: Int32(part.y), w: Int32(part.width), h: Int32(part.height))
      change.options |= TJXOPT_CROP
    }
    var output: UnsafeMutablePointer<UInt8>?
    var count: UInt = 0
    defer { tjFree(output) }
    let result = tjTransform(handle, bytes, UInt(bytes.count), 1, &output, &count, &change, 0)
    guard result == 0 || Self.isWarning(handle), let output, count > 0 else {
      throw Self.failure("it can't be changed", handle)
    }
    bytes = [UInt8](UnsafeBufferPointer(start: output, count: Int(count)))
    header = try Self.header(of: bytes)
  }

  private mutating func encodeAgain(_ part: Rectangle) throws(CameraError) {
    let (format, size) = header.pixels
    let decoded = try Self.decode(bytes, width, height, format, size)
    let start = (part.y * width + part.x) * size
    bytes = try Self.encode(
      decoded[start...], part.width, part.height, width * size, format, header.sampling, quality: Self.quality)
    header = try Self.header(of: bytes)
    isLossless = false
  }

  private static func header(of bytes: [UInt8]) throws(CameraError) -> Header {
    guard let handle = tjInitDecompress() else { throw failure("it can't be read", nil) }
    defer { tjDestroy(handle) }
    var (width, height, sampling, colors): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
    let result = tjDecompressHeader3(handle, bytes, UInt(bytes.count), &width, &height, &sampling, &colors)
    guard result == 0 || isWarning(handle), width > 0, height > 0, (0...5).contains(sampling) else {
      throw failure("it can't be read", handle)
    }
    return Header(width: Int(width), height: Int(height), sampling: sampling, colors: colors)
  }

  private static func decode(
    _ bytes: [UInt8], _ width: Int, _ height: Int, _ format: Int32, _ size: Int
  ) throws(CameraError) -> [UInt8] {
    guard let handle = tjInitDecompress() else { throw failure("it can't be decoded", nil) }
    defer { tjDestroy(handle) }
    var pixels = [UInt8](repeating: 0, count: width * height * size)
    let result = tjDecompress2(
      handle, bytes, UInt(bytes.count), &pixels, Int32(width), Int32(width * size), Int32(height), format,
      TJFLAG_ACCURATEDCT)
    guard result == 0 || isWarning(handle) else { throw failure("it can't be decoded", handle) }
    return pixels
  }

  private static func encode(
    _ pixels: ArraySlice<UInt8>, _ width: Int, _ height: Int, _ pitch: Int, _ format: Int32, _ sampling: Int32,
    quality: Int32
  ) throws(CameraError) -> [UInt8] {
    guard let handle = tjInitCompress() else { throw failure("it can't be encoded", nil) }
    defer { tjDestroy(handle) }
    var output: UnsafeMutablePointer<UInt8>?
    var count: UInt = 0
    defer { tjFree(output) }
    let result = pixels.withUnsafeBufferPointer { pixels in
      tjCompress2(
        handle, pixels.baseAddress, Int32(width), Int32(pitch), Int32(height), format, &output, &count, sampling,
        quality, TJFLAG_ACCURATEDCT)
    }
    guard result == 0, let output, count > 0 else { throw failure("it can't be encoded", handle) }
    return [UInt8](UnsafeBufferPointer(start: output, count: Int(count)))
  }

  /// What a viewer would show all the same.
  private static func isWarning(_ handle: tjhandle) -> Bool { tjGetErrorCode(handle) == Int32(TJERR_WARNING.rawValue) }

  private static func failure(_ what: String, _ handle: tjhandle?) -> CameraError {
    let cause = handle.flatMap { tjGetErrorStr2($0) }.map { String(cString: $0) }
    return CameraError(.notCompatible, "the JPEG can't be edited: \(what)", cause: cause)
  }
}
