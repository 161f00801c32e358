import CProcess
public import CameraProtocol
import Dispatch
import Glibc
import Synchronization

/// Carries out tasks in processes of their own; see `EditWorker`.
public struct WorkerProcess: EditRunner {
  private let program: String

  /// `program`: what serves as a worker when it gets `EditWorker.word`; this program itself, as it was started.
  public init(program: String = "/proc/self/exe") { self.program = program }

  /// Does a task in a process that is gone when this returns.
  public func run(
    _ task: EditTask, source: Int32, target: Int32?, progress: @escaping @Sendable (Double) -> Void
  ) async throws(CameraError) -> EditOutcome {
    let line: [UInt8]
    do {
      line = try WorkerMessage.line(task)
    } catch {
      throw CameraError(.internalError, "the edit can't be told: \(error)")
    }
    let worker = try Worker(program, source: source, target: target)
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        DispatchQueue(label: "camd.edit").async {
          continuation.resume(returning: worker.carryOut(line, progress))
        }
      }
    } onCancel: {
      worker.end()
    }
    return try result.get()
  }
}

/// One worker. It is gone when `carryOut` returns.
private final class Worker: Sendable {
  private struct State {
    var isEnded = false
    var isReaped = false
  }

  private let process: pid_t
  private let input: Int32
  private let output: Int32
  private let state = Mutex(State())

  init(_ program: String, source: Int32, target: Int32?) throws(CameraError) {
    var toWorker: [Int32] = [-1, -1]
    var fromWorker: [Int32] = [-1, -1]
    guard pipe2(&toWorker, O_CLOEXEC) == 0 else { throw Self.failure("make a pipe") }
    guard pipe2(&fromWorker, O_CLOEXEC) == 0 else {
      let error = Self.failure("make a pipe")
      for end in toWorker { close(end) }
      throw error
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // above what they are to become, so that no step destroys what a later one needs
    let wanted = [toWorker[0], fromWorker[1], source] + (target.map { [$0] } ?? [])
    let copies = wanted.map { fcntl($0, F_DUPFD_CLOEXEC, 10) }
    defer { for copy in copies where copy >= 0 { close(copy) } }
    guard copies.allSatisfy({ $0 >= 0 }) else {
      let error = Self.failure("pass a file on")
      for end in toWorker + fromWorker { close(end) }
      throw error
    }
    for (copy, place) in zip(copies, [STDIN_FILENO, STDOUT_FILENO, EditWorker.source, EditWorker.target]) {
      posix_spawn_file_actions_adddup2(&actions, copy, place)
    }
    // drivers of cameras are opened by libraries that don't all see to it themselves
    posix_spawn_file_actions_addclosefrom_np(&actions, target == nil ? EditWorker.target : EditWorker.target + 1)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    // a group of its own: what a terminal sends is the daemon's to decide about
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
    var words: [UnsafeMutablePointer<CChar>?] = [strdup("camd"), strdup(EditWorker.word), nil]
    defer { for word in words { free(word) } }
    var identifier: pid_t = 0
    let number = posix_spawn(&identifier, program, &actions, &attributes, &words, environ)
    close(toWorker[0])
    close(fromWorker[1])
    guard number == 0 else {
      close(toWorker[1])
      close(fromWorker[0])
      throw CameraError(
        .internalError, "a process for the edit can't be started: \(String(cString: strerror(number)))")
    }
    (process, input, output) = (identifier, toWorker[1], fromWorker[0])
  }

  deinit {
    close(input)
    close(output)
  }

  /// Ends it at once. From any thread.
  func end() {
    state.withLock { state in
      state.isEnded = true
      if !state.isReaped { kill(process, SIGKILL) }
    }
  }

  /// Tells it what to do and waits until it is gone. Blocks.
  func carryOut(_ task: [UInt8], _ progress: (Double) -> Void) -> Result<EditOutcome, CameraError> {
    var result: Result<EditOutcome, CameraError>?
    var lines = LineReader()
    if tell(task) {
      var bytes = [UInt8](repeating: 0, count: 16_384)
      while true {
        let count = read(output, &bytes, bytes.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        for line in lines.take(bytes[..<count]) {
          // what is no message is a library's talk
          guard let message = try? WorkerMessage.read(WorkerMessage.self, line) else { continue }
          if let value = message.progress { progress(value) }
          if let outcome = message.outcome { result = .success(outcome) }
          if let error = message.error { result = .failure(error) }
        }
      }
    }
    let status = reap()
    if state.withLock({ $0.isEnded }) { return .failure(CameraError(.cancelled, "the edit was cancelled")) }
    return result
      ?? .failure(
        CameraError(.captureFailed, "the edit ended without a result", cause: "the process's status was \(status)"))
  }

  private func tell(_ task: [UInt8]) -> Bool {
    var rest = task[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
      if count > 0 { rest.removeFirst(count) } else if errno != EINTR { return false }
    }
    return true
  }

  private func reap() -> Int32 {
    // looks first and takes its number away second, so that no other process is ever killed
    var information = siginfo_t()
    while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    return state.withLock { state in
      var status: Int32 = 0
      while waitpid(process, &status, 0) < 0, errno == EINTR {}
      state.isReaped = true
      return status
    }
  }

  private static func failure(_ what: String) -> CameraError {
    CameraError(.internalError, "can't \(what) for the edit: \(String(cString: strerror(errno)))")
  }
}
