import CameraProtocol
import GStreamer

/// How an edge is decoded and encoded: the parts of two launch lines.
struct EdgeCodec {
  /// Caps of what is decoded.
  var input: String
  var decoder: String
  /// The encoder, up to the caps that are wanted from it.
  var encoder: String
}

/// A codec whose parameter sets have numbers, so that those of an edge can stand beside those of the source.
protocol NumberedEdge {
  /// How it is decoded and encoded.
  var codec: EdgeCodec { get }
  /// The parameter sets of what was encoded. `caps`: what the encoder says of it.
  func sets(of caps: Caps) throws(CameraError) -> [[UInt8]]
  /// What a decoder has to know beforehand of the source and of what was encoded.
  func configuration(with caps: Caps) throws(CameraError) -> [UInt8]
  /// A picture's slices, with the numbers of its parameter sets and lengths as the source has them. `sets`: parameter
  /// sets that go in front of it; `isLast`: whether the edge ends with it.
  func sample(_ bytes: [UInt8], with sets: [[UInt8]], isLast: Bool) throws(CameraError) -> [UInt8]
}

extension EdgeCodec {
  /// The NAL units of a picture, each behind its length; one that is cut ends them.
  static func units(_ bytes: [UInt8], lengthSize: Int) -> [[UInt8]] {
    var units: [[UInt8]] = []
    var position = 0
    while position + lengthSize <= bytes.count {
      let size = bytes[position..<position + lengthSize].reduce(0) { $0 << 8 | Int($1) }
      position += lengthSize
      guard size > 0, position + size <= bytes.count else { break }
      units.append(Array(bytes[position..<position + size]))
      position += size
    }
    return units
  }

  /// NAL units, each behind its length. Throws `notCompatible` where one is too long for that.
  static func joined(_ units: [[UInt8]], lengthSize: Int) throws(CameraError) -> [UInt8] {
    var result: [UInt8] = []
    for unit in units {
      guard unit.count < 1 << (8 * lengthSize) else {
        throw .uncut("a picture at the place of the cut is too large for its kind of file")
      }
      for shift in (0..<lengthSize).reversed() { result.append(UInt8(unit.count >> (8 * shift) & 0xFF)) }
      result += unit
    }
    return result
  }

  /// Bytes as caps have them.
  static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined()
  }
}
