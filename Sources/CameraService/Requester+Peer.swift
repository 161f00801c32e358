import Camera
import Dispatch
import Glibc
import Varlink

extension Requester {
  /// Who is at the other end of a connection. A directory of users on the network may take its time: not on the shared
  /// pool.
  static func asking(_ peer: PeerCredentials) async -> Requester {
    await withCheckedContinuation { continuation in
      Self.queue.async { continuation.resume(returning: Requester(peer)) }
    }
  }

  private static let queue = DispatchQueue(label: "camd.users")

  private init(_ peer: PeerCredentials) {
    self.init(user: Self.name(peer.uid), program: Self.program(peer.pid), process: peer.pid > 0 ? Int(peer.pid) : nil)
  }

  private static func name(_ user: UInt32) -> String {
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var text = [CChar](repeating: 0, count: 4096)
    guard getpwuid_r(user, &entry, &text, text.count, &found) == 0, found != nil, let name = entry.pw_name else {
      return "\(user)"
    }
    return String(cString: name)
  }

  private static func program(_ process: Int32) -> String? {
    let file = open("/proc/\(process)/comm", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(file, &bytes, bytes.count)
    return count > 0 ? String(decoding: bytes[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self) : nil
  }
}
