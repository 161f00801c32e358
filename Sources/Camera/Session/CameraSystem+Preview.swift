public import CameraProtocol
import Synchronization

/// A preview that runs, as its client sees it.
public struct PreviewHandle: Sendable {
  /// Names it for `stopPreview`.
  public var id: String
  /// What is streamed.
  public var format: Format
}

extension CameraSystem {
  /// Streams the live picture of a camera into a non-blocking descriptor until the reader closes, `stopPreview`, or the
  /// task is cancelled; without a camera, that of the selected one, also when another one is selected. `number` is the
  /// viewer's. `started` is called when it begins. Returns the frames streamed and those the reader was too slow for.
  public func preview(
    _ camera: String?, number: UInt64, format: PreviewFormat, requester: Requester, output: any OpenDescriptor,
    started: @Sendable (PreviewHandle) throws -> Void
  ) async throws -> (handle: PreviewHandle, frames: Int, droppedFrames: Int) {
    let stream = try await start(camera, number, format, requester, output)
    let handle = PreviewHandle(id: stream.id, format: stream.format)
    do {
      try started(handle)
    } catch {
      await end(stream)
      throw error
    }
    let error = await stream.ended.value(within: nil)
    await end(stream)
    if case .some(.some(let error)) = error { throw error }
    return (handle, stream.counts.frames, stream.counts.dropped)
  }

  private func start(
    _ camera: String?, _ number: UInt64, _ format: PreviewFormat, _ requester: Requester,
    _ output: any OpenDescriptor
  ) async throws(CameraError) -> PreviewStream {
    // or it would begin at the camera that was selected before
    if camera == nil { await selection.enter() }
    defer { if camera == nil { selection.leave() } }
    let session = try session(camera)
    return try await session.startPreview(
      id: "\(session.definition.id)/\(number)", format: format, followsSelection: camera == nil,
      requester: requester, output: output)
  }

  private func end(_ stream: PreviewStream) async {
    let host = stream.host.withLock { host in
      let last = host
      host = nil
      return last
    }
    await host?.detach(stream)
    await blocking { stream.close() }
  }

  /// Ends a preview of any camera. False where there is none of that id.
  public func stopPreview(_ viewer: String) async -> Bool {
    for session in state.withLock({ Array($0.sessions.values) }) where await session.stopPreview(viewer) {
      return true
    }
    return false
  }
}
