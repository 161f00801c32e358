import Foundation

/// What programs that camd has nothing to do with find in a movie.
public struct MovieJudge: Sendable {
  /// The file.
  public let path: String

  /// A judge of the file.
  public init(_ path: String) { self.path = path }

  /// What ffmpeg complains about when it decodes everything; empty for a good file.
  public func complaints() throws -> String {
    // without vfr it would complain of two frames that are nearer to each other than its own clock can tell
    let result = try Tool.run(["ffmpeg", "-v", "error", "-i", path, "-fps_mode", "vfr", "-f", "null", "-"])
    return result.errors + (result.status == 0 ? "" : "exit status \(result.status)")
  }

  /// The decoded frames' checksums, without their times; `stream` is `v` or `a`.
  public func checksums(_ stream: String) throws -> [String] {
    let result = try Tool.run(["ffmpeg", "-v", "quiet", "-i", path, "-map", "0:\(stream)", "-f", "framemd5", "-"])
    return result.output.split(separator: "\n").filter { !$0.hasPrefix("#") }
      .compactMap { $0.split(separator: ",").last.map { $0.trimmingCharacters(in: .whitespaces) } }
  }

  /// Fields that ffprobe shows, one line for each section, fields separated by commas in ffprobe's own order.
  public func entries(_ entries: String, stream: String? = nil) throws -> [String] {
    let selection = stream.map { ["-select_streams", $0] } ?? []
    let result = try Tool.run(
      ["ffprobe", "-v", "error"] + selection + ["-show_entries", entries, "-of", "csv=p=0", path])
    return result.output.split(separator: "\n").map(String.init)
  }

  /// The names of the boxes at the top level, with their sizes.
  public func topLevel() throws -> [(name: String, offset: Int, size: Int)] {
    let handle = try FileHandle(forReadingFrom: URL(filePath: path))
    defer { try? handle.close() }
    let end = Int(try handle.seekToEnd())
    var boxes: [(String, Int, Int)] = []
    var offset = 0
    while offset + 8 <= end {
      try handle.seek(toOffset: UInt64(offset))
      let head = try handle.read(upToCount: 16) ?? Data()
      var size = head.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      if size == 1 { size = head.dropFirst(8).reduce(0) { $0 << 8 | Int($1) } }
      guard size >= 8 else { break }
      boxes.append((String(decoding: head[4..<8], as: UTF8.self), offset, size))
      offset += size
    }
    return boxes
  }
}
