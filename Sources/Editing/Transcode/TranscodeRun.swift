import Dispatch
import CameraProtocol
import GStreamer
import Synchronization

/// Two pipelines, one of which feeds the other, from their start to their end.
final class TranscodeRun: Sendable {
  /// How the first one came to its end.
  enum End: Sendable {
    /// All that is wanted has gone through.
    case complete
    case cancelled
    case failed(GStreamerError)
  }

  private let reader: Pipeline
  private let writer: Pipeline
  private let feed: TranscodeFeed
  private let ends = Mutex<(reading: End?, writing: End?)>((nil, nil))
  private let change = DispatchSemaphore(value: 0)

  init(reader: Pipeline, writer: Pipeline, feed: TranscodeFeed) {
    self.reader = reader
    self.writer = writer
    self.feed = feed
  }

  /// Ends the reading; the first one counts. From any thread.
  func end(_ end: End) {
    let isFirst = ends.withLock { ends in
      defer { ends.reading = ends.reading ?? end }
      return ends.reading == nil
    }
    if isFirst { change.signal() }
  }

  /// Runs them until the file is written, and stops both. `patience`: seconds without progress. Throws `cancelled`, what
  /// failed, or `captureFailed` where nothing went on.
  func go(patience: Int) throws(CameraError) {
    watch(reader) { $0.end($1) }
    watch(writer) { $0.written($1) }
    defer {
      // the writer first: a reader that waits for it could not be stopped
      writer.stop()
      reader.stop()
    }
    do throws(GStreamerError) {
      try writer.play()
      try reader.play()
    } catch {
      throw MovieTranscoder.failure(error)
    }
    try wait(patience) { $0.reading ?? $0.writing }
    feed.end()
    try wait(patience) { $0.writing }
  }

  /// Listens to a pipeline until it is stopped.
  private func watch(_ pipeline: Pipeline, _ note: @escaping @Sendable (TranscodeRun, End) -> Void) {
    let messages = pipeline.messages
    Task {
      for await message in messages {
        switch message {
        case .error(let error): note(self, .failed(error))
        case .endOfStream: note(self, .complete)
        case .warning: break
        }
      }
    }
  }

  private func written(_ end: End) {
    ends.withLock { $0.writing = $0.writing ?? end }
    change.signal()
  }

  private func wait(_ patience: Int, _ event: ((reading: End?, writing: End?)) -> End?) throws(CameraError) {
    var seen = -1
    while true {
      let now = ends.withLock { $0 }
      for case .failed(let error)? in [now.writing, now.reading] { throw MovieTranscoder.failure(error) }
      if case .cancelled? = now.reading { throw CameraError(.cancelled, "the edit was cancelled") }
      if event(now) != nil { return }
      guard change.wait(timeout: .now() + .seconds(patience)) == .timedOut else { continue }
      let activity = feed.activity
      guard activity != seen else {
        throw CameraError(.captureFailed, "transcoding has stood still for \(patience) seconds")
      }
      seen = activity
    }
  }
}
