import CameraProtocol
import GStreamer
import Synchronization

/// An open descriptor that its owner closes.
public protocol OpenDescriptor: Sendable {
  /// The number of the descriptor.
  var rawValue: Int32 { get }
}

/// One viewer: a pipeline that writes the live picture into a descriptor. A slow reader loses frames; nobody waits for
/// it.
final class PreviewStream: FrameConsumer {
  private struct State {
    var frames = 0
    var dropped = 0
    var caps: Caps
  }

  /// Frames that may wait for the reader: a third of a second, so that a moment of load costs none.
  private static let longestQueue = 10

  let id: String
  let format: Format
  /// The reason for the end, nil where the reader closed or the preview was stopped.
  let ended = Promise<CameraError?>()
  private let pipeline: Pipeline
  private let input: AppSource
  private let state: Mutex<State>
  private let descriptor: any OpenDescriptor

  /// Starts the pipeline. It writes to `descriptor`, which must be non-blocking, and keeps it until the end.
  init(
    id: String, camera: String, source: SourceFormat, caps: Caps, format: PreviewFormat,
    descriptor: any OpenDescriptor, clock: SystemClock
  ) throws(CameraError) {
    self.id = id
    self.descriptor = descriptor
    state = Mutex(State(caps: caps))
    let description = try Self.pipeline(source, camera: camera, format: format)
    do {
      pipeline = try Pipeline(launch: description, clock: clock)
      input = try AppSource(pipeline, "input")
      try pipeline.element("output").set("fd", String(descriptor.rawValue))
      input.setCaps(caps)
      try pipeline.play()
    } catch {
      throw CameraError(capture: error, camera: camera, what: "a preview")
    }
    let encoding = format == .raw ? "I420" : "jpeg"
    self.format = Format(
      width: source.width, height: source.height, frameRate: source.frameRate.value, encoding: encoding)
    let (messages, ended) = (pipeline.messages, ended)
    Task {
      for await message in messages {
        switch message {
        // the reader has gone: writing to its descriptor fails
        case .error(let error) where error.element == "output": ended.fulfil(nil)
        case .error(let error): ended.fulfil(CameraError(capture: error, camera: camera, what: "a preview"))
        case .endOfStream: ended.fulfil(nil)
        case .warning: break
        }
      }
    }
  }

  /// The launch line. The size is held as it was at the start, whatever the source changes to, since a stream can't
  /// change it.
  static func pipeline(_ source: SourceFormat, camera: String, format: PreviewFormat) throws(CameraError) -> String {
    var line = "appsrc name=input format=time is-live=true max-bytes=0 max-buffers=0 max-time=0 ! "
    let size = "width=\(source.width),height=\(source.height)"
    if source.mediaType == "image/jpeg", format != .raw {
      line += "jpegparse ! "
    } else {
      line += try Decoding.elements(for: source, camera: camera)
      line += "videoscale ! videoconvert ! "
      line += format == .raw ? "video/x-raw,format=I420,\(size) ! " : "video/x-raw,\(size) ! jpegenc quality=85 ! "
    }
    if format == .matroska { line += "matroskamux streamable=true ! " }
    return line + "fdsink name=output sync=false async=false"
  }

  func consume(_ frame: borrowing Sample) {
    state.withLock { state in
      guard input.queuedBuffers < Self.longestQueue else {
        state.dropped += 1
        return
      }
      if !frame.hasCaps(state.caps), let caps = frame.caps {
        if !caps.isEqual(state.caps) { input.setCaps(caps) }
        state.caps = caps
      }
      input.push(frame)
      state.frames += 1
    }
  }

  /// Ends the stream, whatever the reader does. Blocks until the pipeline is closed.
  func close() {
    ended.fulfil(nil)
    pipeline.stop()
  }

  /// Frames handed over, and frames the reader was too slow for.
  var counts: (frames: Int, dropped: Int) { state.withLock { ($0.frames, $0.dropped) } }
}
