public import CameraProtocol
import MediaLibrary

/// What pressing the one button did.
public enum ShutterResult: Sendable {
  /// A photo was taken.
  case photo(Asset)
  /// A recording was started.
  case started(RecordingStatus)
  /// The recording that ran was stopped.
  case finished(RecordingResult)
}

/// The one button.
extension CameraSession {
  /// Takes a photo in photo mode; in video mode, starts a recording as requested, or stops the one that runs. Presses
  /// are carried out one after the other. The recording has the quality of the status.
  public func pressShutter(
    _ recording: RecordingRequest, requestedAt: UInt64
  ) async throws(CameraError) -> ShutterResult {
    defer { armIdleTimer() }
    // one that ends by itself just now is the one that was meant
    if let finishing, let result = await finishing.value(within: Self.finishDeadline) { return .finished(result) }
    var recording = recording
    recording.quality = quality
    if mode == .video { try await awaitRecovery() }
    let outcome = try await perform(.shutter, recording: recording)
    if let started = outcome.started { return .started(started) }
    if let finished = outcome.finished { return .finished(finished) }
    let library = settings.library
    let taken = try await takePhoto(PhotoRequest(), requestedAt: requestedAt) { photos throws(CameraError) in
      try library.savePhoto(photos.original.buffers, photos.original.description)
    }
    return .photo(taken.result)
  }
}
