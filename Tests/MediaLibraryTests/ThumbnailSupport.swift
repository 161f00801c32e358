import CameraProtocol
import Foundation
import GStreamer
import TestSupport

@testable import MediaLibrary

/// An album with thumbnails of its own.
struct Gallery {
  let folder: TemporaryFolder
  let library: MediaLibrary
  let thumbnails: Thumbnails
  let folders: ThumbnailFolders

  init(limit: Int = 1 << 30) throws {
    try GStreamer.initialize()
    folder = try TemporaryFolder()
    library = MediaLibrary(root: folder.file("album"))
    folders = ThumbnailFolders(
      standard: folder.file("cache/thumbnails"), first: folder.file("cache/first"), limit: limit)
    thumbnails = Thumbnails(library: library, folders: folders)
    try FileManager.default.createDirectory(
      atPath: folder.file("album/2026/2026-11-30"), withIntermediateDirectories: true)
  }

  /// The path in the album of a file with that ending.
  func path(_ ending: String, _ number: Int = 1) -> String {
    folder.file("album/2026/2026-11-30/20261130-165115.\(100 + number).\(ending)")
  }

  /// Takes up a file that lies in the album; returns its id.
  @discardableResult
  func add(_ path: String, _ kind: AssetKind = .movie) throws -> String {
    let id = URL(filePath: path).lastPathComponent
    let bytes = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    library.insert(
      Asset(id: id, kind: kind, path: path, width: nil, height: nil, bytes: bytes, time: .capture, camera: nil))
    return id
  }

  /// Makes a movie or a photo with ffmpeg and takes it up.
  func make(
    _ ending: String, _ arguments: [String], number: Int = 1, kind: AssetKind = .movie
  ) throws -> String {
    let path = path(ending, number)
    try ffmpeg(arguments + [path])
    return try add(path, kind)
  }

  /// The picture of a request, in a file.
  func picture(_ id: String?, _ request: ThumbnailRequest = .init()) async throws -> Picture {
    let thumbnail = try await thumbnails.thumbnail(of: id, request)
    let file = folder.file("picture-\(UUID().uuidString.prefix(8)).\(request.format.fileExtension)")
    try Data(thumbnail.bytes).write(to: URL(filePath: file))
    return Picture(path: file, thumbnail: thumbnail)
  }
}

/// A small picture, as other programs see it.
struct Picture {
  let path: String
  let thumbnail: Thumbnail

  /// The brightness, 0 to 255, of a picture scaled to so many columns and rows; row by row.
  func brightness(_ columns: Int, _ rows: Int) throws -> [Int] { try frames(path, columns, rows)[0] }

  /// The number that the stripes of the counting movie show.
  func number() throws -> Int { try counted(frames(path, 8, 8)[0]) }

  /// Width and height that ffprobe finds.
  func size() throws -> [Int] { try MovieJudge(path).size() }
}

func ffmpeg(_ arguments: [String]) throws {
  let result = try Tool.run(["ffmpeg", "-v", "error", "-y"] + arguments)
  guard result.status == 0 else { throw MakerError(description: result.errors) }
}

/// The brightness of every frame that ffmpeg decodes, scaled down.
func frames(_ path: String, _ columns: Int, _ rows: Int) throws -> [[Int]] {
  let folder = try TemporaryFolder(inMemory: true)
  let scale = "scale=\(columns):\(rows):flags=area,format=gray"
  try ffmpeg(
    ["-i", path, "-map", "0:v:0", "-vf", scale, "-fps_mode", "passthrough", "-f", "rawvideo", folder.file("gray")])
  let bytes = Array(try Data(contentsOf: URL(filePath: folder.file("gray"))))
  return stride(from: 0, to: bytes.count, by: columns * rows).map { start in
    bytes[start..<start + columns * rows].map { Int($0) }
  }
}

/// The number in eight stripes: seven bits, the lowest first, and one that is always white.
func counted(_ brightness: [Int]) throws -> Int {
  let stripes = (0..<8).map { column in (2..<6).reduce(0) { $0 + brightness[$1 * 8 + column] } / 4 }
  guard stripes[7] > 150 else { throw MakerError(description: "no counting movie: \(stripes)") }
  return (0..<7).reduce(0) { $0 | (stripes[$1] > 128 ? 1 << $1 : 0) }
}

/// A source of frames that show their numbers, 0 to 127.
func counter(_ frames: Int, rate: Int = 30) -> [String] {
  // drawn small and enlarged: an expression for every pixel is slow
  let picture =
    "geq=lum='if(eq(X,7)+mod(floor(N/pow(2,X)),2),235,16)':cb=128:cr=128,scale=320:180:flags=neighbor,setsar=1"
  let seconds = Double(frames) / Double(rate)
  return ["-f", "lavfi", "-i", "nullsrc=s=8x2:r=\(rate):d=\(seconds),format=yuv420p,\(picture)"]
}
