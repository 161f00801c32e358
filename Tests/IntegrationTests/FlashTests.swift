import CameraProtocol
import Foundation
import Glibc
import TestSupport
import Testing

/// A light in a folder like those below /sys/class/leds.
@Suite struct FlashTests {
  /// A LED's folder. `brightness` is a pipe, so that no order to the light is missed.
  final class LED: Sendable {
    struct Silent: Error { var orders: [String] }

    let path: String
    private let reader: Int32

    init(in folder: TestFolder, brightest: Int = 200) throws {
      path = folder.file("led")
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      try "\(brightest)\n".write(toFile: "\(path)/max_brightness", atomically: false, encoding: .utf8)
      guard mkfifo("\(path)/brightness", 0o600) == 0 else { throw CocoaError(.fileWriteUnknown) }
      // open for both, so that it never ends
      reader = open("\(path)/brightness", O_RDWR | O_CLOEXEC | O_NONBLOCK)
    }

    deinit { close(reader) }

    /// The orders since the last look; waits until there are so many.
    func orders(_ count: Int) throws -> [String] {
      var text = ""
      let deadline = ContinuousClock.now + Client.patience
      while true {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let read = Glibc.read(reader, &bytes, bytes.count)
        if read > 0 { text += String(decoding: bytes[..<read], as: UTF8.self) }
        let orders = text.split(separator: "\n").map(String.init)
        if orders.count >= count && read <= 0 { return orders }
        guard .now < deadline else { throw Silent(orders: orders) }
        var polled = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
        poll(&polled, 1, 200)
      }
    }
  }

  /// Runs a test with a daemon whose camera has a light; the order with which the daemon starts has been given.
  private func withLight(
    _ pattern: String, lines: [String] = [], _ body: @escaping @Sendable (TestDaemon, LED) throws -> Void
  ) async throws {
    let folder = try TestFolder()
    let led = try LED(in: folder)
    var setup = TestDaemon.Setup(camera: Source.video("pattern=\(pattern)", 640, 360), lines: lines)
    setup.cameraLines = ["Flash=\(led.path)", "FlashThreshold=40"]
    try await withDaemon(setup) { daemon in
      #expect(try led.orders(1) == ["0"])
      try body(daemon, led)
    }
    #expect(try led.orders(0) == [])
  }

  @Test func lightsPhotosOfADarkSceneOnly() async throws {
    try await withLight("black") { daemon, led in
      let client = try daemon.client()
      #expect(try client.call(ListCameras.self, CameraSelection()).cameras.map(\.flash) == [true])
      #expect(try client.camera().flash == .auto)
      #expect(try client.photo().flash == true)
      #expect(try led.orders(2) == ["200", "0"])
      #expect(try !client.camera().torch)
      #expect(try client.call(SetFlash.self, .init(mode: .off)).mode == .off)
      #expect(try client.photo().flash == false)
      #expect(try led.orders(0) == [])
    }
    try await withLight("white") { daemon, led in
      let client = try daemon.client()
      #expect(try client.photo().flash == false)
      #expect(try led.orders(0) == [])
      let events = try daemon.events([.flashChanged])
      try client.call(SetFlash.self, .init(mode: .on))
      #expect(try events.next(.flashChanged).flash == .on)
      #expect(try client.photo().flash == true)
      #expect(try led.orders(2) == ["200", "0"])
    }
  }

  @Test func theLightIsOffWhenThePhotoCanNotBeSaved() async throws {
    try await withLight("black") { daemon, led in
      let client = try daemon.client()
      try client.photo()
      #expect(try led.orders(2) == ["200", "0"])
      // a file in place of the year's folder: found out only when the photo is there
      let photo = try #require(try daemon.album().first)
      let year = "\(daemon.library)/\(photo.prefix(4))"
      try FileManager.default.removeItem(atPath: year)
      try Data("mine".utf8).write(to: URL(filePath: year))
      #expect(try refusal { try client.photo() } == .libraryUnavailable)
      #expect(try led.orders(2) == ["200", "0"])
      try FileManager.default.removeItem(atPath: year)
      #expect(try client.photo().flash == true)
      #expect(try led.orders(2) == ["200", "0"])
    }
  }

