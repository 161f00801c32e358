import Glibc

/// The sockets that the service manager opened for the daemon, by the protocol of sd_listen_fds(3).
struct ListenDescriptors: Equatable {
  /// What was passed isn't what the daemon can serve on.
  struct Unusable: Error, Equatable, CustomStringConvertible {
    var description: String
  }

  /// The first descriptor that is passed, by the protocol.
  static let first: Int32 = 3

  /// The descriptors with their names, which are `unknown` where none were given. None where none were passed to
  /// this process.
  private(set) var descriptors: [(descriptor: Int32, name: String)] = []

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
    let names = environment["LISTEN_FDNAMES"]?.split(separator: ":", omittingEmptySubsequences: false) ?? []
    for index in 0..<count {
      let descriptor = first + index
      guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else {
        throw Unusable(description: "descriptor \(descriptor) of LISTEN_FDS: \(SystemError.last)")
      }
      let name = Int(index) < names.count ? String(names[Int(index)]) : "unknown"
      descriptors.append((descriptor, name))
    }
  }

  /// The process's own; the variables are unset, so that no child takes them for its own. Call it before there are
  /// other threads.
  /// - Throws: `Unusable`.
  static func take() throws(Unusable) -> ListenDescriptors {
    let environment = Environment.current
    for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) }
    return try ListenDescriptors(environment: environment)
  }

  /// The one listening socket, nil where none was passed.
  /// - Throws: `Unusable` for several, and for one that isn't a listening Unix stream socket.
  func controlSocket() throws(Unusable) -> Int32? {
    guard let (descriptor, name) = descriptors.first else { return nil }
    guard descriptors.count == 1 else {
      let names = descriptors.map(\.name).joined(separator: ", ")
      throw Unusable(description: "\(descriptors.count) sockets were passed (\(names)); the daemon serves on one")
    }
    func option(_ option: Int32) throws(Unusable) -> Int32 {
      var value: Int32 = 0
      var size = socklen_t(MemoryLayout<Int32>.size)
      guard getsockopt(descriptor, SOL_SOCKET, option, &value, &size) == 0 else {
        throw Unusable(description: "the descriptor that was passed (\(name)): \(SystemError.last)")
      }
      return value
    }
    guard try option(SO_DOMAIN) == AF_UNIX else {
      throw Unusable(description: "the socket that was passed (\(name)) is not a Unix-domain socket")
    }
    guard try option(SO_TYPE) == Int32(SOCK_STREAM.rawValue) else {
      throw Unusable(description: "the socket that was passed (\(name)) is not a stream socket")
    }
    guard try option(SO_ACCEPTCONN) == 1 else {
      throw Unusable(description: "the socket that was passed (\(name)) does not listen (Accept=no in the unit?)")
    }
    return descriptor
  }

  static func == (left: ListenDescriptors, right: ListenDescriptors) -> Bool {
    left.descriptors.elementsEqual(right.descriptors) { $0 == $1 }
  }
}
