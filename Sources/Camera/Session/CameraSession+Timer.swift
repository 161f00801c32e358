import CameraProtocol
import GStreamer

/// The self-timer.
extension CameraSession {
  /// How long before a picture is due a camera is opened for it, in nanoseconds: time to open and to come to rest.
  static let wakeTime: UInt64 = 4_000_000_000

  /// Ends all self-timers and bursts; how many there were.
  public func cancelPhotos() -> Int {
    let running = cancellations.filter { !$0.isCancelled }
    for cancellation in running { cancellation.cancel() }
    return running.count
  }

  /// Waits so many seconds from a running time on, and tells everyone how many are left. The camera is opened
  /// meanwhile. Returns the running time at which they are over; throws `cancelled`, and `queueFull` where too many
  /// self-timers run.
  func countDown(
    _ seconds: Double, from start: UInt64, _ cancellation: Cancellation
  ) async throws(CameraError) -> UInt64 {
    guard seconds > 0 else { return start }
    guard cancellations.count < Self.longestPhotoQueue else {
      throw CameraError(
        .queueFull,
        "\(cancellations.count) self-timers and bursts of camera '\(id)' run already; cancel them, or try again when "
          + "they are over", camera: id)
    }
    let due = start + UInt64(seconds * 1e9)
    cancellations.append(cancellation)
    defer {
      cancellations.removeAll { $0 === cancellation }
      tellPhotosEnded()
    }
    let preparation = Task { await self.prepare(for: due, cancellation) }
    var left = seconds
    while left > 0, !cancellation.isCancelled {
      settings.emit(Event(.timerTick, camera: id, secondsLeft: left))
      left = left.rounded(.up) - 1
      if await !cancellation.wait(until: due - UInt64(left * 1e9), settings.clock) { break }
    }
    preparation.cancel()
    guard cancellation.isCancelled else { return due }
    settings.emit(Event(.timerCancelled, camera: id))
    throw Self.cancelled(id)
  }

  static func cancelled(_ id: String) -> CameraError {
    CameraError(.cancelled, "the photo of camera '\(id)' was cancelled before it was taken", camera: id)
  }

  /// Opens the camera in time, so that it is at rest when a photo is due. What fails is told when that is taken.
  private func prepare(for due: UInt64, _ cancellation: Cancellation) async {
    guard await cancellation.wait(until: due - min(due, Self.wakeTime), settings.clock), !Task.isCancelled else {
      return
    }
    cancellation.holdsCamera = true
    do throws(CameraError) {
      _ = try await ready(for: settings.clock.runningTime)
    } catch {
      settings.log(.debug, "\(error)")
    }
  }
}

/// What a recording had dropped at a moment.
struct RecordingMark {
  var recorder: MovieRecorder
  var dropped: Int
}

/// What photos cost a recording.
extension CameraSession {
  /// How a recording stands now; nil where none runs.
  var recordingMark: RecordingMark? {
    recorder.map { RecordingMark(recorder: $0, dropped: $0.feed.progress.dropped) }
  }

  /// Frames that the recording has dropped since then, to its end at most; nil where none ran. Where it has gone on in
  /// a new file, that one counts as well.
  func framesDropped(since mark: RecordingMark?) -> Int? {
    guard let mark else { return nil }
    let before = mark.recorder.feed.progress.dropped - mark.dropped
    guard let recorder, recorder !== mark.recorder, mark.recorder.segment != nil else { return before }
    return before + recorder.feed.progress.dropped
  }
}
