import CameraProtocol
import GStreamer
import Synchronization

extension CameraSession {
  /// Begins to stream the live picture into a non-blocking descriptor; opens the camera where it is closed.
  func startPreview(
    id viewer: String, format: PreviewFormat, followsSelection: Bool, requester: Requester,
    output: any OpenDescriptor
  ) async throws(CameraError) -> PreviewStream {
    if source == nil { _ = try await perform(.open) }
    let picture = try currentFormat()
    let (id, clock) = (id, settings.clock)
    let stream = try await blocking { () throws(CameraError) in
      let stream = try PreviewStream(
        id: viewer, camera: id, source: picture, format: format, followsSelection: followsSelection,
        requester: requester, descriptor: output, clock: clock)
      do throws(CameraError) {
        try stream.show(picture, camera: id)
      } catch {
        stream.close()
        throw error
      }
      return stream
    }
    attach(stream)
    return stream
  }

  private func currentFormat() throws(CameraError) -> SourceFormat {
    guard let pictureFormat else {
      throw CameraError(.cameraDisconnected, "camera '\(id)' delivers no frames", camera: id)
    }
    return pictureFormat
  }

  private func attach(_ stream: PreviewStream) {
    viewers[stream.id] = stream
    stream.host.withLock { $0 = self }
    publishConsumers()
    pictures.add(stream)
  }

  /// Feeds a stream no more.
  func detach(_ stream: PreviewStream) {
    pictures.remove(stream)
    viewers[stream.id] = nil
    publishConsumers()
    armIdleTimer()
  }

  /// The streams that show whichever camera is selected.
  var followers: [PreviewStream] { viewers.values.filter(\.followsSelection) }

  /// Takes over streams of another session, which feeds them until this one does. Opens the camera where it is closed;
  /// throws where that fails, and then nothing has changed.
  func adopt(_ streams: [PreviewStream], from other: CameraSession) async throws(CameraError) {
    guard !streams.isEmpty else { return }
    if source == nil { _ = try await perform(.open) }
    let format = try currentFormat()
    for stream in streams where stream.ended.current == nil {
      await other.detach(stream)
      do throws(CameraError) {
        let id = id
        try await blocking { () throws(CameraError) in try stream.show(format, camera: id) }
        attach(stream)
      } catch {
        // this viewer ends, with the reason; the others go on
        stream.ended.fulfil(error)
      }
    }
  }

  /// Ends a preview. False where there is none of that id.
  func stopPreview(_ viewer: String) -> Bool {
    guard let stream = viewers[viewer] else { return false }
    stream.ended.fulfil(nil)
    return true
  }

  /// Tells who uses the camera.
  func publishConsumers() {
    let watching = viewers.sorted { $0.key < $1.key }.map(\.value.consumer)
    publish { status in
      status.viewers = watching.count
      status.consumers = watching + [recordingConsumer, timelapse?.consumer].compactMap { $0 }
    }
  }
}
