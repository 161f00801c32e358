import Foundation
import Synchronization

/// A program that runs beside the test, with its own descriptors only.
public final class ChildProcess: Sendable {
  /// How a process ended.
  public enum Exit: Sendable, Equatable {
    /// With this status.
    case exited(Int32)
    /// By this signal.
    case signalled(Int32)
  }

  /// A process could not be started.
  public struct StartError: Error {
    /// The system's number.
    public var number: Int32
  }

  /// Its number.
  public let processIdentifier: Int32
  private let exit = Mutex<Exit?>(nil)
  private let ended = DispatchSemaphore(value: 0)

  /// Starts a program found on the PATH.
  ///
  /// - Parameters:
  ///   - environment: variables in place of those of this process.
  ///   - output: the descriptor for its standard output; nil for none.
  ///   - errors: the file for its standard error; nil for none.
  ///   - onExit: called when it has ended.
  public init(
    _ arguments: [String], environment: [String: String] = [:], output: Int32? = nil, errors: String? = nil,
    onExit: @escaping @Sendable () -> Void = {}
  ) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    if let output {
      posix_spawn_file_actions_adddup2(&actions, output, 1)
    } else {
      posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    }
    posix_spawn_file_actions_addopen(&actions, 2, errors ?? "/dev/null", O_WRONLY | O_CREAT | O_APPEND, 0o600)
    // closing what isn't open is no error there
    for descriptor in 3..<Int32(512) { posix_spawn_file_actions_addclose(&actions, descriptor) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // what this process ignores or blocks is no concern of the program
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigaddset(&signals, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    var words = arguments.map { strdup($0) } + [nil]
    var settings = variables.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in words + settings { free(text) } }
    var identifier: pid_t = 0
    let number = words[0].map { posix_spawnp(&identifier, $0, &actions, &attributes, &words, &settings) } ?? EINVAL
    guard number == 0 else { throw StartError(number: number) }
    processIdentifier = identifier
    reap(identifier, onExit)
  }

  private func reap(_ identifier: pid_t, _ onExit: @escaping @Sendable () -> Void) {
    Thread.detachNewThread { [self] in
      var status: Int32 = 0
      while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
      let signal = status & 0x7f
      exit.withLock { $0 = signal == 0 ? .exited(status >> 8 & 0xff) : .signalled(signal) }
      onExit()
      ended.signal()
    }
  }

  /// Sends a signal to it, if it still runs.
  public func send(_ signal: Int32) {
    exit.withLock { if $0 == nil { kill(processIdentifier, signal) } }
  }

  /// Waits for its end; nil where that takes longer than so many seconds.
  public func waitForExit(within seconds: Double) -> Exit? {
    guard ended.wait(timeout: .now() + seconds) == .success else { return nil }
    ended.signal()
    return exit.withLock { $0 }
  }

  /// True as long as it runs.
  public var isRunning: Bool { exit.withLock { $0 == nil } }

  /// Its open descriptors.
  public func descriptorCount() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/\(processIdentifier)/fd").count
  }

  /// Its threads, without those of the dispatch library, which come and go with the load.
  public func threadCount() throws -> Int {
    let folder = "/proc/\(processIdentifier)/task"
    return try FileManager.default.contentsOfDirectory(atPath: folder).filter { thread in
      // one may end while they are counted
      let name = (try? String(contentsOfFile: "\(folder)/\(thread)/comm", encoding: .utf8)) ?? "qos"
      return !name.contains("qos")
    }.count
  }

  /// A number from its status file, such as `RssAnon` in KiB.
  public func statusNumber(_ name: String) throws -> Int {
    let lines = try String(contentsOfFile: "/proc/\(processIdentifier)/status", encoding: .utf8).split(separator: "\n")
    let line = lines.first { $0.hasPrefix("\(name):") }
    return line.flatMap { $0.split { !$0.isNumber }.first }.flatMap { Int($0) } ?? 0
  }
}
