import CameraProtocol
import Editing
import Foundation
import GStreamer
import TestSupport
import Testing

/// Files for editors, and a place for what they make.
struct Workbench: Sendable {
  let folder: TemporaryFolder

  init() throws {
    try GStreamer.initialize()
    folder = try TemporaryFolder()
  }

  /// A file made by ffmpeg.
  func make(_ name: String, _ options: [String]) throws -> String {
    let file = folder.file(name)
    let made = try Tool.run(["ffmpeg", "-v", "error", "-y"] + options + [file], deadline: 120)
    guard made.status == 0 else { throw MakerError(description: made.errors) }
    return file
  }

  /// Opens two files for an editor and closes them behind it. Returns the path of what it wrote.
  func edit<Result>(
    _ source: String, as name: String, _ body: (Int32, Int32) throws(CameraError) -> Result
  ) throws -> (result: Result, path: String) {
    let path = folder.file(name)
    let (reading, writing) = (open(source, O_RDONLY), open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600))
    defer {
      close(reading)
      close(writing)
    }
    guard reading >= 0, writing >= 0 else { throw CocoaError(.fileReadUnknown) }
    return (try body(reading, writing), path)
  }

  /// The planes of a picture, or of the first one of a movie, of a part and turned by one of ffmpeg's filters.
  func pixels(_ file: String, _ filter: String? = nil, format: String? = nil) throws -> Data {
    let filters = [filter, format.map { "format=\($0)" }].compactMap { $0 }.joined(separator: ",")
    let raw = folder.file("raw.\(UUID().uuidString)")
    let result = try Tool.run(
      // the tag is looked at by the test itself
      ["ffmpeg", "-v", "error", "-y", "-noautorotate", "-i", file] + (filters.isEmpty ? [] : ["-vf", filters])
        + ["-frames:v", "1", "-f", "rawvideo", raw])
    guard result.status == 0 else { throw MakerError(description: result.errors) }
    return try Data(contentsOf: URL(filePath: raw))
  }
}
