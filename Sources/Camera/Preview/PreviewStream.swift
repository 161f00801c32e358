import CameraProtocol
import GStreamer
import Synchronization

/// An open descriptor that its owner closes.
public protocol OpenDescriptor: Sendable {
  /// The number of the descriptor.
  var rawValue: Int32 { get }
}

/// One viewer: the live picture, written into a descriptor. A slow reader loses frames; nobody waits for it.
///
/// One pipeline makes pictures of a camera's frames, another one puts them into the stream; so the first can be replaced
/// when another camera is to be seen, and the stream goes on.
final class PreviewStream: FrameConsumer {
  /// Makes the stream's pictures of one camera's frames.
  private struct Picture {
    var pipeline: Pipeline
    var input: AppSource
    var caps: Caps
  }

  private struct State {
    var frames = 0
    var dropped = 0
    var picture: Picture?
  }

  /// Frames that may wait for the reader: a third of a second, so that a moment of load costs none.
  private static let longestQueue = 10

  let id: String
  let format: Format
  /// Whether it shows the camera that is selected, whichever that is.
  let followsSelection: Bool
  /// Who watches.
  let consumer: Consumer
  /// The reason for the end, nil where the reader closed or the preview was stopped.
  let ended = Promise<CameraError?>()
  /// The session that feeds it.
  let host: Mutex<CameraSession?> = Mutex(nil)
  private let stream: PreviewFormat
  private let clock: SystemClock
  private let pipeline: Pipeline
  private let output: AppSource
  private let state = Mutex(State())
  private let descriptor: any OpenDescriptor

  /// Starts the stream in the size of a source; `show` says whose frames it holds. It writes to `descriptor`, which must
  /// be non-blocking, and keeps it until the end.
  init(
    id: String, camera: String, source: SourceFormat, format stream: PreviewFormat, followsSelection: Bool,
    requester: Requester, descriptor: any OpenDescriptor, clock: SystemClock
  ) throws(CameraError) {
    self.id = id
    self.stream = stream
    self.followsSelection = followsSelection
    consumer = requester.consumer(.preview)
    self.descriptor = descriptor
    self.clock = clock
    format = Format(
      width: source.width, height: source.height, frameRate: source.frameRate.value,
      encoding: stream == .raw ? "I420" : "jpeg")
    do {
      pipeline = try Pipeline(
        launch: "\(Self.input) ! \(stream == .matroska ? "matroskamux streamable=true ! " : "")"
          + "fdsink name=output sync=false async=false", clock: clock)
      output = try AppSource(pipeline, "input")
      try pipeline.element("output").set("fd", String(descriptor.rawValue))
      let rate = source.frameRate.numerator > 0 ? ",framerate=\(source.frameRate)" : ""
      output.setCaps(
        try Caps(
          "\(stream == .raw ? "video/x-raw,format=I420" : "image/jpeg"),width=\(source.width),height=\(source.height)"
            + rate))
      try pipeline.play()
    } catch {
      throw CameraError(capture: error, camera: camera, what: "a preview")
    }
    follow(pipeline, camera: camera)
  }

  /// Shows the frames of a camera from the next one on. Blocks for some milliseconds.
  func show(_ source: SourceFormat, caps: Caps, camera: String) throws(CameraError) {
    let picture: Picture
    do {
      let made = try Pipeline(launch: try launch(source, camera: camera), clock: clock)
      let input = try AppSource(made, "input")
      let output = output
      try AppSink(made, "picture").onSample { output.push($0) }
      input.setCaps(caps)
      try made.play()
      picture = Picture(pipeline: made, input: input, caps: caps)
    } catch let error as GStreamerError {
      throw CameraError(capture: error, camera: camera, what: "a preview")
    } catch {
      throw error as? CameraError ?? CameraError(.internalError, "\(error)", camera: camera)
    }
    follow(picture.pipeline, camera: camera)
    let before = state.withLock { state -> Picture? in
      let before = state.picture
      state.picture = picture
      return before
    }
    before?.pipeline.stop()
    // closed in the meantime
    if ended.current != nil { stopPicture() }
  }

  private static let input = "appsrc name=input format=time is-live=true max-bytes=0 max-buffers=0 max-time=0"

  /// The launch line of the pictures. The size is the stream's, whatever the source delivers now.
  private func launch(_ source: SourceFormat, camera: String) throws(CameraError) -> String {
    var line = "\(Self.input) ! "
    if source.mediaType == "image/jpeg", stream != .raw, (source.width, source.height) == (format.width, format.height)
    {
      line += "jpegparse ! "
    } else {
      line += try Decoding.elements(for: source, camera: camera)
      line += "videoscale ! videoconvert ! video/x-raw,width=\(format.width),height=\(format.height),"
      line += "pixel-aspect-ratio=1/1"
      line += stream == .raw ? ",format=I420 ! " : " ! jpegenc quality=85 ! "
    }
    return line + "appsink name=picture sync=false enable-last-sample=false"
  }

  /// Ends the stream when one of its pipelines does.
  private func follow(_ pipeline: Pipeline, camera: String) {
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

  func consume(_ frame: borrowing Sample) {
    state.withLock { state in
      guard let picture = state.picture else { return }
      guard picture.input.queuedBuffers + output.queuedBuffers < Self.longestQueue else {
        state.dropped += 1
        return
      }
      if !frame.hasCaps(picture.caps), let caps = frame.caps {
        if !caps.isEqual(picture.caps) { picture.input.setCaps(caps) }
        state.picture?.caps = caps
      }
      picture.input.push(frame)
      state.frames += 1
    }
  }

  /// Ends the stream, whatever the reader does. Blocks until the pipelines are closed.
  func close() {
    ended.fulfil(nil)
    stopPicture()
    pipeline.stop()
  }

  private func stopPicture() {
    let picture = state.withLock { state -> Picture? in
      let picture = state.picture
      state.picture = nil
      return picture
    }
    picture?.pipeline.stop()
  }

  /// Frames handed over, and frames the reader was too slow for.
  var counts: (frames: Int, dropped: Int) { state.withLock { ($0.frames, $0.dropped) } }
}
