import Glibc

/// Tells whether a disk that belongs at a place is there.
struct MountTable: Sendable {
  /// What is to be mounted.
  var configured = "/etc/fstab"
  /// What is mounted.
  var current = "/proc/self/mounts"

  /// The place at or above a path where a disk is to be mounted and none is; nil where all is well.
  func missingMount(for path: String) -> String? {
    let places = Self.places(in: configured).filter { path == $0 || path.hasPrefix($0 + "/") }
    guard let place = places.max(by: { $0.utf8.count < $1.utf8.count }) else { return nil }
    return Self.places(in: current).contains(place) ? nil : place
  }

  /// The second column: where something is mounted. The root is always there.
  private static func places(in file: String) -> [String] {
    guard let text = contents(of: file) else { return [] }
    return text.split(separator: "\n").compactMap { line in
      let columns = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
      guard columns.count >= 3, !columns[0].hasPrefix("#"), columns[1].hasPrefix("/"), columns[1] != "/" else {
        return nil
      }
      return unescaped(columns[1])
    }
  }

  /// Blanks stand as `\040` in these files.
  private static func unescaped(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\\"), rest.count >= 3,
        let value = UInt8(String(decoding: rest.prefix(3), as: UTF8.self), radix: 8)
      {
        bytes.append(value)
        rest = rest.dropFirst(3)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func contents(of path: String) -> String? {
    let raw = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard raw >= 0 else { return nil }
    let descriptor = Descriptor(owning: raw)
    var bytes: [UInt8] = []
    while bytes.count < 1 << 20 {
      let piece = [UInt8](unsafeUninitializedCapacity: 16384) { buffer, count in
        count = max(0, Glibc.read(descriptor.rawValue, buffer.baseAddress, buffer.count))
      }
      if piece.isEmpty { break }
      bytes += piece
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
