public import CameraProtocol
import GStreamer

/// A preview that runs, as its client sees it.
public struct PreviewHandle: Sendable {
  /// Names it for `stopPreview`.
  public var id: String
  /// What is streamed.
  public var format: Format
}

extension CameraSession {
  /// Streams the live picture into a non-blocking descriptor until the reader closes, `stopPreview`, or the task is
  /// cancelled. `started` is called when it begins. Returns the frames streamed and the frames the reader was too slow
  /// for.
  public func preview(
    id viewer: String, format: PreviewFormat, output: any OpenDescriptor,
    started: @Sendable (PreviewHandle) throws -> Void
  ) async throws -> (handle: PreviewHandle, frames: Int, droppedFrames: Int) {
    if source == nil { _ = try await perform(.open) }
    guard let sourceFormat, let caps = tap.frame(at: settings.clock.runningTime)?.sample.caps else {
      throw CameraError(.cameraDisconnected, "camera '\(id)' delivers no frames", camera: id)
    }
    let (id, clock) = (id, settings.clock)
    let stream = try await blocking { () throws(CameraError) in
      try PreviewStream(
        id: viewer, camera: id, source: sourceFormat, caps: caps, format: format, descriptor: output, clock: clock)
    }
    viewers[viewer] = stream
    publish { $0.viewers = viewers.count }
    tap.add(stream)
    defer {
      tap.remove(stream)
      viewers[viewer] = nil
      publish { $0.viewers = viewers.count }
      armIdleTimer()
    }
    let handle = PreviewHandle(id: viewer, format: stream.format)
    do {
      try started(handle)
    } catch {
      await blocking { stream.close() }
      throw error
    }
    let error = await stream.ended.value(within: nil)
    await blocking { stream.close() }
    if case .some(.some(let error)) = error { throw error }
    return (handle, stream.counts.frames, stream.counts.dropped)
  }

  /// Ends a preview. False where there is none of that id.
  public func stopPreview(_ viewer: String) -> Bool {
    guard let stream = viewers[viewer] else { return false }
    stream.ended.fulfil(nil)
    return true
  }
}
