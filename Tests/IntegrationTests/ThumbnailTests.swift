import CameraClient
import CameraProtocol
import Foundation
import TestSupport
import Testing
import Varlink

/// Thumbnails, imports and exports, through the daemon and camctl.
@Suite struct ThumbnailTests {
  /// A dark, mostly empty picture with a bright quarter at the top left: an F of sorts.
  static let corner =
    "videotestsrc is-live=true pattern=white ! video/x-raw,format=I420,width=320,height=180,framerate=30/1 ! "
    + "videobox border-alpha=1 right=-320 bottom=-180 fill=black ! videoconvert ! video/x-raw,format=I420"

  private func camctl(_ daemon: TestDaemon, _ words: [String]) throws -> Tool.Result {
    try Tool.run([Program.path("camctl"), "--socket", daemon.socket] + words, in: daemon.folder.path)
  }

  /// The brightness of the four quarters.
  static func quarters(_ path: String) throws -> [Int] {
    let folder = try TemporaryFolder(inMemory: true)
    let result = try Tool.run([
      "ffmpeg", "-v", "error", "-y", "-i", path, "-frames:v", "1", "-vf", "scale=2:2:flags=area,format=gray", "-f",
      "rawvideo", folder.file("gray"),
    ])
    #expect(result.status == 0, "\(result.errors)")
    return try Data(contentsOf: URL(filePath: folder.file("gray"))).map { Int($0) }
  }

