import Glibc

/// A call to the system that failed.
struct SystemError: Error, Equatable, CustomStringConvertible {
  /// `errno` of the call.
  var code: Int32

  static let noSuchFile = ENOENT
  static let notADirectory = ENOTDIR

  /// The last call's.
  static var last: SystemError { SystemError(code: errno) }

  /// The system's words, such as `No such file or directory`.
  var description: String { String(cString: strerror(code)) }
}

/// Writes all bytes. Returns false where the descriptor doesn't take them.
func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if count < 0, errno == EINTR { continue }
    guard count > 0 else { return false }
    rest = rest.dropFirst(count)
  }
  return true
}

/// A small file's bytes.
/// - Throws: `SystemError`; `EFBIG` for one of more bytes than the limit.
func readFile(_ path: String, limit: Int = 1 << 20) throws(SystemError) -> [UInt8] {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { throw .last }
  defer { close(descriptor) }
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 16384)
  while true {
    let count = read(descriptor, &chunk, chunk.count)
    if count < 0, errno == EINTR { continue }
    guard count >= 0 else { throw .last }
    if count == 0 { return bytes }
    bytes += chunk[..<count]
    guard bytes.count <= limit else { throw SystemError(code: EFBIG) }
  }
}
