import CameraProtocol
import GStreamer

extension CameraDefinition {
  /// Seconds for which a recording at a quality has room in so many bytes; nil where the camera's format is not known yet.
  func secondsLeft(_ quality: Quality, format: Format?, room: Int) -> Double? {
    let known = format.map {
      SourceFormat(
        width: $0.width, height: $0.height, frameRate: Fraction(Int(($0.frameRate * 1000).rounded()), 1000),
        mediaType: "video/x-raw")
    }
    guard let source = source.formats.best(for: .video) ?? known else { return nil }
    do throws(CameraError) {
      let plan = try MoviePlan(quality, source: source, camera: id)
      return (Double(max(0, room)) * 8 / Double(plan.videoBitRate + plan.audioBitRate)).rounded()
    } catch {
      return nil
    }
  }
}
