internal import CSocket
internal import Glibc

/// The address of a Unix socket.
struct UnixAddress {
  private var address = sockaddr_un()

  /// Nil where the path is too long.
  init?(path: String) {
    let bytes = Array(path.utf8)
    guard !bytes.isEmpty, bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
  }

  private func withAddress<T>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> T) -> T {
    withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  /// 0, or -1 with errno.
  func bind(_ socket: CInt) -> CInt { withAddress { Glibc.bind(socket, $0, $1) } }

  /// 0, or -1 with errno.
  func connect(_ socket: CInt) -> CInt { withAddress { Glibc.connect(socket, $0, $1) } }

  /// A new stream socket, closed on exec.
  static func makeSocket(nonBlocking: Bool = true) throws(SystemError) -> FileDescriptor {
    let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
    let socket = Glibc.socket(AF_UNIX, type | (nonBlocking ? CInt(SOCK_NONBLOCK.rawValue) : 0), 0)
    guard socket >= 0 else { throw SystemError("make a socket") }
    return FileDescriptor(owning: socket)
  }

  /// The folder that a path lies in.
  static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}

/// Which file a path named at one moment.
struct FileIdentity: Equatable {
  private let device: UInt64
  private let inode: UInt64

  /// Nil where there is nothing.
  init?(path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
  }
}
