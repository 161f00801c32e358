public import CameraProtocol
import Synchronization

/// Letting a recording stand still.
extension CameraSession {
  /// Takes nothing more until `resumeRecording`. Throws `notRecording`.
  public func pauseRecording() throws(CameraError) -> RecordingStatus {
    let recorder = try runningRecorder()
    guard !recorder.feed.isPaused else { return recorder.status(camera: id) }
    recorder.feed.pause()
    return tell(.recordingPaused, recorder, .paused)
  }

  /// Goes on where it stands still. Throws `notRecording`.
  public func resumeRecording() throws(CameraError) -> RecordingStatus {
    let recorder = try runningRecorder()
    guard recorder.feed.isPaused else { return recorder.status(camera: id) }
    recorder.feed.resume()
    return tell(.recordingResumed, recorder, .recording)
  }

  private func runningRecorder() throws(CameraError) -> MovieRecorder {
    if let recorder { changeSegment(recorder) }
    guard let recorder, finishing == nil else {
      throw CameraError(.notRecording, "camera '\(id)' is not recording", camera: id)
    }
    return recorder
  }

  private func tell(_ kind: EventKind, _ recorder: MovieRecorder, _ state: RecordingState) -> RecordingStatus {
    recorder.state.withLock { $0 = state }
    let status = recorder.status(camera: id)
    settings.emit(Event(kind, camera: id, recording: status))
    return status
  }
}
