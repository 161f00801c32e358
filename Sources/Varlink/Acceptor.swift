internal import CSocket
internal import Glibc
internal import Synchronization

/// Takes connections from a listening socket, and leaves some of the descriptors that the process may have to the
/// rest of it: what can't open a file or a timer loses a capture, or aborts. A connection beyond that is closed at
/// once; where even that takes a descriptor that isn't there, by means of one that is kept for it.
final class Acceptor: Sendable, EventHandler {
  private struct State {
    var token: EventLoop.Token?
    var reserve = Acceptor.openReserve()
    var isPaused = false
    var handler: (@Sendable (FileDescriptor) -> Void)?
  }

  /// Descriptors that are left to the rest of the process, at most a quarter of all.
  private static let headroom = 64
  private static let pause = Duration.milliseconds(250)

  private let socket: FileDescriptor
  private let loop: EventLoop
  private let diagnostic: @Sendable (String) -> Void
  private let state = Mutex(State())

  init(_ socket: FileDescriptor, loop: EventLoop, diagnostic: @escaping @Sendable (String) -> Void) {
    self.socket = socket
    self.loop = loop
    self.diagnostic = diagnostic
  }

  func start(_ handler: @escaping @Sendable (FileDescriptor) -> Void) throws(SystemError) {
    state.withLock { $0.handler = handler }
    let token = try loop.add(socket.rawValue, events: EventLoop.input, handler: self)
    state.withLock { $0.token = token }
  }

  func stop() {
    state.withLock { state in
      if let token = state.token { loop.remove(socket.rawValue, token) }
      state.token = nil
      state.handler = nil
      state.reserve = nil
    }
  }

  func ready(_ events: UInt32) {
    let ceiling = Self.ceiling
    // So many at a time, so that those who are connected get their turn.
    for _ in 0..<32 {
      let accepted = csocket_accept(socket.rawValue)
      if accepted >= 0 {
        let descriptor = FileDescriptor(owning: accepted)
        if accepted < ceiling {
          state.withLock { $0.handler }?(descriptor)
        } else {
          diagnostic("refused a connection: almost no descriptors are left")
        }
        continue
      }
      switch errno {
      case EINTR, ECONNABORTED: continue
      case EMFILE, ENFILE, ENOBUFS, ENOMEM:
        let error = SystemError("accept")
        if !turnAway() { return rest(error) }
        diagnostic("refused a connection: \(error)")
      default: return
      }
    }
  }

  func deadlinePassed() { resume() }

  /// A descriptor was closed: takes connections again where that was put off.
  func roomWasMade() {
    if state.withLock({ $0.isPaused }) { resume() }
  }

  /// Closes the next connection at once, so that its client need not wait.
  private func turnAway() -> Bool {
    state.withLock { state in
      guard state.reserve != nil else { return false }
      state.reserve = nil
      let accepted = csocket_accept(socket.rawValue)
      let isDone = accepted >= 0 || errno == EAGAIN
      if accepted >= 0 { close(accepted) }
      state.reserve = Self.openReserve()
      return isDone
    }
  }

  /// Takes no connections for a moment.
  private func rest(_ error: SystemError) {
    diagnostic("takes no connections for now: \(error)")
    state.withLock { state in
      guard let token = state.token else { return }
      state.isPaused = true
      loop.modify(socket.rawValue, token, events: 0)
      loop.setDeadline(token, .now + Self.pause)
    }
  }

  private func resume() {
    state.withLock { state in
      guard let token = state.token else { return }
      state.isPaused = false
      if state.reserve == nil { state.reserve = Self.openReserve() }
      loop.modify(socket.rawValue, token, events: EventLoop.input)
    }
  }

  /// The number from which on a new descriptor, which is always the lowest free one, means that few are left.
  private static var ceiling: CInt {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return .max }
    let all = CInt(clamping: limit.rlim_cur)
    return all - min(CInt(headroom), all / 4)
  }

  private static func openReserve() -> FileDescriptor? {
    let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
    return descriptor >= 0 ? FileDescriptor(owning: descriptor) : nil
  }
}