  @Test func isATorchInVideoMode() async throws {
    try await withLight("white", lines: ["IdleTimeout=500ms"]) { daemon, led in
      let client = try daemon.client()
      try client.setMode(.video)
      #expect(try led.orders(0) == [])
      // a strobe
      for _ in 1...3 {
        try client.call(SetFlash.self, .init(mode: .on))
        #expect(try client.camera().torch)
        #expect(try led.orders(1) == ["200"])
        try client.call(SetFlash.self, .init(mode: .off))
        #expect(try led.orders(1) == ["0"])
      }
      try client.call(SetFlash.self, .init(mode: .on))
      // the camera rests after a while, and the light with it
      #expect(try led.orders(2) == ["200", "0"])
      #expect(try client.camera().state == .cold)
      try client.start(audio: false)
      #expect(try led.orders(1) == ["200"])
      try expectPlayable(try client.stop())
      try client.setMode(.photo)
      #expect(try led.orders(1) == ["0"])
    }
  }

  @Test func lightsARecordingOfADarkScene() async throws {
    try await withLight("black") { daemon, led in
      let client = try daemon.client()
      try client.start(audio: false)
      #expect(try client.camera().torch)
      #expect(try led.orders(1) == ["200"])
      pass(0.5)
      try expectPlayable(try client.stop())
      #expect(try led.orders(1) == ["0"])
      #expect(try !client.camera().torch)
    }
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func stopsWithoutLight(signal: Int32) async throws {
    let folder = try TestFolder()
    let led = try LED(in: folder)
    var setup = TestDaemon.Setup(camera: Source.video("pattern=black", 640, 360))
    setup.cameraLines = ["Flash=\(led.path)"]
    try await Turn.take { [setup] in
      let daemon = try TestDaemon(setup, in: folder)
      try daemon.client().start(audio: false)
      #expect(try led.orders(2) == ["0", "200"])
      try daemon.stop(signal)
      #expect(try led.orders(1) == ["0"])
    }
  }

  /// Nothing can be done at the end; the next start does it.
  @Test func aKillLeavesTheLightToTheNextStart() async throws {
    let folder = try TestFolder()
    let led = try LED(in: folder)
    var setup = TestDaemon.Setup(camera: Source.video("pattern=black", 640, 360))
    setup.cameraLines = ["Flash=\(led.path)"]
    try await Turn.take { [setup] in
      let killed = try TestDaemon(setup, in: folder)
      try killed.client().start(audio: false)
      #expect(try led.orders(2) == ["0", "200"])
      killed.process.send(SIGKILL)
      _ = killed.process.waitForExit(within: 10)
      let next = try TestDaemon(setup, in: folder)
      #expect(try led.orders(1) == ["0"])
      try next.stop()
    }
  }

  @Test func aCameraThatIsLostTakesItsLightWithIt() async throws {
    try await withLight("white num-buffers=40") { daemon, led in
      let client = try daemon.client()
      let events = try daemon.events([.recordingFinished])
      try client.setMode(.video)
      try client.call(SetFlash.self, .init(mode: .on))
      try client.start(audio: false)
      #expect(try events.next(.recordingFinished).result?.reason == .cameraLost)
      #expect(try led.orders(2).suffix(1) == ["0"])
      #expect(try !client.camera().torch)
    }
  }

  @Test func withoutALightItSaysHowToHaveOne() async throws {
    try await withDaemon { daemon in
      let client = try daemon.client()
      let error = try cameraError { _ = try client.call(SetFlash.self, .init(mode: .on)) }
      #expect(error?.kind == .notSupported)
      #expect(error?.detail.message.contains("Flash=") == true)
      #expect(try client.camera().flash == nil)
      #expect(try client.photo().flash == nil)
      #expect(try client.call(ListCameras.self, CameraSelection()).cameras.map(\.flash) == [false])
    }
  }
}
