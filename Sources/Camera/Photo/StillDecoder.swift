import CameraProtocol
import GStreamer

/// Decodes one frame of a stream of frames that depend on each other: all from its key frame on, of which the last one is
/// shown. Nothing runs before or after.
enum StillDecoder {
  /// How long it may take, in nanoseconds.
  private static let deadline: UInt64 = 15_000_000_000

  /// The frame itself where it is a picture of its own, else its decoded picture. Blocks for some milliseconds for each
  /// frame since the key frame.
  static func picture(of frame: Frame, camera: String, clock: SystemClock) throws(CameraError) -> Frame {
    guard let caps = frame.sample.caps, let format = SourceFormat(caps), format.isInterCoded else { return frame }
    do {
      let pipeline = try Pipeline(
        launch: "appsrc name=input format=time max-bytes=0 max-buffers=0 ! "
          + "\(try Decoding.elements(for: format, camera: camera))"
          + "appsink name=output sync=false enable-last-sample=false max-buffers=2", clock: clock)
      defer { pipeline.stop() }
      let input = try AppSource(pipeline, "input")
      let output = try AppSink(pipeline, "output")
      input.setCaps(caps)
      try pipeline.play()
      for part in frame.history { input.push(part.sample) }
      input.endOfStream()
      let end = clock.runningTime + deadline
      var picture: Frame?
      while clock.runningTime < end, let next = output.pull(timeout: end - clock.runningTime) {
        picture = Frame(next)
      }
      if let picture { return picture }
    } catch let error as CameraError {
      throw error
    } catch {
      throw CameraError(.captureFailed, "a photo of camera '\(camera)' failed", camera: camera, cause: "\(error)")
    }
    throw CameraError(
      .captureFailed, "camera '\(camera)' delivered nothing that can be decoded for a photo; try again", camera: camera)
  }
}
