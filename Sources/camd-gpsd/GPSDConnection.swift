import Glibc
import Varlink

/// A connection to gpsd by its JSON protocol: one object a line. Blocking.
final class GPSDConnection {
  /// Why there is none, or none any more.
  struct Failure: Error, Equatable, CustomStringConvertible {
    var description: String
  }

  /// gpsd's own lines are shorter by far.
  private static let longestLine = 65_536

  private let descriptor: FileDescriptor
  private var buffer: [UInt8] = []
  private var input = [UInt8](repeating: 0, count: 4096)

  /// Connects, and asks for reports.
  init(host: String, port: String) throws(Failure) {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(host, port, &hints, &list)
    guard status == 0 else { throw Failure(description: "\(host): \(String(cString: gai_strerror(status)))") }
    defer { freeaddrinfo(list) }
    var number = ENOENT
    var next = list
    var connected: FileDescriptor?
    while let address = next?.pointee, connected == nil {
      next = address.ai_next
      let raw = socket(
        address.ai_family, address.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), address.ai_protocol)
      guard raw >= 0 else {
        number = errno
        continue
      }
      let descriptor = FileDescriptor(owning: raw)
      // A host that vanishes says nothing: without this it would be waited for for ever.
      for (level, option, value) in [
        (SOL_SOCKET, SO_KEEPALIVE, Int32(1)), (Int32(IPPROTO_TCP), TCP_KEEPIDLE, 30),
        (Int32(IPPROTO_TCP), TCP_KEEPINTVL, 10),
        (Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, 30_000),
      ] {
        var value = value
        setsockopt(raw, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
      }
      if connect(raw, address.ai_addr, address.ai_addrlen) == 0 { connected = descriptor } else { number = errno }
    }
    guard let connected else {
      throw Failure(description: "\(host), port \(port): \(String(cString: strerror(number)))")
    }
    descriptor = connected
    let watch = Array("?WATCH={\"enable\":true,\"json\":true};\n".utf8)
    guard send(connected.rawValue, watch, watch.count, Int32(MSG_NOSIGNAL)) == watch.count else {
      throw Failure(description: "\(host), port \(port): \(String(cString: strerror(errno)))")
    }
  }

  /// The next line. Throws when there are no more.
  func line() throws(Failure) -> [UInt8] {
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        let line = Array(buffer[..<end])
        buffer.removeSubrange(...end)
        return line
      }
      guard buffer.count <= Self.longestLine else { throw Failure(description: "its lines have no end") }
      let count = read(descriptor.rawValue, &input, input.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        throw Failure(description: count == 0 ? "it hung up" : String(cString: strerror(errno)))
      }
      buffer += input[..<count]
    }
  }
}
