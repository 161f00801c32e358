import Foundation
import Synchronization

/// A camera whose every frame the test makes: datagrams to a `udpsrc` of the daemon, a frame each, from the moment it
/// opens. One without frames is one that has stalled.
final class NetworkCamera: Sendable {
  private struct State {
    var sent = 0
    var isPaused = false
    var isOver = false
  }

  let port: UInt16
  private let state = Mutex(State())
  private let descriptor: Int32

  /// Sends `frame(n)` for n = 0, 1, 2 ..., the first one until somebody takes it. At most 60,000 bytes each.
  init(rate: Double = 30, frame: @escaping @Sendable (Int) -> [UInt8]) throws {
    port = try Self.freePort()
    descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0, Self.use(port, with: connect, descriptor) == 0 else { throw CocoaError(.fileWriteUnknown) }
    Thread.detachNewThread { [weak self] in
      var next = Date.now
      while let self, !self.isOver {
        self.send(frame)
        next = max(next + 1 / rate, Date.now)
        Thread.sleep(until: next)
      }
    }
  }

  deinit { close(descriptor) }

  /// A camera of plain grey, 64x48, that shows `brightness(n)`.
  static func grey(_ brightness: @escaping @Sendable (Int) -> UInt8) throws -> NetworkCamera {
    try NetworkCamera { [UInt8](repeating: brightness($0), count: 64 * 48) }
  }

  static let greyCaps = "video/x-raw,format=GRAY8,width=64,height=48,framerate=30/1"

  /// The fragment for the configuration.
  func source(_ caps: String = greyCaps) -> String { "udpsrc address=127.0.0.1 port=\(port) caps=\"\(caps)\"" }

  /// Frames that were sent since it was opened.
  var sent: Int { state.withLock { $0.sent } }

  /// Stops and goes on.
  func pause(_ isPaused: Bool) { state.withLock { $0.isPaused = isPaused } }

  func end() { state.withLock { $0.isOver = true } }

  private var isOver: Bool { state.withLock { $0.isOver } }

  private func send(_ frame: (Int) -> [UInt8]) {
    state.withLock { state in
      guard !state.isPaused else { return }
      let bytes = frame(state.sent)
      // an error of the last one: nobody was there
      let count = Foundation.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
      state.sent = count == bytes.count ? state.sent + 1 : 0
    }
  }

  private static func freePort() throws -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    guard descriptor >= 0, use(0, with: bind, descriptor) == 0 else { throw CocoaError(.fileWriteUnknown) }
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    return UInt16(bigEndian: address.sin_port)
  }

  private static func use(
    _ port: UInt16, with call: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32, _ descriptor: Int32
  ) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        call(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}
