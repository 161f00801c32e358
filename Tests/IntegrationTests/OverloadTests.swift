import CameraProtocol
import Foundation
import Synchronization
import TestSupport
import Testing

/// A machine that is too slow for what is asked of it.
@Suite struct OverloadTests {
  /// Lets a process run a part of the time only.
  private final class Throttle: Sendable {
    private let isOver = Mutex(false)
    private let ended = DispatchSemaphore(value: 0)

    /// `share`: from 0 to 1.
    init(_ process: ChildProcess, share: Double) {
      Thread.detachNewThread { [self] in
        while !isOver.withLock({ $0 }) {
          process.send(SIGSTOP)
          Thread.sleep(forTimeInterval: 0.05 * (1 - share))
          process.send(SIGCONT)
          Thread.sleep(forTimeInterval: 0.05 * share)
        }
        ended.signal()
      }
    }

    func end() {
      isOver.withLock { $0 = true }
      ended.wait()
    }
  }

  /// With a fifth of a core, pictures are left out evenly and told of, the movie is whole, and the next one has fewer.
  @Test func anEncoderThatCannotKeepUpIsToldAndEased() async throws {
    try await withDaemon(.init(camera: Source.video("pattern=snow", 1280, 720)), share: .whole) { daemon in
      let client = try daemon.client()
      let events = try daemon.events([.warning])
      try client.start(.high)
      let throttle = Throttle(daemon.process, share: 0.2)
      let warning = try events.next(.warning, within: .seconds(30)) { $0.message?.contains("can't keep up") ?? false }
      #expect(warning.camera == "main")
      pass(2)
      throttle.end()
      let result = try client.stop()
      #expect(result.droppedFrames > 5)
      try expectPlayable(result)
      let next = try client.start(.high)
      #expect(next.frameRate < 30, "\(events.history.map(\.message)) \(result)")
      try events.next(.warning) { $0.message?.contains("could not keep up") ?? false }
      pass(1)
      try expectPlayable(try client.stop())
    }
  }
}
