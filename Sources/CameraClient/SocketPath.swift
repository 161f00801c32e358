internal import Glibc

/// Where the daemon listens.
public enum SocketPath {
  /// The daemon of the whole machine.
  public static let system = "/run/camd/camd.sock"

  /// The daemon that this process should talk to: the one that `CAMD_SOCKET` names, else the user's own where it is
  /// there, else that of the machine.
  public static var preferred: String {
    preferred(
      environment: { getenv($0).map { String(cString: $0) } }, isRoot: geteuid() == 0,
      exists: { access($0, F_OK) == 0 })
  }

  static func preferred(environment: (String) -> String?, isRoot: Bool, exists: (String) -> Bool) -> String {
    if let path = environment("CAMD_SOCKET"), !path.isEmpty { return path }
    guard !isRoot, let folder = environment("XDG_RUNTIME_DIR"), folder.hasPrefix("/") else { return system }
    let own = "\(folder)/camd/camd.sock"
    return exists(own) || !exists(system) ? own : system
  }
}
