import CameraProtocol
import GStreamer
import Synchronization

/// Measures how bright frames are, on a little pipeline that shrinks each to a few dots.
final class BrightnessMeter: Sendable {
  /// How long one frame may take, in nanoseconds.
  private static let deadline: UInt64 = 1_000_000_000

  private let pipeline: Pipeline
  private let input: AppSource
  private let output: AppSink
  private let caps = Mutex(FollowedCaps())

  /// Blocks for some milliseconds. With a handler, that takes the mean luminance (0 ... 255) of each frame, on a thread
  /// of the pipeline.
  init(
    _ source: SourceFormat, camera: String, clock: SystemClock,
    handler: (@Sendable (Double) -> Void)? = nil
  ) throws {
    let decoding = try Decoding.elements(for: source, camera: camera)
    pipeline = try Pipeline(
      launch: "appsrc name=input format=time max-bytes=0 ! \(decoding)videoscale method=nearest-neighbour ! "
        + "video/x-raw,width=64,height=48 ! videoconvert ! video/x-raw,format=GRAY8 ! "
        + "appsink name=output sync=false enable-last-sample=false", clock: clock)
    input = try AppSource(pipeline, "input")
    output = try AppSink(pipeline, "output")
    if let handler {
      output.onSample { sample in
        if let mean = try? Self.mean(sample) { handler(mean) }  // a frame that can't be read is one less
      }
    }
    try pipeline.play()
  }

  /// Takes a frame to measure; none where it is behind.
  func push(_ frame: borrowing Sample) {
    guard input.queuedBuffers < 4 else { return }
    caps.withLock { $0.follow(frame, into: input) }
    input.push(frame)
  }

  func close() { pipeline.stop() }

  /// The mean luminance of one frame, 0 ... 255. Blocks for some milliseconds.
  static func measure(_ frame: Frame, camera: String, clock: SystemClock) throws(CameraError) -> Double {
    let frame = try StillDecoder.picture(of: frame, camera: camera, clock: clock)
    let failed = CameraError(.captureFailed, "the brightness of camera '\(camera)' can't be measured", camera: camera)
    guard let caps = frame.sample.caps, let source = SourceFormat(caps) else { throw failed }
    do {
      let meter = try BrightnessMeter(source, camera: camera, clock: clock)
      defer { meter.close() }
      meter.push(frame.sample)
      guard let dots = meter.output.pull(timeout: deadline) else { throw failed }
      return try mean(dots)
    } catch {
      throw error as? CameraError ?? CameraError(failed.kind, failed.detail.message, camera: camera, cause: "\(error)")
    }
  }

  private static func mean(_ dots: borrowing Sample) throws -> Double {
    try dots.withBytes { bytes in
      bytes.isEmpty ? 0 : Double(bytes.reduce(into: 0) { $0 += Int($1) }) / Double(bytes.count)
    }
  }
}
