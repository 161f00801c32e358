import Glibc
import Varlink

/// The descriptors that the service manager opened for the daemon, by the protocol of sd_listen_fds(3).
struct ListenDescriptors: Equatable {
  /// What was passed isn't what the daemon can serve on.
  struct Unusable: Error, Equatable, CustomStringConvertible {
    var description: String
  }

  /// The first descriptor that is passed, by the protocol.
  static let first: Int32 = 3

  /// The numbers; none where nothing was passed to this process.
  private(set) var numbers: [Int32] = []
  /// The names in the same order, `unknown` where none was given.
  private(set) var names: [String] = []

  /// Reads the variables. The descriptors are closed on exec from here on.
  /// - Throws: `Unusable` for variables that make no sense, and for descriptors that aren't open.
  init(
    environment: Environment, process: Int32 = getpid(), first: Int32 = ListenDescriptors.first
  ) throws(Unusable) {
    // The variables of a parent are inherited by its children, whom they don't concern.
    guard let owner = environment["LISTEN_PID"], Int32(owner) == process, let number = environment["LISTEN_FDS"] else {
      return
    }
    guard let count = Int32(number), (0...1024).contains(count) else {
      throw Unusable(description: "LISTEN_FDS is '\(number)', not a number of descriptors")
    }
    let given = environment["LISTEN_FDNAMES"]?.split(separator: ":", omittingEmptySubsequences: false) ?? []
    for index in 0..<Int(count) {
      let number = first + Int32(index)
      guard fcntl(number, F_SETFD, FD_CLOEXEC) == 0 else {
        throw Unusable(description: SystemError("take descriptor \(number) of LISTEN_FDS").description)
      }
      numbers.append(number)
      names.append(index < given.count ? String(given[index]) : "unknown")
    }
  }

  /// The process's own; the variables are unset, so that no child takes them for its own. Call it once, before there
  /// are other threads.
  /// - Throws: `Unusable`.
  static func take() throws(Unusable) -> ListenDescriptors {
    let environment = Environment.current
    for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) }
    return try ListenDescriptors(environment: environment)
  }

  /// The one that was passed, for a `Listener` to adopt, which looks whether it is a listening socket. Nil where none
  /// was passed.
  /// - Throws: `Unusable` for several.
  func controlSocket() throws(Unusable) -> Int32? {
    guard numbers.count <= 1 else {
      let all = names.joined(separator: ", ")
      throw Unusable(description: "\(numbers.count) sockets were passed (\(all)); the daemon serves on one")
    }
    return numbers.first
  }
}
