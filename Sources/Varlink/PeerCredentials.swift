internal import CSocket

/// The process at the other end of a socket, as it was when it connected.
public struct PeerCredentials: Sendable, Equatable {
  /// The process; it may have ended since.
  public let pid: Int32
  /// Its effective user.
  public let uid: UInt32
  /// Its effective group.
  public let gid: UInt32

  /// Credentials of these values.
  public init(pid: Int32, uid: UInt32, gid: UInt32) {
    self.pid = pid
    self.uid = uid
    self.gid = gid
  }

  init(ofSocket socket: CInt) throws(SystemError) {
    var pid = Int32()
    var uid = UInt32()
    var gid = UInt32()
    guard csocket_peer(socket, &pid, &uid, &gid) == 0 else { throw SystemError("read the peer's credentials") }
    self.init(pid: pid, uid: uid, gid: gid)
  }
}
