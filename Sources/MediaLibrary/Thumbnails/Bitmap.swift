import GStreamer
import PhotoFile

extension PixelBytes {
  /// Turned and mirrored so that it stands upright.
  func upright(_ orientation: Orientation) -> PixelBytes {
    guard orientation != .upright else { return self }
    let (wide, high) = orientation.swapsSides ? (height, width) : (width, height)
    var turned = [UInt8](repeating: 0, count: bytes.count)
    for y in 0..<high {
      for x in 0..<wide {
        let (fromX, fromY) =
          switch orientation {
          case .upright: (x, y)
          case .mirrored: (width - 1 - x, y)
          case .half: (width - 1 - x, height - 1 - y)
          case .halfMirrored: (x, height - 1 - y)
          case .transposed: (y, x)
          case .right: (y, height - 1 - x)
          case .transverse: (width - 1 - y, height - 1 - x)
          case .left: (width - 1 - y, x)
          }
        let (from, to) = ((fromY * width + fromX) * 3, (y * wide + x) * 3)
        turned[to] = bytes[from]
        turned[to + 1] = bytes[from + 1]
        turned[to + 2] = bytes[from + 2]
      }
    }
    return PixelBytes(width: wide, height: high, bytes: turned)
  }

  /// How much there is to see: the standard deviation of the brightness, 0 to 127. Black, white and everything of one colour
  /// have next to none.
  var contrast: Double {
    var (sum, squares) = (0, 0)
    for pixel in stride(from: 0, to: bytes.count - 2, by: 3) {
      // the weights of ITU-R BT.601, of 256
      let brightness = (77 * Int(bytes[pixel]) + 150 * Int(bytes[pixel + 1]) + 29 * Int(bytes[pixel + 2])) >> 8
      sum += brightness
      squares += brightness * brightness
    }
    let count = Double(max(1, bytes.count / 3))
    let mean = Double(sum) / count
    return max(0, Double(squares) / count - mean * mean).squareRoot()
  }

  /// The middle of it, in the shape of a picture of another size.
  func cut(toShapeOf shape: (width: Int, height: Int)) -> PixelBytes {
    guard shape.width > 0, shape.height > 0 else { return self }
    let wide = min(width, max(1, (height * shape.width + shape.height / 2) / shape.height))
    let high = min(height, max(1, (width * shape.height + shape.width / 2) / shape.width))
    guard wide < width - 1 || high < height - 1 else { return self }
    let (left, top) = ((width - wide) / 2, (height - high) / 2)
    let rows = (top..<top + high).map { row in bytes[(row * width + left) * 3..<(row * width + left + wide) * 3] }
    return PixelBytes(width: wide, height: high, bytes: Array(rows.joined()))
  }

  /// Puts a picture into this one; what reaches beyond its edges is left out.
  mutating func draw(_ other: PixelBytes, x: Int, y: Int) {
    let columns = min(other.width, width - x)
    guard columns > 0 else { return }
    for row in 0..<min(other.height, max(0, height - y)) {
      let (to, from) = (((y + row) * width + x) * 3, row * other.width * 3)
      bytes.replaceSubrange(to..<to + columns * 3, with: other.bytes[from..<from + columns * 3])
    }
  }
}

extension PictureSize {
  /// The size at which it is in proportion with square pixels, upright, no edge longer than `edge`, and none longer than it
  /// is: nothing is scaled up. Width and height are those before turning.
  func fitted(edge: Int) -> (width: Int, height: Int) {
    var (wide, high) = (Double(width), Double(height))
    if pixelAspectRatio > 1 { high /= pixelAspectRatio } else { wide *= pixelAspectRatio }
    let scale = min(1, Double(edge) / max(wide, high))
    return (max(1, Int((wide * scale).rounded())), max(1, Int((high * scale).rounded())))
  }
}
