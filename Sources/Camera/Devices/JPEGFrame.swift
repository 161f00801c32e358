/// What a camera's JPEG frame must have to be one. Cameras send cut off, empty and garbled ones, which decoders make grey
/// areas of, or nothing.
enum JPEGFrame {
  /// What is wrong with a frame, if anything.
  enum Flaw: Equatable {
    /// It is no JPEG picture, or none that can be read up to its data.
    case unreadable
    /// It has no end. Some cameras never send one.
    case unended
  }

  /// Looks at the headers and at the end; the picture's data in between is not read.
  static func flaw(in bytes: UnsafeRawBufferPointer) -> Flaw? {
    guard bytes.count >= 4, bytes[0] == 0xFF, bytes[1] == 0xD8, let data = dataOffset(bytes) else { return .unreadable }
    return hasEnd(bytes, from: data) ? nil : .unended
  }

  /// Where the entropy-coded data of the first scan begins; nil where the segments before it make no sense.
  private static func dataOffset(_ bytes: UnsafeRawBufferPointer) -> Int? {
    var offset = 2
    var hasSize = false
    while offset + 4 <= bytes.count {
      guard bytes[offset] == 0xFF else { return nil }
      let marker = bytes[offset + 1]
      if marker == 0xFF {  // padding
        offset += 1
        continue
      }
      let length = Int(bytes[offset + 2]) << 8 | Int(bytes[offset + 3])
      guard marker >= 0xC0, length >= 2, offset + 2 + length <= bytes.count else { return nil }
      switch marker {
      case 0xC0...0xC2: hasSize = length >= 8
      case 0xDA: return hasSize ? offset + 2 + length : nil
      case 0xD0...0xD9: return nil
      default: break
      }
      offset += 2 + length
    }
    return nil
  }

  /// Whether the end is marked; what follows it is padding: zeros, and at most 4 KiB of anything.
  private static func hasEnd(_ bytes: UnsafeRawBufferPointer, from data: Int) -> Bool {
    var index = bytes.count - 1
    var padding = 0
    while index > data, padding <= 4096 {
      if bytes[index] == 0xD9, bytes[index - 1] == 0xFF { return true }
      if bytes[index] != 0 { padding += 1 }
      index -= 1
    }
    return false
  }
}
