import FoundationEssentials
import Glibc
import Testing

@testable import camd

/// Runs the body with an empty folder, which is gone afterwards.
func withTemporaryFolder(_ body: (String) throws -> Void) throws {
  var template = Array("/tmp/camd.XXXXXX".utf8CString)
  try #require(mkdtemp(&template) != nil)
  let folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  defer { try? FileManager.default.removeItem(atPath: folder) }
  try body(folder)
}

/// Writes a file and the folders above it.
func writeFile(_ text: String, to path: String) throws {
  let folder = path.split(separator: "/").dropLast().map { "/\($0)" }.joined()
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
  try #require(descriptor >= 0)
  defer { close(descriptor) }
  try #require(writeAll(Array(text.utf8), to: descriptor))
}
