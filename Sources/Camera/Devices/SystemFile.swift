import Glibc

/// Files of proc and sysfs.
enum SystemFile {
  /// The first line, without its end; nil where it can't be read. At most 4 KiB.
  static func firstLine(_ path: String) -> String? {
    read(path)?.split(separator: "\n", omittingEmptySubsequences: false).first.map(String.init)
  }

  /// The text; nil where it can't be read. At most 4 KiB.
  static func read(_ path: String) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(file, &bytes, bytes.count)
    return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
  }

  /// Whether anything is there.
  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// The names in a folder; empty where it can't be read.
  static func names(in folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// Where a link points; nil where it is none or can't be read.
  static func target(of link: String) -> String? {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = readlink(link, &bytes, bytes.count)
    return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
  }

  /// Where sysfs has a node below `/dev` that is a camera's.
  static func sysfsPath(ofVideo node: String) -> String? {
    let link = "/sys/class/video4linux/\(node.split(separator: "/").last ?? "")"
    return exists(link) ? realPath(link) : nil
  }

  /// The path without links; the path itself where nothing is there.
  static func realPath(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
