import CameraProtocol
import Foundation
import GStreamer
import TestSupport
import Testing

@testable import MediaLibrary

/// Files that come from elsewhere.
@Suite(.serialized) struct ImportTests {
  static let video = ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p"]
  static let picture = ["-f", "lavfi", "-i", "testsrc=s=320x180:r=10:d=1"]
  static let tone = ["-f", "lavfi", "-i", "sine=d=1"]

  let folder: TemporaryFolder
  let library: MediaLibrary

  init() throws {
    try GStreamer.initialize()
    folder = try TemporaryFolder()
    library = MediaLibrary(root: folder.file("album"))
  }

  private func take(_ path: String, flags: Int32 = O_RDONLY) throws -> ImportedFile {
    let descriptor = open(path, flags | O_NONBLOCK)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    return try library.importFile(descriptor, name: path)
  }

  struct Good: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var name: String
    var kind: AssetKind
    var ending: String
    var arguments: [String]
  }

  static let good = [
    Good(
      testDescription: "JPEG", name: "a.jpeg", kind: .image, ending: "jpg",
      arguments: picture + ["-frames:v", "1", "-pix_fmt", "yuvj420p", "-f", "mjpeg"]),
    Good(
      testDescription: "PNG", name: "a.PNG", kind: .image, ending: "png",
      arguments: picture + ["-frames:v", "1", "-f", "apng"]),
    Good(
      testDescription: "WebP", name: "a.webp", kind: .image, ending: "webp", arguments: picture + ["-frames:v", "1"]),
    Good(testDescription: "MP4", name: "a.mp4", kind: .movie, ending: "mp4", arguments: picture + tone + video),
    Good(
      testDescription: "MP4 under another name", name: "a.dat", kind: .movie, ending: "mp4",
      arguments: picture + video + ["-f", "mp4"]),
    Good(
      testDescription: "fragments", name: "f.mp4", kind: .movie, ending: "mp4",
      arguments: picture + video + ["-movflags", "frag_keyframe+empty_moov"]),
    Good(
      testDescription: "MOV with PCM", name: "a.mov", kind: .movie, ending: "mov",
      arguments: picture + tone + video + ["-c:a", "pcm_s16le"]),
    Good(
      testDescription: "MPEG-4 part 2", name: "b.mp4", kind: .movie, ending: "mp4",
      arguments: picture + ["-c:v", "mpeg4"]),
    Good(testDescription: "M4A", name: "a.m4a", kind: .audio, ending: "m4a", arguments: tone + ["-c:a", "aac"]),
    Good(
      testDescription: "sound in MP4", name: "s.mp4", kind: .audio, ending: "m4a", arguments: tone + ["-c:a", "aac"]),
    Good(testDescription: "Matroska", name: "a.mkv", kind: .movie, ending: "mkv", arguments: picture + tone + video),
    Good(
      testDescription: "WebM", name: "a.webm", kind: .movie, ending: "webm",
      arguments: picture + ["-c:v", "libvpx", "-b:v", "1M"]),
    Good(
      testDescription: "sound in Matroska", name: "s.mkv", kind: .audio, ending: "mka",
      arguments: tone + ["-c:a", "libopus"]),
    Good(
      testDescription: "Opus in Ogg", name: "a.ogg", kind: .audio, ending: "ogg", arguments: tone + ["-c:a", "libopus"]),
  ]

  @Test(arguments: good) func whatCanBePlayedIsTaken(_ good: Good) throws {
    let path = folder.file(good.name)
    try ffmpeg(good.arguments + [path])
    let imported = try take(path)
    let asset = imported.asset
    #expect(!imported.isDuplicate)
    #expect(asset.kind == good.kind)
    #expect(asset.origin == .imported)
    #expect(asset.id.hasSuffix(".\(good.ending)"), "\(asset.id)")
    #expect(CaptureName(asset.id) != nil)
    let file = try #require(asset.path)
    #expect(try Data(contentsOf: URL(filePath: file)) == Data(contentsOf: URL(filePath: path)))
    #expect(try library.asset(asset.id) == asset)
    // what a rebuilt index would make of it
    let descriptor = try library.open(asset)
    var status = stat()
    fstat(descriptor.rawValue, &status)
    let relative = try #require(library.relativePath(file))
    let read = MediaReader.record(descriptor.rawValue, status, path: relative, root: library.root, known: nil).asset
    #expect(read.kind == asset.kind && read.origin == .imported)
    #expect(read.time.sinceEpoch == asset.time.sinceEpoch)
    #expect(read.width == asset.width && read.duration == asset.duration)
  }

  @Test func datesAndPlacesOfTheFiles() throws {
    let movie = folder.file("movie.mov")
    try ffmpeg(
      Self.picture + Self.video + [
        "-metadata", "creation_time=2024-02-29T23:30:15Z", "-metadata", "location=+48.1374+011.5755/", movie,
      ])
    let first = try take(movie).asset
    #expect(first.time.seconds == 1_709_249_415)
    #expect(abs((first.location?.latitude ?? 0) - 48.1374) < 0.001)
    let photo = folder.file("photo.jpg")
    try ffmpeg(Self.picture + ["-frames:v", "1", "-pix_fmt", "yuvj420p", photo])
    let tags = [
      "-DateTimeOriginal=2023:12:31 23:59:58", "-OffsetTimeOriginal=+05:45", "-SubSecTimeOriginal=250",
      "-GPSLatitude=27.7", "-GPSLatitudeRef=N", "-GPSLongitude=85.3", "-GPSLongitudeRef=E", "-Make=Acme",
      "-Model=Box 7",
    ]
    #expect(try Tool.run(["exiftool", "-q", "-overwrite_original"] + tags + [photo]).status == 0)
    let second = try take(photo).asset
    #expect(second.time.description == "2023-12-31T23:59:58.250+05:45")
    #expect(second.id == "20231231-235958.250.jpg")
    #expect(abs((second.location?.longitude ?? 0) - 85.3) < 0.001)
    #expect(second.camera == "Acme Box 7")
    let matroska = folder.file("movie.mkv")
    try ffmpeg(Self.picture + Self.video + ["-metadata", "creation_time=2022-03-04T05:06:07Z", matroska])
    #expect(try take(matroska).asset.time.seconds == 1_646_370_367)
    // without a date, that of the last change
    let plain = folder.file("plain.png")
    try ffmpeg(Self.picture + ["-frames:v", "1", plain])
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_500_000_000)], ofItemAtPath: plain)
    #expect(try take(plain).asset.time.seconds == 1_500_000_000)
  }

  struct Bad: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var name: String
    var reason: String
    var make: @Sendable (String) throws -> Void
  }

  private static func part(_ share: Double, _ arguments: [String]) -> @Sendable (String) throws -> Void {
    { path in
      try ffmpeg(arguments + [path])
      let bytes = try Data(contentsOf: URL(filePath: path))
      try bytes.prefix(Int(Double(bytes.count) * share)).write(to: URL(filePath: path))
    }
  }

  static let bad = [
    Bad(testDescription: "nothing", name: "a.jpg", reason: "empty") { try Data().write(to: URL(filePath: $0)) },
    Bad(testDescription: "a text", name: "a.mp4", reason: "it is not a photo") {
      try Data("not a movie\n".utf8).write(to: URL(filePath: $0))
    },
    Bad(
      testDescription: "a JPEG cut off", name: "a.jpg", reason: "no end", make: part(0.7, picture + ["-frames:v", "1"])),
    Bad(
      testDescription: "a PNG cut off", name: "a.png", reason: "cut off", make: part(0.7, picture + ["-frames:v", "1"])),
    Bad(
      testDescription: "a WebP cut off", name: "a.webp", reason: "cut off",
      make: part(0.7, picture + ["-frames:v", "1"])),
    Bad(
      testDescription: "an MP4 without its tables", name: "a.mp4", reason: "ends before",
      make: part(0.7, picture + video)),
    Bad(
      testDescription: "an MP4 without its last pictures", name: "b.mp4", reason: "cut off",
      make: part(0.8, picture + video + ["-movflags", "faststart"])),
    Bad(
      testDescription: "fragments cut off", name: "f.mp4", reason: "cut off",
      make: part(0.8, picture + video + ["-g", "3", "-movflags", "frag_keyframe+empty_moov"])),
    Bad(testDescription: "a Matroska cut off", name: "a.mkv", reason: "cut off", make: part(0.7, picture + video)),
    Bad(testDescription: "an encrypted MP4", name: "e.mp4", reason: "encrypted") { path in
      try ffmpeg(
        picture + video + [
          "-encryption_scheme", "cenc-aes-ctr", "-encryption_key", "00112233445566778899aabbccddeeff",
          "-encryption_kid", "00112233445566778899aabbccddeeff", path,
        ])
    },
    Bad(testDescription: "subtitles alone", name: "s.mp4", reason: "neither picture nor sound") { path in
      let text = "\(path).srt"
      try Data("1\n00:00:00,000 --> 00:00:01,000\nHello\n".utf8).write(to: URL(filePath: text))
      try ffmpeg(["-i", text, "-c:s", "mov_text", path])
    },
    Bad(testDescription: "an AVI", name: "a.avi", reason: "it is not a photo") { try ffmpeg(picture + [$0]) },
  ]

  @Test(arguments: bad) func theRestIsRefusedAndNothingRemains(_ bad: Bad) throws {
    let path = folder.file(bad.name)
    try bad.make(path)
    let error = try refusal(CameraError.self) { _ = try take(path) }
    #expect(error.kind == .notCompatible)
    #expect(error.detail.message.hasPrefix("'\(bad.name)' can't be imported: "), "\(error)")
    #expect(error.detail.message.contains(bad.reason), "\(error)")
    #expect(remains() == [])
  }

  /// Files of the album that belong to assets, whole or not.
  private func remains() -> [String] {
    tree(library.root).filter { $0.contains("/20") || $0.hasSuffix(".partial") }.filter {
      $0.split(separator: "/").count > 2
    }
  }

  @Test func descriptorsOfOtherKinds() throws {
    let path = folder.file("a.mp4")
    try ffmpeg(Self.picture + Self.video + [path])
    var pair: [Int32] = [0, 0]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
    var pipes: [Int32] = [0, 0]
    #expect(pipe(&pipes) == 0)
    let others = [
      (pair[0], "socket"), (pipes[0], "pipe"), (open(folder.path, O_RDONLY), "folder"),
      (open("/dev/zero", O_RDONLY), "device"),
      (open(path, O_WRONLY), "not open for reading"), (9999, "not open"),
    ]
    defer { for descriptor in pair + pipes + others.map(\.0) { close(descriptor) } }
    for (descriptor, reason) in others {
      let error = try refusal(CameraError.self) { _ = try library.importFile(descriptor, name: "a.mp4") }
      #expect(error.kind == .notCompatible)
      #expect(error.detail.message.contains(reason), "\(error)")
    }
    #expect(remains() == [])
  }

  @Test func aFileThatIsBeingWritten() throws {
    let path = folder.file("a.mp4")
    try ffmpeg(Self.picture + Self.video + [path])
    let writer = open(path, O_WRONLY | O_APPEND)
    let error = try refusal(CameraError.self) { _ = try take(path) }
    #expect(error.detail.message.contains("is writing to it"), "\(error)")
    close(writer)
    #expect(try take(path).asset.kind == .movie)
  }

  @Test func aFileThatGrowsMeanwhile() throws {
    let path = folder.file("a.mp4")
    try ffmpeg(Self.picture + Self.video + [path])
    let descriptor = open(path, O_RDWR)
    defer { close(descriptor) }
    let error = try refusal(CameraError.self) {
      _ = try library.importFile(descriptor, name: path) { _, _ in
        lseek(descriptor, 0, SEEK_END)
        write(descriptor, "more", 4)
      }
    }
    #expect(error.detail.message.contains("is writing to it"), "\(error)")
    #expect(remains() == [])
  }

  @Test func theSameTwice() throws {
    let path = folder.file("a.jpg")
    try ffmpeg(Self.picture + ["-frames:v", "1", path])
    let first = try take(path)
    let again = try take(path)
    #expect(again.isDuplicate)
    #expect(again.asset == first.asset)
    #expect(remains().count == 1)
    // as large, with another comment in it
    var bytes = try Data(contentsOf: URL(filePath: path))
    let comment = try #require(bytes.range(of: Data("Lavc".utf8)))
    bytes[comment.lowerBound] = UInt8(ascii: "M")
    let other = folder.file("b.jpg")
    try bytes.write(to: URL(filePath: other))
    #expect(try take(other).isDuplicate == false)
  }

  @Test(.enabled(if: Mount.isPossible, "needs to mount file systems")) func aFullDisk() throws {
    let mount = try Mount("size=1m")
    let library = MediaLibrary(root: "\(mount.path)/album", reserve: 64 << 10)
    let path = folder.file("large.mkv")
    try ffmpeg(["-f", "lavfi", "-i", "testsrc2=s=1280x720:d=1"] + Self.video + ["-qp", "0", path])
    let descriptor = open(path, O_RDONLY)
    defer { close(descriptor) }
    let error = try refusal(CameraError.self) { _ = try library.importFile(descriptor, name: path) }
    #expect(error.kind == .diskFull)
    #expect(tree(mount.path).filter { $0.hasSuffix(".mkv") || $0.hasSuffix(".partial") } == [])
  }

  @Test func exporting() throws {
    let path = folder.file("a.mkv")
    try ffmpeg(Self.picture + Self.video + [path])
    let asset = try take(path).asset
    let out = folder.file("out")
    let descriptor = open(out, O_WRONLY | O_CREAT | O_EXCL, 0o600)
    defer { close(descriptor) }
    try library.export(asset, to: descriptor)
    #expect(try Data(contentsOf: URL(filePath: out)) == Data(contentsOf: URL(filePath: path)))
    var pipes: [Int32] = [0, 0]
    #expect(pipe(&pipes) == 0)
    let reading = open(out, O_RDONLY)
    let itself = open(try #require(asset.path), O_RDWR)
    defer { for descriptor in pipes + [reading, itself] { close(descriptor) } }
    for descriptor in [pipes[1], reading, itself, 9999] {
      let error = try refusal(CameraError.self) { try library.export(asset, to: descriptor) }
      #expect(error.kind == .notCompatible)
    }
    let file = try #require(asset.path)
    #expect(try Data(contentsOf: URL(filePath: file)) == Data(contentsOf: URL(filePath: path)))
  }
}
