import CameraProtocol
import GStreamer
import PhotoFile

/// Cuts and turns PNG and WebP pictures by decoding and encoding them; no pixel of what is lossless is converted.
enum RasterEditor {
  /// Nanoseconds that one picture may take, on a slow machine at low priority.
  private static let patience: UInt64 = 300_000_000_000

  /// The picture behind a descriptor, of which a part is cut out, as it is stored, and then turned so that one of that
  /// orientation stands upright. Throws `notCompatible` where it can't be decoded.
  static func edit(
    _ source: Int32, _ contents: PhotoContents, width: Int, height: Int, part: Rectangle, turn: Orientation
  ) throws(CameraError) -> [UInt8] {
    try EditFile.check(width: width, height: height)
    let coding =
      switch (contents.format, contents.isLossless) {
      case (.png, _): ("pngdec", "pngenc compression-level=6")
      case (_, true): ("webpdec", "webpenc lossless=true")
      case (_, false): ("webpdec", "webpenc quality=95")
      }
    let description =
      "filesrc location=\(LaunchLine.quote(EditFile.path(source))) blocksize=1048576 ! \(coding.0) ! videocrop "
      + "left=\(part.x) top=\(part.y) right=\(width - part.x - part.width) bottom=\(height - part.y - part.height) ! "
      + "videoflip video-direction=\(turn.direction) ! \(coding.1) ! "
      + "appsink name=output sync=false enable-last-sample=false"
    do {
      let pipeline = try Pipeline(launch: description, clock: SystemClock())
      defer { pipeline.stop() }
      let output = try AppSink(pipeline, "output")
      try pipeline.play()
      guard let picture = output.pull(timeout: patience) else {
        throw CameraError(.notCompatible, "the \(contents.format.rawValue) can't be decoded and encoded again")
      }
      return try picture.withBytes { Array($0) }
    } catch let error as CameraError {
      throw error
    } catch {
      throw CameraError(
        .notCompatible, "the \(contents.format.rawValue) can't be decoded and encoded again", cause: "\(error)")
    }
  }
}
