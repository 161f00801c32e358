import CameraProtocol
import Editing
import Foundation
import MediaLibrary
import Synchronization
import TestSupport
import Testing

/// The order in which edits run, and what is left of those that don't come to their end.
@Suite struct QueueTests {
  /// Does what the test says, when it says so.
  final class Runner: EditRunner {
    private let lines = Mutex<[String: AsyncStream<Result<EditOutcome, CameraError>>.Continuation]>([:])
    private let started = AsyncStream.makeStream(of: String.self)
    let progress = Mutex<[String: @Sendable (Double) -> Void]>([:])

    func run(
      _ task: EditTask, source: Int32, target: Int32?, progress: @escaping @Sendable (Double) -> Void
    ) async throws(CameraError) -> EditOutcome {
      guard case .crop(let part?, _, _) = task, let target else { return EditOutcome() }
      let name = "\(part.x)"
      let (results, continuation) = AsyncStream.makeStream(of: Result<EditOutcome, CameraError>.self)
      lines.withLock { $0[name] = continuation }
      self.progress.withLock { $0[name] = progress }
      _ = write(target, "edited", 6)
      started.continuation.yield(name)
      for await result in results { return try result.get() }
      throw CameraError(.cancelled, "the edit was cancelled")
    }

    /// Lets one come to its end.
    func end(_ name: String, _ result: Result<EditOutcome, CameraError> = .success(EditOutcome(width: 1, height: 1))) {
      _ = lines.withLock { $0[name]?.yield(result) }
    }

    /// The next one that begins.
    func next() async -> String? {
      var iterator = started.stream.makeAsyncIterator()
      return await iterator.next()
    }
  }

  let folder: TemporaryFolder
  let library: MediaLibrary
  let photo: Asset
  let runner = Runner()

  init() throws {
    folder = try TemporaryFolder()
    let library = MediaLibrary(root: folder.file("album"), reserve: 0, software: "camd test")
    self.library = library
    photo = try Array("a photo".utf8).withUnsafeBytes { bytes in
      try library.savePhoto(
        [bytes], PhotoDescription(time: Timestamp(seconds: 1_700_000_000), camera: "main", width: 4, height: 3))
    }
  }

  private func makeQueue(places: Int = 2) -> EditQueue {
    EditQueue(library: library, runner: runner, places: places)
  }

  private func request(_ number: Int, asset: String? = nil) -> EditRequest {
    EditRequest(
      asset: asset ?? photo.id, change: .crop(Rectangle(x: number, y: 0, width: 1, height: 1), rotation: 0), user: "ada"
    )
  }

  /// The last that is told of an edit.
  private func end(of ticket: EditTicket) async -> EditTicket.Update? {
    var last: EditTicket.Update?
    for await update in ticket.updates { last = update }
    return last
  }

