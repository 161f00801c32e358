import CameraProtocol
import Foundation
import Synchronization
import TestSupport
import Testing
import Varlink

/// Photos of a daemon at work, judged by ffmpeg.
@Suite struct PhotoTests {
  private func expectPicture(_ asset: Asset, _ size: [Int], sourceLocation: SourceLocation = #_sourceLocation) throws {
    let judge = try asset.judge()
    #expect(try judge.complaints() == "", sourceLocation: sourceLocation)
    #expect(try judge.size() == size, sourceLocation: sourceLocation)
    #expect(asset.size == size, sourceLocation: sourceLocation)
    let bytes = try Data(contentsOf: URL(filePath: judge.path))
    #expect(bytes.count == asset.bytes, sourceLocation: sourceLocation)
    #expect(bytes.suffix(2) == Data([0xFF, 0xD9]), sourceLocation: sourceLocation)
  }

  @Test func coldThenWarmPhotoInEachMode() async throws {
    try await withDaemon(.init(camera: Source.largeBars)) { daemon in
      let client = try daemon.client()
      #expect(try client.camera().state == .cold)
      let cold = try client.photo()
      #expect(cold.settled != nil)
      try expectPicture(cold.asset, [1280, 720])
      let warm = try client.photo()
      #expect(warm.settled == nil)
      #expect(warm.frameAge >= 0)
      #expect(warm.frameAge <= 0.1, "one interval is 0.033 s; more is load")
      try expectPicture(warm.asset, [1280, 720])
      #expect(warm.asset.id != cold.asset.id)
      #expect(warm.asset.camera == "main")
      #expect(try client.camera().state == .warm)
      try client.setMode(.video)
      try expectPicture(try client.photo().asset, [640, 360])
      let movie = try client.record(1)
      #expect(movie.asset?.width == 640)
      #expect(movie.asset?.height == 360)
      try client.setMode(.photo)
      try expectPicture(try client.photo().asset, [1280, 720])
    }
  }

  /// Each frame says its number by its brightness.
  @Test func takesTheFrameOfTheMoment() async throws {
    let camera = try NetworkCamera.grey { UInt8($0 % 16 * 15 + 8) }
    defer { camera.end() }
    try await withDaemon(.init(camera: camera.source(), microphone: nil)) { daemon in
      let client = try daemon.client()
      try client.photo()
      for _ in 0..<10 {
        let before = camera.sent
        let photo = try client.photo()
        let after = camera.sent
        let brightness = try #require(try photo.asset.judge().brightness().first)
        // the newest that had been sent was number `before - 1`; the daemon may have been about to take it in
        let possible = (before - 2..<max(after, before)).map { $0 % 16 }
        let shown = Int(((brightness - 8) / 15).rounded())
        #expect(possible.contains(shown), "\(shown) of \(possible)")
        pass(0.07)
      }
    }
  }

  /// A camera that climbs from black gives its first photo when it has settled.
  @Test(arguments: [5, 25]) func waitsForTheExposure(frames: Int) async throws {
    let camera = try NetworkCamera.grey { UInt8(min(180, 180 * $0 / frames)) }
    defer { camera.end() }
    try await withDaemon(.init(camera: camera.source(), microphone: nil)) { daemon in
      let client = try daemon.client()
      let start = ContinuousClock.now
      let cold = try client.photo()
      #expect(ContinuousClock.now - start < .seconds(3))
      let first = try #require(try cold.asset.judge().brightness().first)
      let settled = try #require(try client.photo().asset.judge().brightness().first)
      #expect(abs(first - settled) <= settled / 10, "\(first), settled \(settled)")
      #expect(try client.photo().settled == nil)
    }
  }

