import CameraProtocol
import Foundation
import TestSupport
import Testing

/// Cameras that have no controls; those that have are in the device rig.
@Suite struct ControlTests {
  @Test func aFragmentHasNone() async throws {
    try await withDaemon { daemon in
      let client = try daemon.client()
      #expect(try client.call(ListControls.self, .init()).controls == [])
      let value = ControlValue(name: "brightness", value: 1)
      for refused in [
        try cameraError { try client.call(SetControls.self, .init(values: [value], persist: true)) },
        try cameraError { try client.call(ResetControls.self, .init()) },
        try cameraError { try client.call(SetPointOfInterest.self, .init(x: 0.5, y: 0.5)) },
      ] {
        #expect(refused?.kind == .notSupported)
        #expect(refused?.detail.camera == "main")
      }
      #expect(try refusal { try client.call(ListControls.self, .init(camera: "nobody")) } == .noSuchCamera)
      // nothing of it opens the camera
      #expect(try client.camera().state == .cold)
    }
  }

  /// A node that isn't there, or is no camera, fails by itself and keeps nothing from the others.
  @Test func aNodeThatIsNoneSaysSo() async throws {
    let folder = try TestFolder()
    let node = folder.file("video0")
    try "".write(toFile: node, atomically: false, encoding: .utf8)
    var setup = TestDaemon.Setup()
    setup.lines = ["[Camera gone]", "Device=\(folder.file("none"))", "[Camera file]", "Device=\(node)"]
    try await withDaemon(setup) { daemon in
      let client = try daemon.client()
      let gone = try cameraError { try client.call(ListControls.self, .init(camera: "gone")) }
      #expect(gone?.kind == .cameraDisconnected)
      #expect(gone?.detail.path == folder.file("none"))
      #expect(try client.call(ListControls.self, .init(camera: "file")).controls == [])
      let value = ControlValue(name: "brightness", value: 1)
      #expect(
        try refusal { try client.call(SetControls.self, .init(camera: "file", values: [value])) } == .noSuchControl)
      try client.photo(.init(camera: "main"))
    }
  }

  @Test func camctlTellsWhatItIsToldByTheDaemon() async throws {
    try await withDaemon { daemon in
      func camctl(_ words: String...) throws -> Tool.Result {
        try Tool.run(["env", "CAMD_SOCKET=\(daemon.socket)", try Program.path("camctl")] + words, deadline: 30)
      }
      let list = try camctl("control", "list")
      #expect(list.status == 0)
      #expect(list.output == "")
      #expect(list.errors == "camctl: the camera has no controls\n")
      #expect(try camctl("control", "list", "--json").output == "{\"controls\":[]}\n")
      for words in [["set", "brightness=1"], ["reset"], ["point", "0.5", "0.5"]] {
        let result = try Tool.run(
          ["env", "CAMD_SOCKET=\(daemon.socket)", try Program.path("camctl"), "control"] + words, deadline: 30)
        #expect(result.status == 1, "\(words)")
        #expect(result.errors.contains("camera 'main' has no controls"), "\(result.errors)")
      }
    }
  }
}
