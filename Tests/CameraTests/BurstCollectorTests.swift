import CameraProtocol
import GStreamer
import Synchronization
import TestSupport
import Testing

@testable import Camera

/// Frames of a burst: in order, none twice, and what finds no room is counted.
@Suite struct BurstCollectorTests {
  /// Hands so many frames of a running source to consumers, as fast as they come.
  private func deliver(_ count: Int, size: String = "width=64,height=48", to consumers: [BurstCollector]) throws {
    try GStreamer.initialize()
    let pipeline = try Pipeline(
      launch: "videotestsrc num-buffers=\(count) ! video/x-raw,format=I420,\(size),framerate=30/1 ! "
        + "appsink name=out sync=false", clock: SystemClock())
    defer { pipeline.stop() }
    let sink = try AppSink(pipeline, "out")
    try pipeline.play()
    for _ in 0..<count {
      guard let sample = sink.pull(timeout: 10_000_000_000) else { throw GStreamerError("no frame") }
      for consumer in consumers { consumer.consume(sample) }
    }
  }

  @Test func takesTheFirstOnesFromTheMomentOn() async throws {
    let collector = BurstCollector(4, since: 100_000_000, camera: "c")
    try deliver(20, to: [collector])
    var items: [BurstCollector.Item] = []
    while let item = await collector.next() { items.append(item) }
    #expect(items.map(\.index) == [0, 1, 2, 3])
    let times = items.map { $0.frame.sample.runningTime }
    #expect(times.first == 100_000_000)
    #expect(zip(times, times.dropFirst()).allSatisfy { (33_000_000...34_000_000).contains($1 - $0) }, "\(times)")
    #expect(collector.outcome.taken == 4 && collector.outcome.skipped == 0 && collector.outcome.error == nil)
    #expect(collector.collected.current != nil)
  }

  @Test func countsWhatFindsNoRoom() async throws {
    let collector = BurstCollector(60, since: 0, camera: "c")
    try deliver(50, to: [collector])
    #expect(collector.outcome.taken == BurstCollector.longestQueue)
    #expect(collector.outcome.skipped == 50 - BurstCollector.longestQueue)
    // room again
    for index in 0..<BurstCollector.longestQueue { #expect(await collector.next()?.index == index) }
  }

  /// The memory of what waits is bounded: 8K pictures are 50 MB each.
  @Test func largeFramesAreFewer() throws {
    let collector = BurstCollector(10, since: 0, camera: "c")
    try deliver(4, size: "width=7680,height=4320", to: [collector])
    #expect(collector.outcome.taken == 2)
    #expect(collector.outcome.skipped == 2)
  }

  @Test func endsWithItsFirstReason() async throws {
    let collector = BurstCollector(10, since: 0, camera: "c")
    try deliver(3, to: [collector])
    collector.end(CameraError(.cancelled, "one"))
    collector.end(CameraError(.captureFailed, "two"))
    #expect(await collector.next() == nil)
    #expect(collector.outcome.error?.kind == .cancelled)
    try deliver(3, to: [collector])
    #expect(collector.outcome.taken == 3)
  }

  @Test func waitingEncodersGetFramesAndTheEnd() async throws {
    let collector = BurstCollector(2, since: 0, camera: "c")
    async let first = collector.next()
    async let second = collector.next()
    async let third = collector.next()
    try deliver(5, to: [collector])
    let indices = await [first, second, third].map { $0?.index }
    #expect(indices.compactMap { $0 }.sorted() == [0, 1])
    #expect(indices.filter { $0 == nil }.count == 1)
  }

  @Test func resultsAreToldInOrder() async {
    let told = Told()
    let results = BurstResults<Int> { result, _ in told.add(result) }
    await results.add(1, at: 1, skipped: 0)
    #expect(told.all == [])
    await results.add(0, at: 0, skipped: 0)
    #expect(told.all == [0, 1])
    await results.add(4, at: 4, skipped: 0)
    await results.add(3, at: 3, skipped: 0)
    #expect(told.all == [0, 1])
    #expect(await results.complete(skipped: 0) == [0, 1, 3, 4])
    #expect(told.all == [0, 1, 3, 4])
  }

  private final class Told: Sendable {
    private let values = Mutex<[Int]>([])
    var all: [Int] { values.withLock { $0 } }
    func add(_ value: Int) { values.withLock { $0.append(value) } }
  }
}
