import Glibc
import Varlink

/// Tells the service manager how the daemon stands, by the protocol of sd_notify(3): one datagram for each message.
struct SystemdNotification: Sendable {
  /// What there is to tell.
  enum Message: Equatable, Sendable {
    /// The daemon serves.
    case ready
    /// The daemon is about to exit.
    case stopping
    /// One line for people, shown by `systemctl status`.
    case status(String)

    var line: String {
      switch self {
      case .ready: "READY=1"
      case .stopping: "STOPPING=1"
      case .status(let text): "STATUS=\(Log.escaping(text))"
      }
    }
  }

  private let name: String
  private let address: sockaddr_un
  private let addressLength: socklen_t

  /// Nil where nobody wants to be told. Leaves the variable set.
  /// - Throws: `SystemError` for a value of `NOTIFY_SOCKET` that is no address of a Unix socket.
  init?(environment: Environment) throws(SystemError) {
    guard let name = environment["NOTIFY_SOCKET"] else { return nil }
    guard name.hasPrefix("/") || name.hasPrefix("@") else { throw SystemError("notify \(name)", code: EAFNOSUPPORT) }
    var address = sockaddr_un()
    let capacity = MemoryLayout.size(ofValue: address.sun_path)
    var bytes = Array(name.utf8)
    guard bytes.count < capacity else { throw SystemError("notify \(name)", code: ENAMETOOLONG) }
    // '@' stands for the NUL that begins an abstract name; such a name has no NUL at its end.
    if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 } else { bytes.append(0) }
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    self.name = name
    self.address = address
    addressLength = socklen_t(MemoryLayout<sockaddr_un>.size - capacity + bytes.count)
  }

  /// Sends the messages in one datagram. Waits for a service manager that is behind with reading, at most a second.
  /// - Throws: `SystemError`.
  func send(_ messages: Message...) throws(SystemError) {
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw SystemError("notify \(name)") }
    defer { close(descriptor) }
    var limit = timeval(tv_sec: 1, tv_usec: 0)
    guard setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size)) == 0 else {
      throw SystemError("notify \(name)")
    }
    let text = Array(messages.map(\.line).joined(separator: "\n").utf8)
    var address = address
    let sent = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(descriptor, text, text.count, Int32(MSG_NOSIGNAL), $0, addressLength)
      }
    }
    guard sent == text.count else { throw SystemError("notify \(name)") }
  }
}
