import Dispatch
import Glibc

/// The signals that the daemon acts on, as they come in. Keep it as long as they matter.
struct Signals {
  /// What somebody wants.
  enum Signal: String, CaseIterable, Sendable {
    /// `SIGTERM`: stop.
    case terminate = "SIGTERM"
    /// `SIGINT`: stop.
    case interrupt = "SIGINT"
    /// `SIGHUP`: the terminal is gone, or a reload is wished for.
    case hangUp = "SIGHUP"

    var number: Int32 {
      switch self {
      case .terminate: SIGTERM
      case .interrupt: SIGINT
      case .hangUp: SIGHUP
      }
    }
  }

  /// One element for each signal that came in; the same one twice in a moment may be one element. For one reader.
  let stream: AsyncStream<Signal>
  private let sources: [any DispatchSourceSignal]

  /// Takes over the signals, and ignores `SIGPIPE` and `SIGXFSZ`: a reader that left and a file that has reached its
  /// size limit are errors of the call. Returns when the signals no longer end the process.
  init() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    let (stream, continuation) = AsyncStream.makeStream(of: Signal.self, bufferingPolicy: .bufferingNewest(16))
    let queue = DispatchQueue(label: "org.camd.signals")
    let registration = DispatchGroup()
    sources = Signal.allCases.map { signal in
      let source = DispatchSource.makeSignalSource(signal: signal.number, queue: queue)
      source.setEventHandler { continuation.yield(signal) }
      registration.enter()
      source.setRegistrationHandler { registration.leave() }
      source.resume()
      return source
    }
    registration.wait()
    self.stream = stream
  }
}
