import CameraProtocol
import Foundation
import TestSupport
import Testing
import Varlink

/// Live pictures through a descriptor, and viewers that disturb nothing.
@Suite struct PreviewTests {
  /// Nothing else that the camera does costs a viewer a frame.
  @Test func losesNoFrameWhateverElseHappens() async throws {
    try await withDaemon(share: .whole) { daemon in
      let (client, other) = (try daemon.client(), try daemon.client())
      try client.setMode(.video)
      try client.photo()
      let reader = try PreviewReader(daemon, "preview.mkv", .matroska)
      #expect(try client.camera().viewers == 1)
      for _ in 0..<5 { try client.photo() }
      for _ in 0..<100 { try other.send(GetStatus.self, CameraSelection()) }
      for _ in 0..<100 { _ = try other.next(GetStatus.self) }
      for round in 0..<3 {
        try client.start(round == 1 ? .low : .medium)
        try other.photo()
        pass(0.7)
        let result = try client.stop()
        #expect(result.droppedFrames == 0)
        try expectPlayable(result)
      }
      try client.setMode(.photo)
      pass(0.3)
      let reply = try reader.stop(with: client)
      let judge = MovieJudge(reader.path)
      #expect(reply.droppedFrames == 0)
      #expect(reply.frames > 60)
      let times = try judge.frameTimes()
      // the last ones may be on their way when it ends
      #expect(times.count <= reply.frames && times.count >= reply.frames - 3, "\(times.count) of \(reply.frames)")
      #expect(try judge.largestGap() < 2.0 / 30)
      #expect(try judge.entries("stream=codec_name,width,height") == ["mjpeg,640,360"])
      #expect(try client.camera().viewers == 0)
    }
  }

  @Test(arguments: [PreviewFormat.mjpeg, .raw])
  func streamsBareFrames(format: PreviewFormat) async throws {
    try await withDaemon { daemon in
      let client = try daemon.client()
      let reader = try PreviewReader(daemon, "preview", format)
      pass(1)
      let reply = try reader.stop(with: client)
      let bytes = try Data(contentsOf: URL(filePath: reader.path))
      if format == .raw {
        #expect(bytes.count % (640 * 360 * 3 / 2) == 0)
        #expect(bytes.count / (640 * 360 * 3 / 2) >= reply.frames - 3)
      } else {
        let judge = MovieJudge(reader.path)
        let fieldNames = "stream=nb_read_frames,width,height"
        let counted = try Tool.run([
          "ffprobe", "-v", "error", "-f", "mjpeg", "-count_frames", "-show_entries", fieldNames, "-of", "csv=p=0",
          judge.path,
        ])
        let fields = counted.output.split(whereSeparator: { !$0.isNumber }).compactMap { Int($0) }
        #expect(fields.prefix(2) == [640, 360])
        #expect((fields.last ?? 0) >= reply.frames - 3)
        #expect(counted.errors == "")
      }
    }
  }

  /// One that never reads, one whose process is stopped, one that vanishes: the others and the movie see nothing of it.
  @Test func noViewerDisturbsAnother() async throws {
    try await withDaemon(share: .whole) { daemon in
      let client = try daemon.client()
      try client.setMode(.video)
      try client.photo()
      let reader = try PreviewReader(daemon, "preview.mkv", .matroska)
      let lazy = try daemon.client()
      let (unread, lazyEnd) = try PreviewReader.pipe()
      let viewer = try lazy.call(Preview.self, .init(output: 0), descriptors: [lazyEnd], more: true).viewer
      lazyEnd.close()

      let stopped = try daemon.client()
      let (stoppedInput, stoppedEnd) = try PreviewReader.pipe()
      let input = "/proc/\(getpid())/fd/\(stoppedInput.rawValue)"
      let program = try ChildProcess(["sh", "-c", "exec cat <\"$0\" >/dev/null", input])
      defer { program.send(SIGKILL) }
      try stopped.call(Preview.self, .init(output: 0), descriptors: [stoppedEnd], more: true)
      stoppedEnd.close()
      program.send(SIGSTOP)

      let vanishing = try daemon.client()
      let (vanishingInput, vanishingEnd) = try PreviewReader.pipe()
      try vanishing.call(Preview.self, .init(output: 0, format: .mjpeg), descriptors: [vanishingEnd], more: true)
      vanishingEnd.close()
      #expect(try client.camera().viewers == 4)

      try client.start()
      pass(0.5)
      vanishingInput.close()
      #expect(try vanishing.next(Preview.self).frames > 0, "a reader that closes its end ends its preview")
      pass(1)
      let result = try client.stop()
      #expect(result.droppedFrames == 0)
      try expectPlayable(result)
      #expect(try result.judge().largestGap() < 2.0 / 30)

      try client.call(StopPreview.self, .init(viewer: viewer))
      #expect(try lazy.next(Preview.self).droppedFrames > 0, "the frames that it did not read are counted")
      #expect(try refusal { try client.call(StopPreview.self, .init(viewer: viewer)) } == .noSuchViewer)
      let reply = try reader.stop(with: client)
      #expect(reply.droppedFrames == 0)
      #expect(try MovieJudge(reader.path).largestGap() < 2.0 / 30)
      stopped.connection.close()
      #expect(try viewersReach(0, client))
      withExtendedLifetime(unread) {}
    }
  }

  /// A viewer ends with its connection, and the session goes cold.
  @Test func endsWithItsConnection() async throws {
    try await withDaemon(.init(lines: ["IdleTimeout=1s"])) { daemon in
      let client = try daemon.client()
      let viewer = try daemon.client()
      let (reading, writing) = try PreviewReader.pipe()
      try viewer.call(Preview.self, .init(output: 0), descriptors: [writing], more: true)
      writing.close()
      #expect(try client.camera().viewers == 1)
      viewer.connection.close()
      let input = FileHandle(fileDescriptor: reading.rawValue, closeOnDealloc: false)
      _ = try input.readToEnd()  // the daemon's end is closed
      #expect(try viewersReach(0, client))
    }
  }

  @Test func needsADescriptor() async throws {
    try await withDaemon { daemon in
      let client = try daemon.client()
      #expect(try refusal { try client.call(Preview.self, .init()) } == .descriptorRequired)
      #expect(try refusal { try client.call(Preview.self, .init(output: 0)) } == .descriptorRequired)
      let (reading, writing) = try PreviewReader.pipe()
      #expect(
        try refusal { try client.call(Preview.self, .init(output: 0), descriptors: [reading]) } == .descriptorRequired)
      #expect(
        try refusal { try client.call(Preview.self, .init(output: 1), descriptors: [writing]) } == .descriptorRequired)
      #expect(try client.camera().viewers == 0)
    }
  }

  /// The end of a viewer is no event; a few calls may pass before it is seen.
  private func viewersReach(_ count: Int, _ client: Client) throws -> Bool {
    let deadline = ContinuousClock.now + .seconds(5)
    while ContinuousClock.now < deadline {
      if try client.camera().viewers == count { return true }
      pass(0.02)
    }
    return false
  }
}
