import Glibc
import Synchronization

@testable import Varlink

/// A program that was started; its output can be read. It is killed with its owner.
final class ChildProcess: Sendable {
  let pid: Int32
  private let output: FileDescriptor
  private let isReaped = Mutex(false)

  init(_ arguments: [String]) throws {
    let (reading, writing) = makePipe()
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, writing.rawValue, 1)
    posix_spawn_file_actions_adddup2(&actions, writing.rawValue, 2)
    var words = arguments.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var pid: Int32 = 0
    let code = posix_spawnp(&pid, arguments[0], &actions, nil, &words, environ)
    guard code == 0 else { throw SystemError("start \(arguments[0])", code: code) }
    self.pid = pid
    output = reading
  }

  deinit {
    if !isReaped.withLock({ $0 }) { kill(pid, SIGKILL) }
    _ = wait()
  }

  /// Waits for its end: the exit status, or the negative signal that ended it.
  func wait() -> Int32 {
    isReaped.withLock { isReaped in
      if isReaped { return 0 }
      isReaped = true
      var status: Int32 = 0
      while waitpid(pid, &status, 0) < 0, errno == EINTR {}
      return status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
    }
  }

  /// The next line of its output.
  func readLine() -> String {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while read(output.rawValue, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
    return String(decoding: line, as: UTF8.self)
  }

  /// All its output, to the end.
  func readOutput() -> String { readAll(output) }
}
