import Foundation
import MovieFile

/// Finishes a file by its path.
@discardableResult
func finish(_ path: String, _ metadata: MovieMetadata = MovieMetadata()) throws -> FinishedMovie {
  let descriptor = open(path, O_RDWR | O_CLOEXEC)
  defer { close(descriptor) }
  return try MovieFinisher.finish(at: descriptor, metadata: metadata)
}

extension Data {
  init(file: String) throws { try self.init(contentsOf: URL(filePath: file)) }
  func save(to path: String) throws { try write(to: URL(filePath: path)) }
}
