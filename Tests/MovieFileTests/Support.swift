import Foundation
import MovieFile

/// Finishes a file by its path.
@discardableResult
func finish(_ path: String, _ metadata: MovieMetadata = MovieMetadata()) throws -> FinishedMovie {
  let descriptor = open(path, O_RDWR | O_CLOEXEC)
  defer { close(descriptor) }
  return try MovieFinisher.finish(at: descriptor, metadata: metadata)
}

/// Numbers that are the same in every run.
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

extension Data {
  init(file: String) throws { try self.init(contentsOf: URL(filePath: file)) }
  func save(to path: String) throws { try write(to: URL(filePath: path)) }
}
