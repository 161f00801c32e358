import CProcess
import CameraProtocol
import Dispatch
import GStreamer
import Glibc
import Synchronization

/// What the program does that carries out one task for a daemon: a process of its own, so that a file that breaks a
/// decoder ends no recording, and so that all its threads, GStreamer's and the encoders' too, have the lowest priority.
///
/// It gets the task as a line on standard input and ends at once when that is closed, which it is when the daemon ends,
/// however that happens. It tells of its progress and its result on standard output.
public enum EditWorker {
  /// The only word of the command line.
  public static let word = "--edit-worker"
  /// The descriptors of the files, as the daemon leaves them.
  static let source: Int32 = 3
  static let target: Int32 = 4
  /// What was standard output; what libraries print there would tear the lines.
  private static let output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10)

  /// Carries out the task and ends the process.
  public static func serve() -> Never {
    for signal in [SIGTERM, SIGINT, SIGHUP, SIGPIPE, SIGXFSZ] { Glibc.signal(signal, SIG_IGN) }
    stepBack()
    guard output >= 0, dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 else { _exit(2) }
    var lines = LineReader()
    var task: EditTask?
    while task == nil {
      guard let bytes = read() else { _exit(2) }
      guard let line = lines.take(bytes).first else { continue }
      guard let found = try? WorkerMessage.read(EditTask.self, line) else { _exit(2) }
      task = found
    }
    // the end of standard input is the end of whoever asked
    let watch = DispatchQueue(label: "camd.edit.caller")
    watch.async {
      while read() != nil {}
      _exit(3)
    }
    guard let task else { _exit(2) }
    send(WorkerMessage(result: result(of: task)))
    _exit(0)
  }

  private static func result(of task: EditTask) -> Result<EditOutcome, CameraError> {
    do throws(GStreamerError) {
      try GStreamer.initialize()
    } catch {
      return .failure(CameraError(.internalError, "GStreamer doesn't start: \(error.message)"))
    }
    let pace = ProgressPace()
    let hasTarget = fcntl(target, F_GETFD) >= 0
    do throws(CameraError) {
      return .success(
        try task.run(source: source, target: hasTarget ? target : nil) { progress in
          if let told = pace.pass(progress) { send(WorkerMessage(progress: told)) }
        } isCancelled: {
          false  // the process is ended
        })
    } catch {
      return .failure(error)
    }
  }

  /// The lowest priority for processor and disk, and the first to go where memory runs out. What is refused changes
  /// nothing about the result.
  private static func stepBack() {
    setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19)
    var parameter = sched_param()
    sched_setscheduler(0, Int32(CPROCESS_SCHED_BATCH), &parameter)
    cprocess_use_disk_when_idle()
    let score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC)
    if score >= 0 {
      _ = write(score, "800", 3)
      close(score)
    }
  }

  /// What comes on standard input; nil at its end.
  private static func read() -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Glibc.read(STDIN_FILENO, &bytes, bytes.count)
      if count > 0 { return Array(bytes[..<count]) }
      if count == 0 || errno != EINTR { return nil }
    }
  }

  /// Nobody is left to hear of an error here.
  private static func send(_ message: WorkerMessage) {
    guard var rest = (try? WorkerMessage.line(message))?[...] else { return }
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(output, $0.baseAddress, $0.count) }
      if count > 0 { rest.removeFirst(count) } else if errno != EINTR { return }
    }
  }
}

extension WorkerMessage {
  fileprivate init(result: Result<EditOutcome, CameraError>) {
    switch result {
    case .success(let outcome): self.init(outcome: outcome)
    case .failure(let error): self.init(error: error)
    }
  }
}

/// Lets progress through at most four times a second.
final class ProgressPace: Sendable {
  private let state = Mutex<(last: ContinuousClock.Instant?, value: Double)>((nil, 0))

  /// The progress where it is to be told now; it never goes back.
  func pass(_ progress: Double) -> Double? {
    state.withLock { state in
      let now = ContinuousClock.now
      state.value = max(state.value, min(1, progress))
      if let last = state.last, now - last < .milliseconds(250) { return nil }
      state.last = now
      return state.value
    }
  }
}
