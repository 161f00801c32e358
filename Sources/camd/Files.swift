import Glibc
import Varlink

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
  let number = open(path, O_RDONLY | O_CLOEXEC)
  guard number >= 0 else { throw SystemError("read") }
  let descriptor = FileDescriptor(owning: number)
  defer { descriptor.close() }
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 16384)
  while true {
    let count = read(number, &chunk, chunk.count)
    if count < 0, errno == EINTR { continue }
    guard count >= 0 else { throw SystemError("read") }
    if count == 0 { return bytes }
    bytes += chunk[..<count]
    guard bytes.count <= limit else { throw SystemError("read", code: EFBIG) }
  }
}
