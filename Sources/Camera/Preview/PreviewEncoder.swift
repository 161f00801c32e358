import CameraProtocol
import Dispatch
import GStreamer
import Synchronization

/// Makes what a preview streams of what a source delivers: JPEG pictures, or I420 ones, of the preview's size.
final class PreviewEncoder: Sendable {
  /// What it can take; other frames need another one.
  let mediaType: String
  private let pipeline: Pipeline
  private let input: AppSource
  private let caps = Mutex(FollowedCaps())

  /// Starts the pipeline. `output` takes what it makes, on a thread of its own; `failed` is called where it ends by itself.
  /// Blocks for some milliseconds.
  init(
    _ source: SourceFormat, size: (width: Int, height: Int), isRaw: Bool, camera: String, clock: SystemClock,
    failed: @escaping @Sendable (CameraError) -> Void, output: @escaping @Sendable (borrowing Sample) -> Void
  ) throws(CameraError) {
    mediaType = source.mediaType
    let caps =
      "video/x-raw,width=\(size.width),height=\(size.height),pixel-aspect-ratio=1/1\(isRaw ? ",format=I420" : "")"
    let line =
      "appsrc name=input format=time is-live=true max-bytes=0 max-buffers=0 max-time=0 ! "
      + "\(try Decoding.elements(for: source, camera: camera))videoscale ! videoconvert ! \(caps) ! "
      + "\(isRaw ? "" : "jpegenc quality=85 ! ")appsink name=output sync=false enable-last-sample=false"
    do {
      pipeline = try Pipeline(launch: line, clock: clock)
      input = try AppSource(pipeline, "input")
      try AppSink(pipeline, "output").onSample(output)
      try pipeline.play()
    } catch {
      throw CameraError(capture: error, camera: camera, what: "a preview")
    }
    let messages = pipeline.messages
    Task {
      for await case .error(let error) in messages {
        failed(CameraError(capture: error, camera: camera, what: "a preview"))
      }
    }
  }

  /// Frames that wait.
  var queuedBuffers: Int { input.queuedBuffers }

  /// Takes a frame. On a streaming thread.
  func push(_ frame: borrowing Sample) {
    caps.withLock { $0.follow(frame, into: input) }
    input.push(frame)
  }

  /// Ends it, and lets all frames go. Blocks for some milliseconds.
  func stop() { pipeline.stop() }

  /// Ends it; returns at once.
  func close() {
    let pipeline = pipeline
    DispatchQueue.global().async { pipeline.stop() }
  }
}
