import CameraProtocol
import PhotoFile

/// What an encoder makes of a frame.
struct PhotoForm: Sendable, Equatable {
  var format = PhotoFormat.jpeg
  /// 1 ... 100; PNG has none.
  var quality = 90
  /// How the pixels are turned.
  var turn = Orientation.upright
  /// The part that is encoded, in the pixels of the turned picture; nil for all of it.
  var crop: Rectangle?

  /// The size that a picture has when it was turned and cut. Throws `valueOutOfRange` where the part is not inside.
  func size(width: Int, height: Int, camera: String) throws(CameraError) -> (width: Int, height: Int) {
    let turned = turn.swapsSides ? (width: height, height: width) : (width: width, height: height)
    guard let crop else { return turned }
    guard crop.isInside(width: turned.width, height: turned.height) else {
      throw CameraError(
        .valueOutOfRange,
        "the rectangle of \(crop.width)x\(crop.height) at \(crop.x),\(crop.y) is not inside of the picture, which is "
          + "\(turned.width)x\(turned.height)", camera: camera)
    }
    return (crop.width, crop.height)
  }

  /// The elements that turn, cut and encode a raw picture of that size, which comes from that source.
  func elements(of source: SourceFormat, width: Int, height: Int) -> String {
    var elements = "videoconvert ! "
    if turn != .upright { elements += "videoflip video-direction=\(turn.direction) ! " }
    if let crop {
      let (width, height) = turn.swapsSides ? (height, width) : (width, height)
      let right = width - crop.x - crop.width
      let bottom = height - crop.y - crop.height
      // Between two samples of colour only a format that has one for each pixel can be cut.
      if [crop.x, crop.y].contains(where: { $0 % 2 == 1 }) { elements += "video/x-raw,format=Y444 ! " }
      elements += "videocrop left=\(crop.x) top=\(crop.y) right=\(right) bottom=\(bottom) ! videoconvert ! "
    }
    switch format {
    case .jpeg: elements += "\(Decoding.fullRange(source))jpegenc quality=\(quality)"
    // higher levels take several times as long for a few hundredths of the size
    case .png: elements += "video/x-raw,format=(string){RGB,GRAY8} ! pngenc compression-level=2"
    // from RGB: it takes every YUV picture for one of BT.601
    case .webp: elements += "video/x-raw,format=RGB ! webpenc quality=\(quality) speed=2"
    }
    return elements
  }
}
