import Dispatch
import GStreamer
import Synchronization

/// Those who look at a session's pictures one after the other: recording, previews, meters. Where a source's frames
/// depend on each other, one decoder serves them all, and runs only while there are any.
final class PictureTap: FrameConsumer {
  private struct State {
    var viewers: [any FrameConsumer] = []
    var caps: Caps?
    var isInterCoded = false
    var decoder: StreamDecoder?
    /// A decoder that failed isn't made again before the next key frame.
    var waitsForKeyFrame = false
  }

  private let state = Mutex(State())
  private let camera: String
  private let clock: SystemClock
  private let log: Logger

  init(camera: String, clock: SystemClock, log: @escaping Logger) {
    self.camera = camera
    self.clock = clock
    self.log = log
  }

  func add(_ viewer: any FrameConsumer) {
    state.withLock { $0.viewers.append(viewer) }
  }

  /// Puts a viewer in another one's place, after something was done with no picture in between; each picture goes to one of
  /// them.
  func replace(_ viewer: any FrameConsumer, with other: any FrameConsumer, after step: () -> Void = {}) {
    state.withLock { state in
      step()
      state.viewers = state.viewers.map { $0 === viewer ? other : $0 }
    }
  }

  /// After this returns, one last frame may still be on its way to the viewer.
  func remove(_ viewer: any FrameConsumer) {
    state.withLock { state in state.viewers.removeAll { $0 === viewer } }
  }

  /// Takes a frame as the source delivers it. On the streaming thread.
  func consume(_ frame: borrowing Sample) {
    let (viewers, isInterCoded, decoder) = state.withLock { state in
      if state.caps.map({ !frame.hasCaps($0) }) ?? true, let caps = frame.caps {
        state.caps = caps
        state.isInterCoded = SourceFormat(caps)?.isInterCoded ?? false
      }
      return (state.viewers, state.isInterCoded, state.decoder)
    }
    guard isInterCoded else {
      if decoder != nil { reset() }
      for viewer in viewers { viewer.consume(frame) }
      return
    }
    guard !viewers.isEmpty else {
      if decoder != nil { reset() }
      return
    }
    if decoder?.hasFailed ?? false {
      reset()
      state.withLock { $0.waitsForKeyFrame = true }
    }
    (state.withLock { $0.decoder } ?? makeDecoder(frame))?.push(frame)
  }

  /// The decoded picture of a frame, where the decoder has it at hand.
  func picture(of frame: Frame) -> Frame? {
    state.withLock { $0.decoder }?.newest.flatMap { $0.sample.runningTime == frame.sample.runningTime ? $0 : nil }
  }

  /// Lets the decoder go, when the source closes.
  func reset() {
    let decoder = state.withLock { state in
      defer { state.decoder = nil }
      return state.decoder
    }
    guard let decoder else { return }
    DispatchQueue.global().async { decoder.close() }
  }

  private func makeDecoder(_ frame: borrowing Sample) -> StreamDecoder? {
    guard frame.isDecodable, state.withLock({ !$0.waitsForKeyFrame }) || !frame.isDelta else { return nil }
    do {
      let decoder = try StreamDecoder(frame, camera: camera, clock: clock) { [weak self] output in
        let viewers = self?.state.withLock { $0.viewers } ?? []
        switch output {
        case .dropped(let count): for viewer in viewers { viewer.miss(count) }
        case .failed(let error): self?.log(.error, "the decoder of camera '\(self?.camera ?? "")' failed: \(error)")
        }
      } show: { [weak self] picture in
        let viewers = self?.state.withLock { $0.viewers } ?? []
        for viewer in viewers { viewer.consume(picture) }
      }
      state.withLock { state in
        state.decoder = decoder
        state.waitsForKeyFrame = false
      }
      return decoder
    } catch {
      log(.error, "the frames of camera '\(camera)' can't be decoded: \(error)")
      state.withLock { $0.waitsForKeyFrame = true }
      return nil
    }
  }
}
