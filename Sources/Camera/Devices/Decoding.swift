import CameraProtocol
import GStreamer

/// What stands between a source's frames and raw pictures.
enum Decoding {
  /// What camd can decode where GStreamer has an element for it; the dearest first.
  static let mediaTypes = [SourceFormat.h264, SourceFormat.bayer, SourceFormat.jpeg, SourceFormat.raw]

  /// The parser of H.264: tells key frames, whatever the driver says, gathers whole frames, and puts before each key
  /// frame what its decoding needs.
  static let parser = "h264parse config-interval=-1 ! \(SourceFormat.h264),stream-format=byte-stream,alignment=au"

  /// The elements for what a source delivers; empty for raw pictures. Throws where camd can't decode it.
  ///
  /// A frame that a decoder can't read is left out; it doesn't end the flow.
  static func elements(for format: SourceFormat, camera: String) throws(CameraError) -> String {
    if format.mediaType == SourceFormat.raw { return "" }
    guard mediaTypes.contains(format.mediaType) else {
      throw CameraError(
        .notSupported,
        "camera '\(camera)' delivers \(format.mediaType), which camd doesn't decode; end its Source= with a decoder",
        camera: camera)
    }
    guard let elements = elements(format.mediaType) else {
      throw CameraError(
        .notSupported,
        "camera '\(camera)' delivers \(format.mediaType), and GStreamer has no element here that decodes it; "
          + "install its plug-ins (libav, good, bad)", camera: camera)
    }
    return "\(elements) ! "
  }

  /// The elements that give a picture the range of values that JPEG has. By way of RGB: videoconvert of GStreamer 1.22
  /// changes the range of a YUV picture only where the matrix changes, too.
  static func fullRange(_ format: SourceFormat) -> String {
    if format.mediaType == SourceFormat.jpeg { return "videoconvert ! " }
    return "videoconvert ! video/x-raw,format=BGRx ! videoconvert ! video/x-raw,format=I420,colorimetry=1:4:7:1 ! "
  }

  /// Whether frames of that media type can be decoded here.
  static func isPossible(_ mediaType: String) -> Bool { mediaType == SourceFormat.raw || elements(mediaType) != nil }

  private static func elements(_ mediaType: String) -> String? {
    let alternatives =
      switch mediaType {
      case SourceFormat.jpeg: [("jpegdec", "jpegdec max-errors=-1")]
      // software first: it takes every profile and starts at once
      case SourceFormat.h264: [("avdec_h264", "avdec_h264 max-errors=-1"), ("openh264dec", "openh264dec")]
      case SourceFormat.bayer: [("bayer2rgb", "bayer2rgb")]
      default: [(String, String)]()
      }
    return alternatives.first { GStreamer.hasElement($0.0) }?.1
  }
}
