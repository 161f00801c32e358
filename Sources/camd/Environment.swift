import FoundationEssentials
import Glibc

/// What the process was started with and as: the variables and the user.
struct Environment: Sendable, Equatable {
  /// The variables.
  var variables: [String: String]
  /// The user that the process runs as.
  var userID: UInt32

  /// A variable's value; nil where it is unset or empty, which the XDG rules treat alike.
  subscript(name: String) -> String? {
    guard let value = variables[name], !value.isEmpty else { return nil }
    return value
  }

  /// True for the superuser.
  var isRoot: Bool { userID == 0 }

  /// The process's own. Read it while there is only one thread, or none that changes the environment.
  static var current: Environment {
    Environment(variables: ProcessInfo.processInfo.environment, userID: getuid())
  }

  /// The user's home: `HOME`, else what the user database says.
  var home: String? {
    if let home = self["HOME"], home.hasPrefix("/") { return home }
    guard let entry = getpwuid(userID), let folder = entry.pointee.pw_dir else { return nil }
    let home = String(cString: folder)
    return home.hasPrefix("/") ? home : nil
  }

  /// A folder that an XDG variable names, else the one below the home. Relative values don't count, by the rules.
  func folder(_ variable: String, belowHome fallback: String) -> String? {
    if let value = self[variable], value.hasPrefix("/") { return value }
    return home.map { "\($0)/\(fallback)" }
  }
}