  private func files() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: library.root)
      .filter { $0.hasSuffix("jpg") || $0.hasSuffix(".partial") }.sorted()
  }

  @Test(.timeLimit(.minutes(1))) func runsAsManyAsThereArePlaces() async throws {
    let queue = makeQueue()
    var tickets: [EditTicket] = []
    for number in 1...4 { tickets.append(try await queue.submit(request(number))) }
    #expect([await runner.next(), await runner.next()].compactMap { $0 }.sorted() == ["1", "2"])
    #expect(await queue.edits.map(\.state) == [.running, .running, .waiting, .waiting])
    runner.end("2")
    #expect(await runner.next() == "3")
    runner.end("1")
    #expect(await runner.next() == "4")
    runner.end("3")
    runner.end("4")
    for ticket in tickets {
      let made = try #require(await end(of: ticket)?.edit)
      #expect(made.state == .finished && made.progress == 1 && made.user == "ada")
      let asset = try #require(made.asset)
      #expect(asset.parent == photo.id && asset.origin == .edited && asset.time == photo.time)
      #expect(try library.asset(asset.id) == asset)
      #expect(try String(contentsOfFile: try #require(asset.path), encoding: .utf8) == "edited")
    }
    #expect(try files().count == 5)
    #expect(try String(contentsOfFile: try #require(photo.path), encoding: .utf8) == "a photo")
  }

  @Test(.timeLimit(.minutes(1))) func leavesNothingOfWhatIsCancelledOrFails() async throws {
    let queue = makeQueue(places: 1)
    let (first, second) = (try await queue.submit(request(1)), try await queue.submit(request(2)))
    #expect(await runner.next() == "1")
    #expect(try files().count == 2)
    #expect(try await queue.cancel(second.id).state == .cancelled)
    #expect(try await queue.cancel(first.id).state == .cancelled)
    #expect(await end(of: first)?.error?.kind == .cancelled)
    #expect(await end(of: second)?.error?.kind == .cancelled)
    #expect(try files().count == 1)
    let again = try await refusal(CameraError.self) { _ = try await queue.cancel(first.id) }
    #expect(again.kind == .noSuchEdit)

    let third = try await queue.submit(request(3))
    #expect(await runner.next() == "3")
    runner.end("3", .failure(CameraError(.notCompatible, "it is odd")))
    let update = try #require(await end(of: third))
    #expect(update.edit.state == .failed && update.edit.message == "it is odd")
    #expect(update.error?.kind == .notCompatible)
    #expect(try files().count == 1)
    #expect(await queue.edits.map(\.state) == [.cancelled, .cancelled, .failed])
  }

  @Test(.timeLimit(.minutes(1))) func tellsOfProgressInOrder() async throws {
    let events = EventList()
    let queue = EditQueue(library: library, runner: runner, places: 1) { events.add($0) }
    let ticket = try await queue.submit(request(1))
    #expect(await runner.next() == "1")
    let tell = try #require(runner.progress.withLock { $0["1"] })
    tell(0.5)
    for await update in ticket.updates where update.edit.progress == 0.5 { break }
    tell(0.25)
    runner.end("1")
    _ = await end(of: ticket)
    let all = events.all
    #expect(all.first?.kind == .editStarted && all.last?.kind == .editFinished)
    let steps = all.compactMap { $0.edit?.progress }
    #expect(steps == [0, 0.5, 1], "\(steps)")
    #expect(all.last?.edit?.asset != nil)
  }

  @Test(.timeLimit(.minutes(1))) func endsAllWhenItIsShutDown() async throws {
    let queue = makeQueue(places: 1)
    let tickets = [try await queue.submit(request(1)), try await queue.submit(request(2))]
    #expect(await runner.next() == "1")
    await queue.shutDown(within: .seconds(20))
    for ticket in tickets { #expect(await end(of: ticket)?.error?.kind == .shuttingDown) }
    #expect(try files().count == 1)
    let late = try await refusal(CameraError.self) { _ = try await queue.submit(request(3)) }
    #expect(late.kind == .shuttingDown)
  }

  @Test(.timeLimit(.minutes(1))) func isBounded() async throws {
    let queue = makeQueue(places: 1)
    for number in 0...EditQueue.mostWaiting { _ = try await queue.submit(request(number)) }
    let refused = try await refusal(CameraError.self) { _ = try await queue.submit(request(0)) }
    #expect(refused.kind == .queueFull)
    await queue.shutDown(within: .seconds(20))
    // what is over is not remembered for ever
    #expect(await queue.edits.count == 20)
  }

  @Test(arguments: [
    (EditRequest.Change.crop(nil, rotation: 0), CameraError.Kind.valueOutOfRange),
    (.crop(nil, rotation: 45), .valueOutOfRange),
    (.crop(Rectangle(x: 0, y: 0, width: 0, height: 1), rotation: 90), .valueOutOfRange),
    (.trim(start: 0, end: 1), .notCompatible), (.transcode(.low, maxDuration: nil), .notCompatible),
  ])
  func refusesWhatMakesNoSense(change: EditRequest.Change, kind: CameraError.Kind) async throws {
    let queue = makeQueue()
    let refused = try await refusal(CameraError.self) {
      _ = try await queue.submit(EditRequest(asset: photo.id, change: change))
    }
    #expect(refused.kind == kind)
    for id in ["nothing.jpg", "../../etc/passwd", "/etc/passwd", ""] {
      let unknown = try await refusal(CameraError.self) { _ = try await queue.submit(request(1, asset: id)) }
      #expect(unknown.kind == .noSuchAsset)
    }
    let none = try await refusal(CameraError.self) {
      _ = try await queue.submit(EditRequest(asset: nil, change: .trim(start: 0, end: 1)))
    }
    #expect(none.kind == .noSuchAsset)
    #expect(await queue.edits.isEmpty)
    #expect(try files().count == 1)
  }
}

/// Events as they come.
private final class EventList: Sendable {
  private let events = Mutex<[Event]>([])

  var all: [Event] { events.withLock { $0 } }

  func add(_ event: Event) { events.withLock { $0.append(event) } }
}
