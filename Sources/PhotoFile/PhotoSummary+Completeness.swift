import CameraProtocol

extension PhotoSummary {
  /// Whether the file behind a descriptor has its picture's end. PNG and WebP without it can't be summarised at all; a JPEG
  /// has a mark there, and some programs put more behind it.
  public func isComplete(descriptor: Int32) -> Bool {
    guard format == .jpeg else { return true }
    let file = PhotoBytes(descriptor: descriptor)
    guard var position = Self.scanStart(file) else { return false }
    var last: UInt8 = 0
    while true {
      let bytes = file.bytes(at: position, count: 1 << 18)
      guard !bytes.isEmpty else { return false }
      for byte in bytes {
        // in coded data a mark's first byte is followed by 0, or by the number of a restart
        if last == 0xFF, byte == 0xD9 { return true }
        last = byte
      }
      position += bytes.count
    }
  }

  /// Where the first coded data begins: a small picture in the metadata has an end of its own.
  private static func scanStart(_ file: PhotoBytes) -> Int? {
    var position = 2
    while position < file.size {
      let head = file.bytes(at: position, count: 4)
      guard head.count == 4, head[0] == 0xFF else { return nil }
      switch head[1] {
      case 0xFF: position += 1
      case 0x01, 0xD0...0xD7: position += 2
      case 0xDA: return position + 2
      default: position += 2 + (Int(head[2]) << 8 | Int(head[3]))
      }
    }
    return nil
  }
}