  /// A camera's own JPEG is what the photo is, bit for bit.
  @Test func passesACamerasJPEGOn() async throws {
    let folder = try TemporaryFolder()
    let jpeg = folder.file("frame.jpg")
    let made = try Tool.run(
      ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=320x240", "-frames:v", "1", "-q:v", "7", jpeg])
    #expect(made.status == 0, "\(made.errors)")
    let bytes = try Data(contentsOf: URL(filePath: jpeg))
    let camera = try NetworkCamera { _ in Array(bytes) }
    defer { camera.end() }
    let source = camera.source("image/jpeg,width=320,height=240,framerate=30/1")
    try await withDaemon(.init(camera: source)) { daemon in
      let client = try daemon.client()
      for _ in 0..<2 {
        let photo = try client.photo().asset
        // its metadata is one segment behind the first one
        var data = try Data(contentsOf: URL(filePath: try photo.file()))
        let segment = try #require(data.range(of: Data([0xFF, 0xE1])))
        let length = Int(data[segment.upperBound]) << 8 | Int(data[segment.upperBound + 1])
        data.removeSubrange(segment.lowerBound..<segment.upperBound + length)
        #expect(data == bytes)
        try expectPicture(photo, [320, 240])
      }
      let movie = try #require(try client.record(1).asset)
      try expectPlayable(try movie.judge())
      #expect(movie.size == [320, 240])
    }
  }

  /// Forty at once from four clients, on names of which some are taken by files of others.
  @Test func answersEveryoneOfAQueue() async throws {
    try await withDaemon { daemon in
      let first = try daemon.client().photo().asset
      let folder = URL(filePath: try first.file()).deletingLastPathComponent()
      let clients = try (0..<4).map { _ in try daemon.client() }
      for _ in 0..<10 {
        for client in clients { try client.send(TakePhoto.self, .init()) }
      }
      let assets = try clients.flatMap { client in
        try (0..<10).map { _ in try client.next(TakePhoto.self).asset }
      }
      #expect(Set(assets.map(\.id)).count == 40)
      #expect(Set(assets.map(\.path)).count == 40)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 41)
      for asset in assets {
        let data = try Data(contentsOf: URL(filePath: try asset.file()))
        #expect(data.count == asset.bytes)
        #expect(data.suffix(2) == Data([0xFF, 0xD9]))
      }
      let sorted = assets.sorted { $0.time.timeInterval(since: $1.time) < 0 }
      #expect(sorted.first.map { $0.id > first.id } == true, "names sort in order of capture")
    }
  }

  @Test(arguments: [
    ("I420", 641, 481), ("GRAY8", 640, 360), ("RGB", 640, 360), ("I420_10LE", 640, 360), ("YUY2", 642, 362),
    ("GRAY8", 321, 241),
  ]) func takesUnusualPictures(format: String, width: Int, height: Int) async throws {
    let source = Source.video("pattern=smpte75", width, height, format: format)
    try await withDaemon(.init(camera: source, microphone: nil)) { daemon in
      let client = try daemon.client()
      try expectPicture(try client.photo().asset, [width, height])
      let result = try client.record(0.7, .high, audio: false)
      let movie = try result.judge()
      #expect(try movie.complaints() == "")
      #expect(try movie.size() == [width / 2 * 2, height / 2 * 2])
      #expect(try movie.entries("stream=pix_fmt", stream: "v:0") == ["yuv420p"])
      #expect(result.frames > 10)
    }
  }

  @Test func refusesAMovieOfOnePixel() async throws {
    try await withDaemon(.init(camera: Source.video("", 1, 1, format: "RGB"), microphone: nil)) { daemon in
      let client = try daemon.client()
      let error = try cameraError { try client.start() }
      #expect(error?.kind == .notSupported)
      #expect(error?.detail.message.contains("1x1") == true)
      #expect(try daemon.album() == [])
    }
  }

  @Test func handsThePictureOver() async throws {
    try await withDaemon { daemon in
      let client = try daemon.client()
      let folder = daemon.folder
      for keep in [true, false] {
        let reply = try client.reply(TakePhoto.self, .init(album: keep, descriptor: true))
        let photo = try reply.decode(TakePhoto.Reply.self)
        let descriptor = try #require(reply.takeDescriptor(at: photo.descriptor ?? -1))
        let handle = FileHandle(fileDescriptor: descriptor.rawValue, closeOnDealloc: false)
        let bytes = try #require(try handle.readToEnd())
        #expect(bytes.count == photo.asset.bytes)
        try bytes.write(to: URL(filePath: folder.file("handed.jpg")))
        #expect(try MovieJudge(folder.file("handed.jpg")).complaints() == "")
        if keep {
          #expect(try Data(contentsOf: URL(filePath: try photo.asset.file())) == bytes)
        } else {
          #expect(photo.asset.path == nil)
        }
        #expect(throws: (any Error).self) { try handle.write(contentsOf: Data([0])) }
      }
      #expect(try daemon.album().count == 1)
      #expect(try refusal { try client.photo(.init(album: false)) } == .descriptorRequired)
    }
  }

  /// Whoever opens a photo as soon as its name is there finds it whole.
  @Test func showsOnlyWholePhotos() async throws {
    try await withDaemon { daemon in
      let client = try daemon.client()
      let first = try client.photo().asset
      let folder = URL(filePath: try first.file()).deletingLastPathComponent().path
      let output = daemon.folder.file("readers")
      let count = 60
      let script = """
        import ctypes, os, struct, sys
        libc = ctypes.CDLL(None, use_errno=True)
        watch = libc.inotify_init1(0)
        IN_CREATE, IN_MOVED_TO = 0x100, 0x80
        assert libc.inotify_add_watch(watch, sys.argv[1].encode(), IN_CREATE | IN_MOVED_TO) >= 0
        open(sys.argv[2], 'w').close()
        seen = 0
        while seen < int(sys.argv[3]):
          data, offset = os.read(watch, 65536), 0
          while offset < len(data):
            length = struct.unpack_from('iIII', data, offset)[3]
            name = data[offset + 16:offset + 16 + length].rstrip(b'\\0').decode()
            offset += 16 + length
            if name.startswith('.'): continue
            content = open(os.path.join(sys.argv[1], name), 'rb').read()
            assert content[:2] == b'\\xff\\xd8' and content[-2:] == b'\\xff\\xd9', name
            seen += 1
        """
      let readers = try (0..<4).map { reader in
        try ChildProcess(["python3", "-c", script, folder, "\(output)\(reader)", "\(count)"], errors: "\(output).log")
      }
      for reader in 0..<4 { try waitForFile("\(output)\(reader)") }
      for _ in 0..<count { try client.photo() }
      for reader in readers {
        #expect(reader.waitForExit(within: 10) == .exited(0))
        reader.send(SIGKILL)
      }
      #expect(try String(contentsOfFile: "\(output).log", encoding: .utf8) == "")
    }
  }

  @Test func refusesAMovieThatTheSourceIsTooSmallFor() async throws {
    try await withDaemon { daemon in
      let client = try daemon.client()
      let error = try cameraError { try client.start(.hd1080) }
      #expect(error?.kind == .notSupported)
      #expect(error?.detail.message.contains("640x360") == true)
      #expect(error?.detail.message.contains("medium") == true, "it says what there is")
      #expect(try daemon.album() == [])
      let status = try client.start(.high)
      let format = try #require(try client.camera().format)
      #expect(format.width == 640 && format.height == 360)
      #expect(format.frameRate == 30)
      #expect(status.width == 640 && status.height == 360)
      #expect(status.frameRate == 30)
      pass(1)
      let movie = try #require(try client.stop().asset)
      let judge = try movie.judge()
      #expect(try judge.size() == [640, 360])
      #expect(try judge.entries("stream=sample_aspect_ratio,r_frame_rate", stream: "v:0") == ["1:1,30/1"])
      try expectPicture(try client.photo().asset, [640, 360])
    }
  }
}

/// Waits for a file that another process makes.
func waitForFile(_ path: String, within seconds: Double = 20) throws {
  struct Missing: Error { var path: String }
  let watch = inotify_init1(Int32(IN_CLOEXEC))
  defer { close(watch) }
  inotify_add_watch(watch, URL(filePath: path).deletingLastPathComponent().path, UInt32(IN_CREATE | IN_MOVED_TO))
  let deadline = Date.now + seconds
  while !FileManager.default.fileExists(atPath: path) {
    var polled = pollfd(fd: watch, events: Int16(POLLIN), revents: 0)
    guard poll(&polled, 1, Int32(max(0, deadline.timeIntervalSinceNow * 1000))) == 1 else { throw Missing(path: path) }
    var buffer = [UInt8](repeating: 0, count: 4096)
    _ = read(watch, &buffer, buffer.count)
  }
}
