import Foundation

/// Stands in for the service manager: hears when the daemon is ready.
final class ReadyListener: Sendable {
  let path: String
  private let descriptor: Int32

  init(_ path: String) throws {
    self.path = path
    unlink(path)
    descriptor = Self.makeSocket()
    guard descriptor >= 0, use(bind, descriptor) == 0 else { throw CocoaError(.fileWriteUnknown) }
  }

  deinit { close(descriptor) }

  /// Waits for `READY=1`; false where it doesn't come in so many seconds.
  func wait(within seconds: Double) -> Bool {
    let deadline = Date.now + seconds
    while true {
      var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let left = Int32(max(0, deadline.timeIntervalSinceNow * 1000))
      guard poll(&polled, 1, left) == 1 else { return false }
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { return false }
      if buffer[0] == 0 { return false }
      if String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n").contains("READY=1") { return true }
    }
  }

  /// Ends a `wait`: what was waited for is gone.
  func interrupt() {
    let descriptor = Self.makeSocket()
    defer { close(descriptor) }
    if use(connect, descriptor) == 0 { send(descriptor, [0], 1, Int32(MSG_NOSIGNAL)) }
  }

  private static func makeSocket() -> Int32 {
    socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
  }

  private func use(_ call: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32, _ descriptor: Int32) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        call(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}
