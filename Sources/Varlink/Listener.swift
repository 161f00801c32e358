internal import CSocket
internal import Glibc

/// A Unix stream socket that takes connections.
public final class Listener: Sendable {
  /// Why there is no listener.
  public enum Failure: Error, Sendable, Equatable {
    /// A living process listens there.
    case addressInUse(path: String)
    /// Something that isn't a socket lies there; it is left alone.
    case notASocket(path: String)
    /// The path is empty or has more than 107 bytes.
    case invalidPath(path: String)
    /// The adopted descriptor isn't a listening Unix stream socket.
    case notListening(descriptor: Int32)
    /// Something else, such as a missing folder.
    case system(SystemError)
  }

  /// The socket.
  public let descriptor: FileDescriptor
  /// Where it lies in the file system; nil where it was adopted.
  public let path: String?
  private let identity: FileIdentity?

  /// Makes a socket.
  ///
  /// A socket that a dead process left is replaced. The socket never has wider permissions than `mode`, whatever the
  /// process' umask.
  ///
  /// - Parameters:
  ///   - mode: who may connect: those with write permission.
  ///   - parentMode: makes the folder (one level) with this mode where it is missing; nil not to.
  public init(path: String, mode: UInt32, parentMode: UInt32? = nil) throws(Failure) {
    guard let address = UnixAddress(path: path) else { throw .invalidPath(path: path) }
    let folder = UnixAddress.folder(of: path)
    if let parentMode, mkdir(folder, parentMode) != 0, errno != EEXIST { throw .system(SystemError("make \(folder)")) }
    // One starting process at a time looks at an old socket and replaces it.
    let lock = try Self.lock(folder)
    defer { lock.close() }
    try Self.removeStale(path, address)
    do throws(SystemError) { descriptor = try UnixAddress.makeSocket() } catch { throw .system(error) }
    // The file that bind makes has the socket's own mode, less the umask; then the umask's part is added.
    guard fchmod(descriptor.rawValue, mode) == 0, address.bind(descriptor.rawValue) == 0 else {
      throw .system(SystemError("bind \(path)"))
    }
    identity = FileIdentity(path: path)
    self.path = path
    guard chmod(path, mode) == 0, listen(descriptor.rawValue, 128) == 0 else {
      let error = SystemError("listen on \(path)")
      unlink(path)
      throw .system(error)
    }
  }

  /// Takes over a socket that listens already, such as one that systemd passed. Its file is left alone.
  public init(adopting descriptor: FileDescriptor) throws(Failure) {
    func option(_ name: CInt) -> CInt {
      var value: CInt = -1
      var length = socklen_t(MemoryLayout<CInt>.size)
      return getsockopt(descriptor.rawValue, SOL_SOCKET, name, &value, &length) == 0 ? value : -1
    }
    guard option(SO_DOMAIN) == AF_UNIX, option(SO_TYPE) == CInt(SOCK_STREAM.rawValue), option(SO_ACCEPTCONN) == 1 else {
      throw .notListening(descriptor: descriptor.rawValue)
    }
    let flags = fcntl(descriptor.rawValue, F_GETFL)
    guard fcntl(descriptor.rawValue, F_SETFL, flags | O_NONBLOCK) == 0,
      fcntl(descriptor.rawValue, F_SETFD, FD_CLOEXEC) == 0
    else { throw .system(SystemError("adopt descriptor \(descriptor.rawValue)")) }
    self.descriptor = descriptor
    path = nil
    identity = nil
  }

  deinit { close() }

  /// Takes no more connections, and removes the socket's file where it is still this one's.
  public func close() {
    guard descriptor.rawValue >= 0 else { return }
    if let path, let identity, FileIdentity(path: path) == identity { unlink(path) }
    descriptor.close()
  }
}

extension Listener {
  private static func lock(_ folder: String) throws(Failure) -> FileDescriptor {
    let lock = FileDescriptor(owning: open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
    guard lock.rawValue >= 0 else { throw .system(SystemError("open \(folder)")) }
    let deadline = ContinuousClock.now + .seconds(2)
    while flock(lock.rawValue, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR, .now < deadline else {
        throw .system(SystemError("lock \(folder)"))
      }
      usleep(10_000)
    }
    return lock
  }

  /// Makes way at the path, unless somebody listens there.
  private static func removeStale(_ path: String, _ address: UnixAddress) throws(Failure) {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      if errno == ENOENT { return }
      throw .system(SystemError("look at \(path)"))
    }
    guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path: path) }
    let probe: FileDescriptor
    do throws(SystemError) { probe = try UnixAddress.makeSocket() } catch { throw .system(error) }
    // A full backlog answers EAGAIN: somebody lives there, too.
    if address.connect(probe.rawValue) == 0 || errno == EAGAIN { throw .addressInUse(path: path) }
    guard errno == ECONNREFUSED || errno == ENOENT else { throw .system(SystemError("connect to \(path)")) }
    if unlink(path) != 0, errno != ENOENT { throw .system(SystemError("remove the old \(path)")) }
  }
}

extension Listener.Failure: CustomStringConvertible {
  /// For people.
  public var description: String {
    switch self {
    case .addressInUse(let path): "another process listens on \(path) already"
    case .notASocket(let path): "\(path) exists and is not a socket"
    case .invalidPath(let path): "'\(path)' is empty or longer than the 107 bytes that a socket's path may have"
    case .notListening(let descriptor): "descriptor \(descriptor) is not a listening Unix stream socket"
    case .system(let error): "cannot \(error)"
    }
  }
}
