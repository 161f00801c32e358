internal import Glibc
internal import Synchronization

/// A file descriptor that has one owner and is closed with it. Any thread.
public final class FileDescriptor: Sendable {
  private let value: Atomic<CInt>

  /// Takes over a descriptor; nobody else may close it from now on.
  public init(owning rawValue: CInt) {
    value = Atomic(rawValue)
  }

  deinit { close() }

  /// The number, for system calls; -1 once it was closed or given away.
  public var rawValue: CInt { value.load(ordering: .acquiring) }

  /// Gives the number away: the caller closes it.
  public func release() -> CInt { value.exchange(-1, ordering: .acquiringAndReleasing) }

  /// Closes it now.
  public func close() {
    let number = release()
    if number >= 0 { _ = Glibc.close(number) }
  }

  /// A second descriptor of the same open file, closed on exec.
  public func duplicate() throws(SystemError) -> FileDescriptor {
    let copy = fcntl(rawValue, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw SystemError("duplicate a descriptor") }
    return FileDescriptor(owning: copy)
  }
}
