import CameraProtocol
import MediaLibrary
import Synchronization

/// Files that follow each other with no frame lost between two: the next recorder is made ready ahead of time, and the
/// feed hands over to it on the streaming thread, at a frame.
extension CameraSession {
  /// Makes the next segment ready. Where that fails, this one goes on, and it is tried again a second later.
  func prepareSegment(after recorder: MovieRecorder) async {
    guard self.recorder === recorder, finishing == nil, nextRecorder == nil, !preparesSegment,
      let recordingRequest, let format = recordedFormat(recorder.usesPreRoll)
    else { return }
    preparesSegment = true
    defer { preparesSegment = false }
    do throws(CameraError) {
      let next = try await makeRecorder(
        recorder.plan, format, recordingRequest.remaining(after: recorder), audio: recorder.audio,
        segment: (recorder.segment ?? 1) + 1, usesPreRoll: recorder.usesPreRoll)
      guard self.recorder === recorder, finishing == nil else { return try await withdraw(next) }
      nextRecorder = next
      recorder.feed.prepare(next.feed)
    } catch {
      warn(error)
    }
  }

  private func withdraw(_ recorder: MovieRecorder) async throws(CameraError) { _ = try await recorder.discard() }

  /// The next segment has begun; this one is finished beside it.
  func changeSegment(_ recorder: MovieRecorder) {
    guard self.recorder === recorder, let next = nextRecorder, recorder.feed.hasHandedOver else { return }
    self.recorder = next
    nextRecorder = nil
    // it is in one of them
    pictures.replace(recorder.feed, with: next.feed)
    tap.replace(recorder.feed, with: next.feed)
    currentPreRoll.withLock { $0 }?.replace(recorder.feed, with: next.feed)
    currentRecorder.withLock { $0 = next }
    watch(next)
    recorder.state.withLock { $0 = .finishing }
    finishingSegments.append(
      Task {
        await next.run()
        let result = await recorder.finish(.segment, message: nil)
        settings.emit(Event(.segmentFinished, camera: id, result: result, message: result.message))
        if let asset = result.asset { settings.emit(Event(.libraryChanged, camera: id, asset: asset)) }
        if let message = result.message {
          settings.log(.warning, "a segment of camera '\(id)' has ended: \(message)")
        }
      })
  }

  /// Makes the segment that runs the last one; it may be the next one that has begun a moment ago.
  func endSegments() async {
    guard let recorder else { return }
    if let next = nextRecorder {
      if recorder.feed.withdraw() {
        nextRecorder = nil
        do throws(CameraError) {
          try await withdraw(next)
        } catch {
          warn(error)
        }
      } else {
        changeSegment(recorder)
      }
    }
  }

  /// Waits until every segment before the last is complete.
  func awaitSegments() async {
    for task in finishingSegments { await task.value }
    finishingSegments = []
  }
}

extension RecordingRequest {
  /// What is left of the limits of the whole recording when a segment is over.
  fileprivate func remaining(after recorder: MovieRecorder) -> RecordingRequest {
    var rest = self
    if let limit = recorder.limits.duration {
      rest.maxDuration = limit - min(limit, segmentDuration ?? recorder.feed.progress.duration)
    }
    if let limit = recorder.limits.bytes {
      rest.maxBytes = max(0, limit - max(recorder.draft.bytes, segmentBytes ?? 0))
    }
    return rest
  }
}