  /// B34
  @Test func aCameraOnItsSide() async throws {
    var setup = TestDaemon.Setup(camera: Self.corner)
    setup.cameraLines = ["Rotation=90"]
    try await withDaemon(setup) { daemon in
      let client = try daemon.client()
      var ids = [try client.photo().asset.id]
      for _ in 0..<2 { ids.append(try #require(try client.record(0.6, audio: false).asset).id) }
      for id in ids {
        for words in [[], ["--first"], ["--size", "100"]] {
          let result = try camctl(daemon, ["thumbnail", id, "-o", "t.png"] + words)
          #expect(result.status == 0, "\(result.errors)")
          let bright = try Self.quarters(daemon.folder.file("t.png"))
          // turned clockwise, what was at the top left is at the top right
          #expect(bright[1] > 150 && bright[0] < 80 && bright[2] < 80 && bright[3] < 80, "\(id) \(words): \(bright)")
          let size = try MovieJudge(daemon.folder.file("t.png")).size()
          #expect(size[1] > size[0], "\(size)")
        }
      }
    }
  }

  @Test func theStillOfARecording() async throws {
    try await withDaemon(TestDaemon.Setup(camera: Self.corner)) { daemon in
      let client = try daemon.client()
      let asset = try #require(try client.record(1, audio: false).asset)
      let stills = daemon.folder.file("cache/first")
      let deadline = ContinuousClock.now + .seconds(5)
      func kept() -> [String] { (try? FileManager.default.contentsOfDirectory(atPath: stills)) ?? [] }
      while kept().filter({ $0.hasSuffix(".png") }).isEmpty, .now < deadline { pass(0.05) }
      let file = try #require(kept().first { $0.hasSuffix(".png") })
      let tags = try PhotoJudge("\(stills)/\(file)").tags()
      let path = try asset.file()
      #expect(tags["ThumbURI"] == "file://\(path)", "\(tags)")
      let reply = try client.reply(GetThumbnail.self, .init(id: asset.id, first: true))
      let thumbnail: GetThumbnail.Reply = try reply.decode()
      #expect(thumbnail.position == 0)
      #expect(thumbnail.width == 256 && thumbnail.height == 144)
      #expect(try camctl(daemon, ["thumbnail", asset.id, "--first", "-o", "first.png"]).status == 0)
      for picture in ["\(stills)/\(file)", daemon.folder.file("first.png")] {
        let bright = try Self.quarters(picture)
        #expect(bright[0] > 150 && bright[1] < 80 && bright[2] < 80 && bright[3] < 80, "\(picture): \(bright)")
      }
      // it goes with its movie
      #expect(try camctl(daemon, ["library", "rm", "--now", asset.id]).status == 0)
      while kept().contains(file), .now < deadline { pass(0.05) }
      #expect(!kept().contains(file))
    }
  }

  @Test func theCommandLine() async throws {
    try await withDaemon { daemon in
      let empty = try camctl(daemon, ["thumbnail", "-o", "t.png"])
      #expect(empty.status == 1 && empty.errors.contains("neither a photo nor a movie"), "\(empty.errors)")
      let client = try daemon.client()
      let asset = try #require(try client.record(1).asset)
      #expect(try camctl(daemon, ["thumbnail", "-o", "t.png"]).output == "t.png\n")
      #expect(try MovieJudge(daemon.folder.file("t.png")).entries("stream=codec_name,width,height") == ["png,256,144"])
      #expect(try camctl(daemon, ["thumbnail", asset.id, "-o", "t.jpg", "--at", "0.5", "--size", "64"]).status == 0)
      #expect(try MovieJudge(daemon.folder.file("t.jpg")).entries("stream=codec_name,width,height") == ["mjpeg,64,36"])
      #expect(try camctl(daemon, ["thumbnail", "--sheet", "4", "--size", "100", "-o", "s.webp"]).status == 0)
      #expect(try MovieJudge(daemon.folder.file("s.webp")).size() == [202, 114])
      let piped = try Tool.run(
        ["sh", "-c", "\(Program.path("camctl")) --socket \(daemon.socket) thumbnail | head -c 4 | od -An -c"])
      #expect(piped.output.contains("P   N   G"), "\(piped)")
      let late = try camctl(daemon, ["thumbnail", asset.id, "--at", "90", "-o", "t.png"])
      #expect(late.status == 1 && late.errors.contains("no picture at 90"), "\(late.errors)")
      for words in [["--size", "5"], ["--sheet", "0"], ["--at", "-1"], ["--first", "--keyframe"], ["--json"]] {
        #expect(try camctl(daemon, ["thumbnail", "-o", "-"] + words).status == 2, "\(words)")
      }
    }
  }

  /// B49, B41: what is broken is told, and the daemon goes on; what leads outside is no asset.
  @Test func brokenFiles() async throws {
    try await withDaemon { daemon in
      let client = try daemon.client()
      let good = try #require(try client.record(0.5, audio: false).asset)
      let broken = try #require(try client.record(0.5, audio: false).asset)
      let whole = try Data(contentsOf: URL(filePath: good.file()))
      for content in [Data(), Data("a text".utf8), whole.prefix(whole.count / 2)] {
        try content.write(to: URL(filePath: broken.file()))
        let start = ContinuousClock.now
        let error = try cameraError { _ = try client.reply(GetThumbnail.self, .init(id: broken.id)) }
        #expect(error.map { [.notCompatible, .noSuchAsset].contains($0.kind) } == true, "\(String(describing: error))")
        #expect(ContinuousClock.now - start < .seconds(2))
        #expect(try client.reply(GetThumbnail.self, .init(id: good.id)).descriptorCount == 1)
      }
      for id in ["../../etc/hostname", "/etc/hostname", "x\0y"] {
        #expect(try refusal { _ = try client.reply(GetThumbnail.self, .init(id: id)) } == .noSuchAsset)
      }
      #expect(try client.camera().state != .failed)
    }
  }

  @Test func aRecordingLosesNoFrame() async throws {
    try await withDaemon(TestDaemon.Setup(camera: Source.largeBars), share: .whole) { daemon in
      let client = try daemon.client()
      let asset = try #require(try client.record(2, .high, audio: false).asset)
      try client.start(.high)
      for number in 0..<12 {
        _ = try client.reply(GetThumbnail.self, .init(id: asset.id, position: Double(number) / 8, size: 300))
      }
      let result = try client.stop()
      #expect(result.droppedFrames == 0)
      try expectPlayable(result)
    }
  }

  @Test func importAndExport() async throws {
    try await withDaemon { daemon in
      let (movie, text) = (daemon.folder.file("in.mp4"), daemon.folder.file("text.mp4"))
      let made = try Tool.run([
        "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=s=320x180:d=1", "-metadata",
        "creation_time=2024-05-06T07:08:09Z", "-pix_fmt", "yuv420p", movie,
      ])
      #expect(made.status == 0, "\(made.errors)")
      try Data("a text".utf8).write(to: URL(filePath: text))
      let events = try daemon.events([.libraryChanged])
      let result = try camctl(daemon, ["library", "import", movie, text, "/tmp", "missing.jpg"])
      #expect(result.status == 1)
      let path = "\(daemon.library)/2024/2024-05-06/20240506-070809.000.mp4"
      #expect(result.output == "\(path)\n")
      for reason in ["'text.mp4' can't be imported: it is not a photo", "it is a folder", "cannot read missing.jpg"] {
        #expect(result.errors.contains(reason), "\(result.errors)")
      }
      #expect(try events.next(.libraryChanged).asset?.path == path)
      let again = try camctl(daemon, ["--json", "library", "import", movie])
      #expect(again.status == 0 && again.output.contains("\"duplicate\":true"), "\(again.output)")
      #expect(try camctl(daemon, ["thumbnail", "20240506-070809.000.mp4", "-o", "t.png"]).status == 0)

      #expect(try camctl(daemon, ["library", "export"]).output == "20240506-070809.000.mp4\n")
      let copy = daemon.folder.file("20240506-070809.000.mp4")
      #expect(try Data(contentsOf: URL(filePath: copy)) == Data(contentsOf: URL(filePath: movie)))
      let refused = try camctl(daemon, ["library", "export", "-o", "in.mp4"])
      #expect(refused.status == 1 && refused.errors.contains("is there already"), "\(refused.errors)")
      #expect(try camctl(daemon, ["library", "export", "-o", "text.mp4", "--force"]).status == 0)
      #expect(try Data(contentsOf: URL(filePath: text)) == Data(contentsOf: URL(filePath: movie)))
      try FileManager.default.createDirectory(atPath: daemon.folder.file("d"), withIntermediateDirectories: false)
      #expect(try camctl(daemon, ["library", "export", "-o", "d"]).output == "d/20240506-070809.000.mp4\n")
      let left = try FileManager.default.contentsOfDirectory(atPath: daemon.folder.path).filter { $0.hasPrefix(".") }
      #expect(left == [])
    }
  }
}
