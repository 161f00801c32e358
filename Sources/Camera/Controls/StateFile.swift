import Glibc

/// A small file of what the daemon remembers.
enum StateFile {
  /// An error number of the system.
  struct SystemError: Error {
    var number: Int32
  }

  /// Replaces the file as a whole: after a loss of power it is the old one or the new one. Makes its folders.
  static func replace(_ path: String, with bytes: [UInt8]) throws(SystemError) {
    let end = path.lastIndex(of: "/") ?? path.startIndex
    let folder = String(path[..<end])
    try makeFolder(folder)
    let temporary = path + ".new"
    try open(temporary, O_WRONLY | O_CREAT | O_TRUNC) { file throws(SystemError) in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw SystemError(number: errno) }
        rest = rest.dropFirst(count)
      }
      try sync(file)
    }
    guard rename(temporary, path) == 0 else { throw SystemError(number: errno) }
    try open(folder, O_RDONLY | O_DIRECTORY, sync)
  }

  private static func makeFolder(_ path: String) throws(SystemError) {
    guard !path.isEmpty, access(path, F_OK) != 0 else { return }
    try makeFolder(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw SystemError(number: errno) }
  }

  private static func sync(_ file: Int32) throws(SystemError) {
    guard fsync(file) == 0 else { throw SystemError(number: errno) }
  }

  private static func open(
    _ path: String, _ flags: Int32, _ body: (Int32) throws(SystemError) -> Void
  ) throws(SystemError) {
    let file = Glibc.open(path, flags | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw SystemError(number: errno) }
    defer { close(file) }
    try body(file)
  }
}
