import Glibc
import Synchronization
import Varlink

/// Turns Ctrl-C and its kin into a descriptor that becomes readable. A second one ends the process as usual.
enum Interrupt {
  private static let writer = Atomic<CInt>(-1)

  /// The descriptor to wait on, from now on.
  static func catching() throws -> FileDescriptor {
    var ends: [CInt] = [-1, -1]
    guard pipe(&ends) == 0 else { throw LocalError("cannot make a pipe: \(String(cString: strerror(errno)))") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    writer.store(ends[1], ordering: .releasing)
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in Interrupt.note() }
    action.sa_flags = CInt(bitPattern: UInt32(SA_RESETHAND))
    for signal in [SIGINT, SIGTERM, SIGHUP] { sigaction(signal, &action, nil) }
    return FileDescriptor(owning: ends[0])
  }

  private static func note() { _ = Glibc.write(writer.load(ordering: .acquiring), "!", 1) }
}
