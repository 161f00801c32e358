import CameraProtocol
import Foundation
import TestSupport
import Testing

/// Cameras that are no devices: one on the network, a file.
@Suite struct FragmentTests {
  @Test func anRTSPCameraIsACamera() async throws {
    let folder = try TestFolder()
    let server = try RTSPServer(in: folder)
    try await withDaemon(.init(camera: RTSPServer.source(port: server.port))) { daemon in
      let client = try daemon.client()
      let events = try daemon.events()
      let photo = try client.photo()
      #expect(photo.asset.size == [320, 240])
      #expect(try photo.asset.judge().complaints() == "")
      let reader = try PreviewReader(daemon, "preview.mkv", .matroska)
      let result = try client.record(1.5)
      try expectPlayable(result)
      #expect(result.droppedFrames == 0)
      #expect((30...50).contains(result.frames), "\(result.frames)")

      try client.start()
      pass(0.7)
      server.stop()
      let lost = try #require(try events.next(.recordingFinished, where: { $0.result?.reason != .stopped }).result)
      #expect(lost.reason == .cameraLost)
      try expectPlayable(lost)
      let again = try RTSPServer(in: folder, port: server.port)
      try events.next(.cameraConnected)
      #expect(try client.camera().viewers == 1)
      try client.photo()
      _ = try reader.stop(with: client)
      again.stop()
    }
  }

  /// A file is played at its own speed, and ends as a camera that goes away; the next request begins anew.
  @Test func aFileIsACamera() async throws {
    let folder = try TestFolder()
    let file = folder.file("film.mp4")
    let made = try Tool.run([
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=320x240:rate=25:duration=7", "-pix_fmt", "yuv420p",
      file,
    ])
    #expect(made.status == 0, "\(made.errors)")
    try await withDaemon(.init(camera: "filesrc location=\(file) ! qtdemux ! h264parse ! avdec_h264")) { daemon in
      let client = try daemon.client()
      let events = try daemon.events([.cameraDisconnected, .recordingFinished])
      for _ in 0..<2 {
        let photo = try client.photo()
        #expect(photo.asset.size == [320, 240])
        let result = try client.record(1)
        try expectPlayable(result)
        #expect((20...35).contains(result.frames), "\(result.frames)")
        try events.next(.recordingFinished)
        try events.next(.cameraDisconnected)
      }
    }
  }
}
