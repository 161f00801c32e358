internal import Glibc
internal import Synchronization

/// A client of a server: its messages are handled in order, one at a time, and it is not read meanwhile.
///
/// A client that has only finished sending (`shutdown(SHUT_WR)`) still gets its answers. One that has hung up has its
/// call cancelled (unless that is `oneway`); what else it had sent is dropped, except for calls with `oneway`.
final class Connection: Sendable, EventHandler {
  enum Phase { case open, hungUp, closed }

  /// The call that is being handled.
  struct Running {
    var id: UInt64
    var task: Task<Void, Never>
    var oneway: Bool
    var isAnswered = false
    /// A reply with `continues` was sent: it may go on for ever.
    var isStream = false
  }

  /// What is done after the lock was left.
  enum Effect: Sendable {
    case cancel(Task<Void, Never>)
    case closed
    case report(String)
  }

  struct State: Sendable {
    var phase = Phase.open
    var token: EventLoop.Token = 0
    var input = MessageBuffer()
    var output = ReplyQueue()
    /// The client sends nothing more.
    var inputEnded = false
    /// The server is stopping: no further call is begun.
    var isDraining = false
    var running: Running?
    var nextCallID: UInt64 = 1
    var watched = EventLoop.input
    var inputDeadline: ContinuousClock.Instant?
    var outputDeadline: ContinuousClock.Instant?
    var deadline: ContinuousClock.Instant?
    var effects: [Effect] = []
  }

  let id: UInt64
  let peer: PeerCredentials
  let socket: FileDescriptor
  let limits: Limits
  let loop: EventLoop
  let router: Router
  private let state = Mutex(State())
  private let onEffect: @Sendable (Connection, Effect) -> Void

  init(
    id: UInt64, socket: FileDescriptor, peer: PeerCredentials, limits: Limits, loop: EventLoop, router: Router,
    onEffect: @escaping @Sendable (Connection, Effect) -> Void
  ) {
    self.id = id
    self.socket = socket
    self.peer = peer
    self.limits = limits
    self.loop = loop
    self.router = router
    self.onEffect = onEffect
  }

  /// Changes the state; what may call back in happens after the lock was left.
  func change<T: Sendable>(_ body: (inout State) -> T) -> T {
    let (result, effects) = state.withLock { state in
      let result = body(&state)
      let effects = state.effects
      state.effects = []
      return (result, effects)
    }
    for effect in effects {
      if case .cancel(let task) = effect { task.cancel() } else { onEffect(self, effect) }
    }
    return result
  }

  /// Begins to read.
  func open() throws(SystemError) {
    // Under the lock, since the first event may come before the token is there.
    let failure: SystemError? = change { state in
      do throws(SystemError) {
        state.token = try loop.add(socket.rawValue, events: EventLoop.input, handler: self)
        return nil
      } catch {
        state.phase = .closed
        return error
      }
    }
    if let failure { throw failure }
  }

  var isConnected: Bool { change { $0.phase == .open } }

  var queued: (replies: Int, bytes: Int) { change { ($0.output.count, $0.output.bytes) } }

  func ready(_ events: UInt32) {
    change { state in
      guard state.phase == .open else { return }
      if events & EventLoop.output != 0 { flush(&state) }
      if events & EventLoop.input != 0, state.watched & EventLoop.input != 0 { read(&state) }
      advance(&state)
      if events & EventLoop.hangUp != 0 { hangUp(&state) }
    }
  }

  func deadlinePassed() {
    change { state in
      let now = ContinuousClock.now
      state.deadline = nil
      if state.outputDeadline.map({ $0 <= now }) == true {
        state.effects.append(.report("disconnected: \(VarlinkError.tooSlow)"))
        hangUp(&state)
      } else if state.inputDeadline.map({ $0 <= now }) == true {
        refuse(&state, "a message was not completed in time")
      } else {
        updateInterest(&state)
      }
    }
  }

  /// Begins no further call and ends streams; closes when nothing runs and nothing waits to be read.
  func drain() {
    change { state in
      state.isDraining = true
      if let running = state.running, running.isStream { state.effects.append(.cancel(running.task)) }
      advance(&state)
    }
  }

  /// Ends it now, as if the client had hung up, oneway calls included.
  func abort() {
    change { state in
      if let running = state.running { state.effects.append(.cancel(running.task)) }
      hangUp(&state)
      close(&state)
    }
  }
}

extension Connection {
  /// The client has gone: nobody reads answers any more.
  func hangUp(_ state: inout State) {
    guard state.phase == .open else { return }
    state.phase = .hungUp
    loop.remove(socket.rawValue, state.token)
    state.output = ReplyQueue()
    if let running = state.running, !running.oneway { state.effects.append(.cancel(running.task)) }
    advance(&state)
  }

  /// Disconnects a client that broke the rules.
  func refuse(_ state: inout State, _ reason: String) {
    state.effects.append(.report("disconnected: \(reason)"))
    state.input = MessageBuffer()
    state.inputEnded = true
    hangUp(&state)
  }

  func close(_ state: inout State) {
    guard state.phase != .closed else { return }
    if state.phase == .open { loop.remove(socket.rawValue, state.token) }
    state.phase = .closed
    state.input = MessageBuffer()
    state.output = ReplyQueue()
    socket.close()
    state.effects.append(.closed)
  }

  /// Waits for what the state asks for, and no longer than it allows.
  func updateInterest(_ state: inout State) {
    guard state.phase == .open else { return }
    let waitsForInput = state.running == nil && !state.inputEnded && !isBackedUp(state)
    let watched = (waitsForInput ? EventLoop.input : 0) | (state.output.isEmpty ? 0 : EventLoop.output)
    if watched != state.watched {
      state.watched = watched
      loop.modify(socket.rawValue, state.token, events: watched)
    }
    if !waitsForInput || state.input.count == 0 {
      state.inputDeadline = nil
    } else if state.inputDeadline == nil {
      state.inputDeadline = .now + limits.messageTimeout
    }
    if state.output.isEmpty { state.outputDeadline = nil }
    let deadline = [state.inputDeadline, state.outputDeadline].compactMap(\.self).min()
    if deadline != state.deadline {
      state.deadline = deadline
      loop.setDeadline(state.token, deadline)
    }
  }

  /// True where so much waits to be read that no further call is begun.
  func isBackedUp(_ state: State) -> Bool {
    state.output.count >= limits.maxQueuedReplies || state.output.bytes >= limits.maxQueuedBytes
  }
}
