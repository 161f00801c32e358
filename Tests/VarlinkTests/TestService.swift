import FoundationEssentials
import Glibc

@testable import Varlink

/// A service that shows every side of the room.
struct TestService: Service {
  static let text = """
    # For tests.
    interface org.example.test

    type Kind (red, green)
    type Pair (left: int, right: ?Pair)

    # Answers what it gets.
    method Echo(
      text: string,
      number: ?int,
      ratio: ?float,
      flag: ?bool,
      kinds: ?[]Kind,
      counts: ?[string]int,
      pair: ?Pair,
      anything: ?any,
      extra: ?object
    ) -> (text: string, number: ?int, ratio: ?float)

    method Count(to: int) -> (value: int)
    method Wait() -> ()
    method Watch() -> ()
    method Fill(bytes: int, replies: int) -> (text: string)
    method Read(descriptors: int) -> (texts: []string, count: int)
    method Open(text: string) -> (descriptor: int)
    method Fail(kind: string) -> ()
    method Forget() -> ()
    method Who() -> (pid: int, uid: int)

    error Sad(why: string)

    """

  struct EchoFields: Codable {
    var text: String
    var number: Int?
    var ratio: Double?
  }

  /// What the handlers see happen.
  enum Sighting: Equatable {
    case began(String)
    case cancelled
    case ended(String)
    case sendFailed(VarlinkError)
  }

  struct Unknown: Error {}

  let interface: InterfaceDescription
  let sightings: AsyncStream<Sighting>
  private let sink: AsyncStream<Sighting>.Continuation

  init() throws {
    interface = try InterfaceDescription(Self.text)
    (sightings, sink) = AsyncStream.makeStream()
  }

  func handle(_ call: Call, _ replies: ReplyWriter) async throws {
    sink.yield(.began(call.methodName))
    defer { sink.yield(.ended(call.methodName)) }
    switch call.methodName {
    case "Echo": try replies.reply(call.decode(EchoFields.self))
    case "Count":
      try call.requireMore()
      let last = try call.decode([String: Int].self)["to"] ?? 0
      for value in 1...max(1, last) { try replies.reply(["value": value], continues: value < last) }
    case "Wait", "Watch":
      if call.methodName == "Watch" { try replies.reply([String: Int](), continues: true) }
      let (stream, continuation) = AsyncStream<Never>.makeStream()
      await withTaskCancellationHandler {
        for await _ in stream {}
      } onCancel: {
        continuation.finish()
      }
      sink.yield(.cancelled)
      throw CancellationError()
    case "Fill":
      let sizes = try call.decode([String: Int].self)
      let text = String(repeating: "x", count: sizes["bytes"] ?? 0)
      let count = sizes["replies"] ?? 1
      do {
        for index in 1...count { try replies.reply(["text": text], continues: index < count) }
      } catch let error as VarlinkError {
        sink.yield(.sendFailed(error))
        throw error
      }
    case "Read":
      let wanted = try call.decode([String: Int].self)["descriptors"] ?? 0
      struct Texts: Encodable { var texts: [String], count: Int }
      let texts = (0..<wanted).map { call.takeDescriptor(at: $0).map(readAll) ?? "-" }
      try replies.reply(Texts(texts: texts, count: call.descriptorCount))
    case "Open":
      let (reading, writing) = makePipe()
      writeAll(writing, Array((try call.decode([String: String].self)["text"] ?? "").utf8))
      try replies.reply(["descriptor": 0], descriptors: [reading])
    case "Fail":
      switch try call.decode([String: String].self)["kind"] {
      case "named": throw ServiceError("org.example.test.Sad", ["why": "it rains"])
      case "permission": throw ServiceError.permissionDenied
      case "missing": throw ServiceError.methodNotImplemented(call.method)
      default: throw Unknown()
      }
    case "Forget": break
    case "Who": try replies.reply(["pid": Int(call.peer.pid), "uid": Int(call.peer.uid)])
    default: throw ServiceError.methodNotImplemented(call.method)
    }
  }

  func serviceError(for error: any Error, in call: Call) -> ServiceError {
    ServiceError("org.example.test.Sad", ["why": "\(error)"])
  }
}

/// The running test service and the folder of its socket.
final class Fixture: Sendable {
  let folder: String
  let service: TestService
  let server: Server
  let path: String
  let reports: AsyncStream<String>

  init(limits: Limits = Limits()) throws {
    folder = try makeFolder()
    path = "\(folder)/socket"
    service = try TestService()
    let (reports, sink) = AsyncStream<String>.makeStream()
    self.reports = reports
    server = try Server(
      listener: try Listener(path: path, mode: 0o600),
      info: ServiceInfo(vendor: "Example", product: "test", version: "1", url: "https://example.org"),
      services: [service], limits: limits
    ) { sink.yield($0) }
    try server.start()
  }

  /// Runs a test against a server, on a thread that may block, and stops the server.
  static func run<T: Sendable>(
    limits: Limits = Limits(), _ body: @escaping @Sendable (Fixture) async throws -> T
  ) async throws -> T {
    let fixture = try Fixture(limits: limits)
    let result: Result<T, any Error>
    do { result = .success(try await body(fixture)) } catch { result = .failure(error) }
    await fixture.server.stop(grace: .zero)
    removeFolder(fixture.folder)
    return try result.get()
  }

  func connect() throws -> ClientConnection { try ClientConnection(path: path) }

  /// Waits for the service to see that.
  func sees(_ sighting: TestService.Sighting) async throws {
    try await deadline { for await seen in self.service.sightings where seen == sighting { return } }
  }
}
