import Foundation
import Synchronization

@testable import Varlink

/// The test server as a process of its own, whose limits and memory can be looked at.
final class ServerProcess: Sendable {
  let folder: String
  let path: String
  private let process: Mutex<Process>
  private let pid: Int32

  /// Starts it and waits until it listens.
  init(descriptorLimit: Int, umask: String = "022", mode: String = "0600") async throws {
    folder = try makeFolder()
    path = "\(folder)/run/socket"
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = [
      "-c", "ulimit -n \(descriptorLimit); umask \(umask); exec \"$0\" \"$@\"", try Self.program(), path, mode,
    ]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    pid = process.processIdentifier
    self.process = Mutex(process)
    let descriptor = Varlink.FileDescriptor(owning: dup(output.fileHandleForReading.fileDescriptor))
    let ready = try await deadline { try await blocking { readLine(from: descriptor) } }
    guard ready == "ready" else { throw VarlinkError.malformed(ready) }
  }

  deinit {
    process.withLock { if $0.isRunning { $0.terminate() } }
    try? FileManager.default.removeItem(atPath: folder)
  }

  func connect() throws -> ClientConnection { try ClientConnection(path: path) }

  /// Tells it to stop; its exit status.
  func stop() async throws -> Int32 {
    kill(pid, SIGTERM)
    return try await deadline {
      try await blocking {
        self.process.withLock {
          $0.waitUntilExit()
          return $0.terminationStatus
        }
      }
    }
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

private func readLine(from descriptor: Varlink.FileDescriptor) -> String {
  var line: [UInt8] = []
  var byte: UInt8 = 0
  while read(descriptor.rawValue, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
  return String(decoding: line, as: UTF8.self)
}
