import CameraClient
import CameraProtocol
import Foundation
import Testing
import Varlink

@Suite struct CameraClientTests {
  @Test func answersHaveTypes() async throws {
    try await FakeDaemon.run { daemon in
      let client = try await AsyncCameraClient(path: daemon.path)
      let answer = try await client.call(TakePhoto.self, .init(descriptor: true))
      #expect(answer.value.asset.path == "/album/1.jpg")
      let picture = try #require(answer.takeDescriptor(at: 0))
      var bytes = [UInt8](repeating: 0, count: 100)
      #expect(read(picture.rawValue, &bytes, 100) == FakeCamera.picture.count)
      #expect(answer.takeDescriptor(at: 0) == nil)
      #expect(String(decoding: answer.json, as: UTF8.self).hasPrefix(#"{"asset":{"bytes":17,"#))
    }
  }

  @Test func errorsHaveTypes() async throws {
    try await FakeDaemon.run { daemon in
      let client = try await AsyncCameraClient(path: daemon.path)
      await #expect(throws: CameraError(.noSuchCamera, "there is no camera 'none'", camera: "none")) {
        _ = try await client.call(TakePhoto.self, .init(camera: "none"))
      }
      await #expect(throws: CameraError(.descriptorRequired, "no descriptor")) {
        _ = try await client.call(Preview.self, .init())
      }
      let name = "org.varlink.service.MethodNotImplemented"
      let parameters = Array(#"{"method":"org.camd.Camera.GetStatus"}"#.utf8)
      await #expect(throws: VarlinkError.remote(name: name, parameters: parameters)) {
        _ = try await client.call(GetStatus.self, .init())
      }
      await #expect(throws: VarlinkError.timedOut) {
        _ = try await client.call(CancelRecording.self, .init(), timeout: .milliseconds(20))
      }
    }
  }

  @Test func streamsEnd() async throws {
    try await FakeDaemon.run { daemon in
      let client = try await AsyncCameraClient(path: daemon.path)
      var kinds: [EventKind] = []
      for try await answer in try await client.stream(Subscribe.self, .init()) { kinds.append(answer.value.event.kind) }
      #expect(kinds == [.subscribed, .warning, .modeChanged])
      // And the connection is free again.
      _ = try await client.call(TakePhoto.self, .init())
    }
  }

  @Test func waitsForADaemonThatStarts() async throws {
    let daemon = try FakeDaemon()
    await daemon.server.stop(grace: .zero)
    await #expect(throws: VarlinkError.system(SystemError("connect to \(daemon.path)", code: ENOENT))) {
      _ = try await AsyncCameraClient(path: daemon.path)
    }
    async let client = AsyncCameraClient(path: daemon.path, retryFor: .seconds(10))
    let server = try Server(
      listener: try Listener(path: daemon.path, mode: 0o600),
      info: ServiceInfo(vendor: "", product: "", version: "", url: ""), services: [try FakeCamera()])
    try server.start()
    _ = try await client.call(TakePhoto.self, .init())
    await server.stop(grace: .zero)
    try FileManager.default.removeItem(atPath: daemon.folder)
  }
}
