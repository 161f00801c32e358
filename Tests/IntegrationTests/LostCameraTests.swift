import CameraProtocol
import Foundation
import TestSupport
import Testing
import Varlink

/// Cameras that go away or fall silent.
@Suite struct LostCameraTests {
  @Test func finishesTheMovieOfACameraThatEnds() async throws {
    let source = Source.bars.replacing("is-live=true", with: "is-live=true num-buffers=150")
    try await withDaemon(.init(camera: source)) { daemon in
      let client = try daemon.client()
      let events = try daemon.events()
      try client.start()
      try events.next(.cameraDisconnected)
      let result = try #require(try events.next(.recordingFinished).result)
      #expect(result.reason == .cameraLost)
      #expect(result.message != nil)
      #expect(result.frames > 60)
      try expectPlayable(result)
      try expectOrdinary(try result.judge())
      #expect(try client.camera().state == .failed)
      // it can be opened again
      try client.photo()
      #expect(try client.camera().state == .warm)
    }
  }

  /// A preview goes on when its camera is back, without anybody asking.
  @Test func bringsAPreviewBack() async throws {
    let source = Source.bars.replacing("is-live=true", with: "is-live=true num-buffers=40")
    try await withDaemon(.init(camera: source)) { daemon in
      let client = try daemon.client()
      let events = try daemon.events()
      let reader = try PreviewReader(daemon, "preview.mkv", .matroska)
      for _ in 0..<2 {
        try events.next(.cameraDisconnected)
        try events.next(.cameraConnected)
        #expect(try client.camera().state == .warm)
        #expect(try client.camera().viewers == 1)
      }
      let reply = try reader.stop(with: client)
      #expect(reply.frames > 60)
      let judge = MovieJudge(reader.path)
      #expect(try judge.frameTimes().count > 60)
      // the time without pictures is in the stream
      #expect(try judge.largestGap() > 0.25)
    }
  }

  /// A viewer that never reads has pictures of the lost camera, with which a device can't come back: it is ended. The
  /// others go on.
  @Test func endsAPreviewThatHoldsALostCamera() async throws {
    let source = Source.bars.replacing("is-live=true", with: "is-live=true num-buffers=60")
    try await withDaemon(.init(camera: source)) { daemon in
      let client = try daemon.client()
      let events = try daemon.events()
      let lazy = try daemon.client()
      let (unread, end) = try PreviewReader.pipe()
      try lazy.call(Preview.self, .init(output: 0, format: .raw), descriptors: [end], more: true)
      end.close()
      let reader = try PreviewReader(daemon, "preview.mkv", .matroska)
      try events.next(.cameraDisconnected)
      try events.next(.warning) { $0.message?.contains("was ended") == true }
      try events.next(.cameraConnected)
      #expect(try refusal { _ = try lazy.next(Preview.self) } == .cameraDisconnected)
      #expect(try client.camera().viewers == 1)
      #expect(try reader.stop(with: client).frames > 0)
      withExtendedLifetime(unread) {}
    }
  }

  /// A camera without frames is told of, photos fail in time, and all is well when the frames are back.
  @Test func tellsOfACameraThatStalls() async throws {
    let camera = try NetworkCamera.grey { _ in 100 }
    defer { camera.end() }
    try await withDaemon(.init(camera: camera.source(), lines: ["IdleTimeout=infinity"])) { daemon in
      let client = try daemon.client()
      let events = try daemon.events()
      try client.photo()
      try client.start()
      pass(0.5)
      camera.pause(true)
      let warning = try events.next(.warning, within: .seconds(5)) { $0.message?.contains("no frame") == true }
      #expect(warning.camera == "main")
      let status = try client.camera()
      #expect(status.state == .stalled)
      #expect((status.lastFrameAge ?? 0) > 1.5)
      #expect(status.message != nil)
      #expect(status.recording != nil)
      let before = ContinuousClock.now
      #expect(try refusal { try client.photo() } == .cameraDisconnected)
      #expect(ContinuousClock.now - before < .seconds(3))
      camera.pause(false)
      try events.next(.warning, within: .seconds(5)) { $0.message?.contains("again") == true }
      #expect(try client.camera().state == .warm)
      try client.photo()
      try expectPlayable(try client.stop())
    }
  }

  @Test func stopsInTimeWhileStalled() async throws {
    let camera = try NetworkCamera.grey { _ in 100 }
    defer { camera.end() }
    try await withDaemon(.init(camera: camera.source())) { daemon in
      let client = try daemon.client()
      try client.start()
      pass(1)
      camera.pause(true)
      pass(0.5)
      let before = ContinuousClock.now
      let result = try client.stop()
      #expect(ContinuousClock.now - before < .seconds(3))
      try expectPlayable(result)
    }
  }

  @Test func saysWhenACameraNeverDelivers() async throws {
    let camera = try NetworkCamera.grey { _ in 100 }
    camera.pause(true)
    defer { camera.end() }
    try await withDaemon(.init(camera: camera.source())) { daemon in
      let client = try daemon.client()
      let before = ContinuousClock.now
      #expect(try refusal { try client.photo() } == .timedOut)
      #expect(ContinuousClock.now - before < .seconds(7))
      #expect(try client.camera().state == .failed)
      camera.pause(false)
      try client.photo()
    }
  }
}
