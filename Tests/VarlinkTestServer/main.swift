import Dispatch
import Glibc
import Varlink

/// Serves a small interface until SIGTERM: `varlink-test-server PATH MODE`.
struct WhoService: Service {
  let interface: InterfaceDescription

  init() throws {
    interface = try InterfaceDescription(
      """
      # Two methods for tests.
      interface org.example.test
      # Who calls.
      method Who() -> (pid: int, uid: int)
      # Lasts until the client leaves.
      method Wait() -> ()
      # Counts up to a number.
      method Count(to: int) -> (value: int)
      # Always fails.
      method Fail() -> ()
      error Sad(why: string)

      """)
  }

  func handle(_ call: Call, _ replies: ReplyWriter) async throws {
    switch call.methodName {
    case "Who": try replies.reply(["pid": Int(call.peer.pid), "uid": Int(call.peer.uid)])
    case "Count":
      try call.requireMore()
      let last = try call.decode([String: Int].self)["to"] ?? 1
      for value in 1...max(1, last) { try replies.reply(["value": value], continues: value < last) }
    case "Fail": throw ServiceError("org.example.test.Sad", ["why": "it rains"])
    default: try await Task.sleep(for: .seconds(3600))
    }
  }

  func serviceError(for error: any Error, in call: Call) -> ServiceError {
    ServiceError("org.example.test.Sad", ["why": "\(error)"])
  }
}

// What the parent left open would count against the limit that a test sets.
for descriptor in 3..<256 { close(CInt(descriptor)) }
// Blocked before there is a second thread, so that every thread inherits it.
var stopping = sigset_t()
sigemptyset(&stopping)
sigaddset(&stopping, SIGTERM)
pthread_sigmask(SIG_BLOCK, &stopping, nil)
let arguments = CommandLine.arguments
do {
  let listener = try Listener(path: arguments[1], mode: UInt32(arguments[2], radix: 8) ?? 0o600, parentMode: 0o700)
  let server = try Server(
    listener: listener, info: ServiceInfo(vendor: "Example", product: "test", version: "1", url: "https://example.org"),
    services: [try WhoService()])
  try server.start()
  print("ready")
  fflush(nil)
  var signal: CInt = 0
  sigwait(&stopping, &signal)
  Task {
    await server.stop(grace: .zero)
    exit(0)
  }
  dispatchMain()
} catch {
  print("\(error)")
  exit(1)
}
