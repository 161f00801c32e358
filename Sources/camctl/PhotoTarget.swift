import Glibc
import Varlink

/// Where a picture is written on the user's side. An ordinary file appears complete or not at all.
struct PhotoTarget {
  private enum Kind {
    case standardOutput
    /// A device or a pipe.
    case special(path: String)
    /// A file, there already or not, and the mode it is to have.
    case file(path: String, mode: mode_t)
  }

  private let kind: Kind
  private let replaces: Bool

  /// Looks whether the target can be written to, before the photo is taken.
  /// `replaces`: whether an ordinary file may be there already.
  init(_ path: String, replaces: Bool = true) throws {
    self.replaces = replaces
    if path == "-" {
      kind = .standardOutput
      return
    }
    var status = stat()
    guard stat(path, &status) == 0 else {
      guard errno == ENOENT, !path.hasSuffix("/") else { throw Self.failure(path) }
      let mask = umask(0)
      umask(mask)
      kind = .file(path: path, mode: 0o666 & ~mask)
      try Self.check(folderOf: path, for: path)
      return
    }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: throw LocalError("cannot write \(path): it is a folder")
    case S_IFREG:
      guard replaces else { throw Self.exists(path) }
      guard access(path, W_OK) == 0, let real = realpath(path, nil) else { throw Self.failure(path) }
      defer { free(real) }
      kind = .file(path: String(cString: real), mode: status.st_mode & 0o777)
      try Self.check(folderOf: String(cString: real), for: path)
    default: kind = .special(path: path)
    }
  }

  /// Copies the picture.
  func write(from picture: FileDescriptor) throws {
    switch kind {
    case .standardOutput: try Self.copy(picture, to: STDOUT_FILENO, "standard output")
    case .special(let path):
      let descriptor = FileDescriptor(owning: open(path, O_WRONLY | O_CLOEXEC))
      guard descriptor.rawValue >= 0 else { throw Self.failure(path) }
      try Self.copy(picture, to: descriptor.rawValue, path)
    case .file(let path, let mode):
      let (folder, name) = Self.parts(path)
      var template = Array("\(folder)/.\(name.prefix(200)).XXXXXX".utf8CString)
      let descriptor = FileDescriptor(owning: mkstemp(&template))
      guard descriptor.rawValue >= 0 else { throw Self.failure(path) }
      do {
        try Self.copy(picture, to: descriptor.rawValue, path)
        guard fchmod(descriptor.rawValue, mode) == 0 else { throw Self.failure(path) }
        try put(template, path)
      } catch {
        unlink(template)
        throw error
      }
    }
  }

  private func put(_ temporary: [CChar], _ path: String) throws {
    guard !replaces else {
      guard rename(temporary, path) == 0 else { throw Self.failure(path) }
      return
    }
    // a second name is refused where there is a file, which renaming would replace
    if link(temporary, path) == 0 {
      unlink(temporary)
      return
    }
    if errno == EEXIST { throw Self.exists(path) }
    // no links on that file system: then only another program could come in between
    guard access(path, F_OK) != 0, rename(temporary, path) == 0 else { throw Self.exists(path) }
  }

  private static func exists(_ path: String) -> LocalError {
    LocalError("\(path) is there already; '--force' replaces it")
  }

  private static func failure(_ path: String) -> LocalError {
    LocalError("cannot write \(path): \(String(cString: strerror(errno)))")
  }

  private static func parts(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    return (String(path[...slash]), String(path[path.index(after: slash)...]))
  }

  private static func check(folderOf path: String, for shown: String) throws {
    if access(parts(path).folder, W_OK | X_OK) != 0 { throw failure(shown) }
  }

  private static func copy(_ picture: FileDescriptor, to descriptor: CInt, _ path: String) throws {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(picture.rawValue, &buffer, buffer.count)
      if count == 0 { return }
      if count > 0 {
        do { try Output.write(Array(buffer[..<count]), to: descriptor) } catch { throw failure(path) }
      } else if errno != EINTR {
        throw LocalError("cannot read the picture: \(String(cString: strerror(errno)))")
      }
    }
  }
}
