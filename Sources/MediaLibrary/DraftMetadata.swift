import CFileSystem
import MovieFile

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What is known of a recording before its file can hold it, kept as an extended attribute of the file.
///
/// A file system without such attributes loses it with the process; time and camera stand in the name.
enum DraftMetadata {
  private static let name = "user.camd.recording"
  private static let largest = 4096

  static func save(_ metadata: MovieMetadata, on descriptor: Int32) {
    guard let data = try? JSONEncoder().encode(metadata), data.count <= largest else { return }
    let bytes = [UInt8](data)
    _ = fsetxattr(descriptor, name, bytes, bytes.count, 0)
  }

  static func load(from descriptor: Int32) -> MovieMetadata? {
    var bytes = [UInt8](repeating: 0, count: largest)
    let count = fgetxattr(descriptor, name, &bytes, bytes.count)
    guard count > 0 else { return nil }
    return try? JSONDecoder().decode(MovieMetadata.self, from: Data(bytes.prefix(count)))
  }

  static func remove(from descriptor: Int32) { _ = fremovexattr(descriptor, name) }
}
