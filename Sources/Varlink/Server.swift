internal import CSocket
internal import Glibc
internal import Synchronization

/// Serves interfaces on a socket.
public final class Server: Sendable {
  private struct State {
    var connections: [UInt64: Connection] = [:]
    var nextID: UInt64 = 1
    var isStopping = false
    /// Waits for the last connection to close.
    var whenEmpty: [CheckedContinuation<Void, Never>] = []
  }

  let listener: Listener
  let limits: Limits
  let diagnostic: @Sendable (String) -> Void
  private let router: Router
  private let loop: EventLoop
  private let acceptor: Acceptor
  private let state = Mutex(State())

  /// A server that does nothing until `start`.
  ///
  /// - Parameters:
  ///   - services: one for each interface; `org.varlink.service` is there by itself.
  ///   - diagnostic: is told, on any thread, why a client was disconnected or could not be taken.
  public init(
    listener: Listener, info: ServiceInfo, services: [any Service], limits: Limits = Limits(),
    diagnostic: @escaping @Sendable (String) -> Void = { _ in }
  ) throws {
    self.listener = listener
    self.limits = limits
    self.diagnostic = diagnostic
    router = try Router(info: info, services: services)
    loop = try EventLoop()
    acceptor = Acceptor(listener.descriptor, loop: loop, diagnostic: diagnostic)
  }

  deinit { loop.stop() }

  /// Begins to serve, and returns at once.
  public func start() throws {
    try acceptor.start { [weak self] socket in self?.add(socket) }
    loop.start()
  }

  /// Connections that are open.
  public var connectionCount: Int { state.withLock { $0.connections.count } }

  /// Stops serving: takes no more connections and calls, ends streams, lets other calls end, then closes everything.
  ///
  /// - Parameter grace: how long calls may run on before they are cancelled.
  public func stop(grace: Duration = .seconds(5)) async {
    acceptor.stop()
    listener.close()
    let connections = state.withLock { state in
      state.isStopping = true
      return Array(state.connections.values)
    }
    for connection in connections { connection.drain() }
    let watchdog = Task {
      try await Task.sleep(for: grace)
      for connection in connections { connection.abort() }
    }
    await withCheckedContinuation { continuation in
      let isEmpty = state.withLock { state in
        if !state.connections.isEmpty { state.whenEmpty.append(continuation) }
        return state.connections.isEmpty
      }
      if isEmpty { continuation.resume() }
    }
    watchdog.cancel()
    loop.stop()
  }

  private func add(_ socket: FileDescriptor) {
    let peer: PeerCredentials
    do throws(SystemError) {
      peer = try PeerCredentials(ofSocket: socket.rawValue)
    } catch {
      return diagnostic("refused a connection: \(error)")
    }
    let connection: Connection? = state.withLock { state in
      guard !state.isStopping, state.connections.count < limits.maxConnections else { return nil }
      let connection = Connection(
        id: state.nextID, socket: socket, peer: peer, limits: limits, loop: loop, router: router
      ) { [weak self] connection, effect in self?.handle(effect, of: connection) }
      state.nextID += 1
      state.connections[connection.id] = connection
      return connection
    }
    guard let connection else {
      return diagnostic("refused a connection of process \(peer.pid): \(limits.maxConnections) are open already")
    }
    do throws(SystemError) {
      try connection.open()
    } catch {
      diagnostic("refused a connection: \(error)")
      remove(connection)
    }
  }

  private func handle(_ effect: Connection.Effect, of connection: Connection) {
    switch effect {
    case .cancel: break
    case .report(let reason): diagnostic("process \(connection.peer.pid) \(reason)")
    case .closed: remove(connection)
    }
  }

  private func remove(_ connection: Connection) {
    let waiting = state.withLock { state in
      state.connections[connection.id] = nil
      guard state.connections.isEmpty else { return [CheckedContinuation<Void, Never>]() }
      defer { state.whenEmpty = [] }
      return state.whenEmpty
    }
    for continuation in waiting { continuation.resume() }
    acceptor.roomWasMade()
  }
}
