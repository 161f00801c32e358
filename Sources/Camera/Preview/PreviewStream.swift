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
/// One pipeline encodes a camera's frames, where they aren't what is streamed, and another one puts them into the stream;
/// so the first can be replaced when another camera, or another encoding of it, is to be seen, and the stream goes on.
final class PreviewStream: FrameConsumer {
  private struct State {
    var frames = 0
    var dropped = 0
    /// Whose frames they are.
    var camera = ""
    var caps: Caps?
    /// nil where the frames are streamed as they come.
    var encoder: PreviewEncoder?
    /// Whether the source is closed: no frame is taken.
    var isHidden = false
    var holdsCameraBuffers = false
    /// Those who wait until every picture has left the stream.
    var whenEmpty: Promise<Void>?
    /// Whether the stream has taken all pictures and waits for the next.
    var isEmpty = true
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
          + "fdsink name=output sync=false async=false enable-last-sample=false", clock: clock)
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
    output.onHungry { [weak self] in self?.emptied() }
    follow(pipeline, camera: camera)
  }

  /// Shows the frames of a camera from the next one on. Blocks for some milliseconds.
  func show(_ source: SourceFormat, camera: String) throws(CameraError) {
    // made now, so that the first frame doesn't wait for it
    let encoder = try makeEncoder(source, camera: camera)
    let isUnchanged = isUnchanged(source)
    let before = state.withLock { state -> PreviewEncoder? in
      let before = state.encoder
      (state.camera, state.caps, state.encoder, state.isHidden) = (camera, nil, encoder, false)
      if isUnchanged { state.holdsCameraBuffers = true }
      return before
    }
    before?.close()
    // closed in the meantime
    if ended.current != nil { hide() }
  }

  private func put(_ picture: borrowing Sample) {
    state.withLock { $0.isEmpty = false }
    output.push(picture)
  }

  /// Whether what it sends can be a camera's own buffers.
  var holdsCameraBuffers: Bool { state.withLock { $0.holdsCameraBuffers } }

  /// Waits until every picture has gone to the reader; false where it doesn't take them in time. Pictures that
  /// go through as they are are the camera's own buffers: its device isn't closed before they are all back.
  func isEmpty(within deadline: Duration) async -> Bool {
    let promise = state.withLock { state -> Promise<Void>? in
      guard !state.isEmpty else { return nil }
      let promise = state.whenEmpty ?? Promise()
      state.whenEmpty = promise
      return promise
    }
    guard let promise else { return true }
    return await promise.value(within: deadline) != nil
  }

  /// On the stream's thread, which has nothing to do.
  private func emptied() {
    let promise = state.withLock { state -> Promise<Void>? in
      // a picture may have come in the meantime
      guard output.queuedBuffers == 0 else { return nil }
      state.isEmpty = true
      return state.whenEmpty.take()
    }
    promise?.fulfil(())
  }

  private static let input = "appsrc name=input format=time is-live=true max-bytes=0 max-buffers=0 max-time=0"

  /// Whether raw pictures go through as they are: nothing is to be converted, so nothing is copied.
  private func isUnchanged(_ source: SourceFormat) -> Bool {
    source.mediaType == "video/x-raw" && stream == .raw && source.pixelFormat == format.encoding
      && (source.width, source.height) == (format.width, format.height)
  }

  /// Ends the stream when its pipeline does.
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
      guard ended.current == nil, !state.isHidden else { return }
      guard output.queuedBuffers + (state.encoder?.queuedBuffers ?? 0) < Self.longestQueue else {
        state.dropped += 1
        return
      }
      if state.caps.map({ !frame.hasCaps($0) }) ?? true, let caps = frame.caps {
        state.caps = caps
        if let source = SourceFormat(caps) { adapt(to: source, &state) }
      }
      if let encoder = state.encoder {
        encoder.push(frame)
      } else {
        (state.holdsCameraBuffers, state.isEmpty) = (true, false)
        output.push(frame)
      }
      state.frames += 1
    }
  }

  func miss(_ count: Int) { state.withLock { $0.dropped += count } }

  /// Takes another encoder where the source delivers something else than before.
  private func adapt(to source: SourceFormat, _ state: inout State) {
    guard isStreamable(source) ? state.encoder != nil : state.encoder?.mediaType != source.mediaType else { return }
    state.encoder?.close()
    state.encoder = nil
    do throws(CameraError) {
      state.encoder = try makeEncoder(source, camera: state.camera)
    } catch {
      ended.fulfil(error)
    }
  }

  /// Whether a camera's frames can be streamed as they are.
  private func isStreamable(_ source: SourceFormat) -> Bool {
    stream != .raw && source.mediaType == SourceFormat.jpeg && source.width == format.width
      && source.height == format.height
  }

  private func makeEncoder(_ source: SourceFormat, camera: String) throws(CameraError) -> PreviewEncoder? {
    guard !isStreamable(source) else { return nil }
    let ended = ended
    return try PreviewEncoder(
      source, size: (format.width, format.height), isRaw: stream == .raw, camera: camera, clock: clock,
      failed: { ended.fulfil($0) }, output: { [weak self] in self?.put($0) })
  }

  /// Ends the stream, whatever the reader does. Blocks until the pipeline is closed.
  func close() {
    ended.fulfil(nil)
    hide()
    pipeline.stop()
  }

  /// Shows nothing until `show`, and gives the frames back at once. Blocks for some milliseconds.
  func hide() {
    let encoder = state.withLock { state -> PreviewEncoder? in
      let encoder = state.encoder
      (state.encoder, state.isHidden) = (nil, true)
      return encoder
    }
    encoder?.stop()
  }

  /// Frames handed over, and frames the reader was too slow for.
  var counts: (frames: Int, dropped: Int) { state.withLock { ($0.frames, $0.dropped) } }
}
