internal import CSocket
internal import Dispatch
internal import Glibc
internal import Synchronization

/// Is told what happens to a descriptor.
protocol EventHandler: AnyObject, Sendable {
  /// On the loop's thread: these epoll events are there.
  func ready(_ events: UInt32)
  /// On the loop's thread: the deadline that was set has passed.
  func deadlinePassed()
}

/// One thread that waits for all descriptors of a server, by epoll: it sees a client hang up even where nothing is
/// read from it, and sleeps while nothing happens.
final class EventLoop: Sendable {
  /// Names a registration; never used twice.
  typealias Token = UInt64

  private struct State {
    var handlers: [Token: any EventHandler] = [:]
    var deadlines: [Token: ContinuousClock.Instant] = [:]
    var nextToken: Token = 1
    /// Until when the thread sleeps; nil for as long as nothing happens.
    var sleepsUntil: ContinuousClock.Instant?
    var isStopping = false
  }

  static let input = EPOLLIN.rawValue
  static let output = EPOLLOUT.rawValue
  static let hangUp = EPOLLHUP.rawValue | EPOLLERR.rawValue
  private static let wakeToken: Token = 0

  private let epoll: FileDescriptor
  private let wake: FileDescriptor
  private let state = Mutex(State())

  init() throws(SystemError) {
    epoll = FileDescriptor(owning: epoll_create1(CInt(EPOLL_CLOEXEC)))
    if epoll.rawValue < 0 { throw SystemError("epoll_create1") }
    wake = FileDescriptor(owning: eventfd(0, CInt(EFD_CLOEXEC) | CInt(EFD_NONBLOCK)))
    if wake.rawValue < 0 { throw SystemError("eventfd") }
    var event = epoll_event(events: Self.input, data: epoll_data_t(u64: Self.wakeToken))
    if epoll_ctl(epoll.rawValue, EPOLL_CTL_ADD, wake.rawValue, &event) != 0 { throw SystemError("epoll_ctl") }
  }

  /// Runs on a thread of its own until `stop`.
  func start() {
    DispatchQueue(label: "varlink.loop").async { self.run() }
  }

  /// Ends the thread soon.
  func stop() {
    state.withLock { $0.isStopping = true }
    interrupt()
  }

  /// Watches a descriptor. Events may arrive before this returns.
  func add(_ descriptor: CInt, events: UInt32, handler: any EventHandler) throws(SystemError) -> Token {
    let token = state.withLock { state in
      let token = state.nextToken
      state.nextToken += 1
      state.handlers[token] = handler
      return token
    }
    var event = epoll_event(events: events, data: epoll_data_t(u64: token))
    guard epoll_ctl(epoll.rawValue, EPOLL_CTL_ADD, descriptor, &event) == 0 else {
      let error = SystemError("epoll_ctl")
      state.withLock { _ = $0.handlers.removeValue(forKey: token) }
      throw error
    }
    return token
  }

  /// Waits for other events. Hanging up is always among them.
  func modify(_ descriptor: CInt, _ token: Token, events: UInt32) {
    var event = epoll_event(events: events, data: epoll_data_t(u64: token))
    _ = epoll_ctl(epoll.rawValue, EPOLL_CTL_MOD, descriptor, &event)
  }

  /// Forgets the descriptor and its deadline; must come before the descriptor is closed.
  func remove(_ descriptor: CInt, _ token: Token) {
    var event = epoll_event()
    _ = epoll_ctl(epoll.rawValue, EPOLL_CTL_DEL, descriptor, &event)
    state.withLock { state in
      state.handlers[token] = nil
      state.deadlines[token] = nil
    }
  }

  /// When the handler's `deadlinePassed` is due; nil for never.
  func setDeadline(_ token: Token, _ deadline: ContinuousClock.Instant?) {
    let isEarlier = state.withLock { state in
      guard state.handlers[token] != nil else { return false }
      state.deadlines[token] = deadline
      guard let deadline else { return false }
      return state.sleepsUntil.map { deadline < $0 } ?? true
    }
    if isEarlier { interrupt() }
  }

  private func interrupt() {
    var one: UInt64 = 1
    _ = write(wake.rawValue, &one, 8)
  }

  private func run() {
    var events = [epoll_event](repeating: epoll_event(), count: 64)
    while true {
      let timeout: CInt? = state.withLock { state in
        if state.isStopping { return nil }
        state.sleepsUntil = state.deadlines.values.min()
        guard let until = state.sleepsUntil else { return -1 }
        let left = max(until - .now, .zero)
        // Rounded up: a moment too early would mean a second wake-up.
        return CInt(clamping: left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000 + 1)
      }
      guard let timeout else { return }
      let count = epoll_wait(epoll.rawValue, &events, CInt(events.count), timeout)
      for event in events.prefix(max(0, Int(count))) {
        let token = event.data.u64
        if token == Self.wakeToken {
          var value: UInt64 = 0
          _ = read(wake.rawValue, &value, 8)
        } else {
          state.withLock { $0.handlers[token] }?.ready(event.events)
        }
      }
      let now = ContinuousClock.now
      let due = state.withLock { state in
        let tokens = state.deadlines.filter { $0.value <= now }.map(\.key)
        for token in tokens { state.deadlines[token] = nil }
        return tokens.compactMap { state.handlers[$0] }
      }
      for handler in due { handler.deadlinePassed() }
    }
  }
}
