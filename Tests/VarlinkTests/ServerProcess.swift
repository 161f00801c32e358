import Foundation

@testable import Varlink

/// The test server as a process of its own, whose limits and memory can be looked at.
final class ServerProcess: Sendable {
  let folder: String
  let path: String
  private let child: ChildProcess
  private var pid: Int32 { child.pid }

  /// Starts it and waits until it listens.
  init(descriptorLimit: Int, umask: String = "022", mode: String = "0600") async throws {
    folder = try makeFolder()
    path = "\(folder)/run/socket"
    child = try ChildProcess([
      "/bin/sh", "-c", "ulimit -n \(descriptorLimit); umask \(umask); exec \"$0\" \"$@\"", try Self.program(), path,
      mode,
    ])
    let ready = try await deadline { [child] in try await blocking { child.readLine() } }
    guard ready == "ready" else { throw VarlinkError.malformed(ready) }
  }

  deinit {
    try? FileManager.default.removeItem(atPath: folder)
  }

  func connect() throws -> ClientConnection { try ClientConnection(path: path) }

  /// Tells it to stop; its exit status.
  func stop() async throws -> Int32 {
    kill(pid, SIGTERM)
    return try await deadline { [child] in try await blocking { child.wait() } }
  }

  /// Ends it without a chance to clean up.
  func killAtOnce() async throws {
    kill(pid, SIGKILL)
    _ = try await stop()
  }

  /// Seconds of processor time it has used.
  func processorTime() throws -> Double {
    let fields = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8).split(separator: ")").last?
      .split(separator: " ")
    return Double((fields.flatMap { Int($0[11]) } ?? 0) + (fields.flatMap { Int($0[12]) } ?? 0))
      / Double(sysconf(CInt(_SC_CLK_TCK)))
  }

  /// Bytes of anonymous memory it holds.
  func memory() throws -> Int {
    try number(of: "RssAnon", in: "/proc/\(pid)/status") * 1024
  }

  /// Descriptors it has open.
  func descriptorCount() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd").count
  }

  /// How often its threads went to sleep of their own accord.
  func contextSwitches() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task").reduce(0) { sum, thread in
      sum + (try number(of: "voluntary_ctxt_switches", in: "/proc/\(pid)/task/\(thread)/status"))
    }
  }

  private func number(of name: String, in file: String) throws -> Int {
    let line = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").first { $0.hasPrefix(name) }
    return line.flatMap { $0.split { !$0.isNumber }.first }.flatMap { Int($0) } ?? 0
  }

  /// The server's program, next to the bundle of tests.
  private static func program() throws -> String {
    let maps = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
    guard let line = maps.split(separator: "\n").first(where: { $0.hasSuffix(".xctest") }),
      let start = line.firstIndex(of: "/"), let end = line.lastIndex(of: "/")
    else { throw VarlinkError.malformed("the tests' bundle is not mapped") }
    return line[start..<end] + "/varlink-test-server"
  }
}
