import CameraProtocol
import Foundation
import TestSupport
import Testing
import Varlink

/// How the daemon starts, and when it refuses to.
@Suite struct StartTests {
  private func run(_ words: [String]) throws -> Tool.Result {
    let environment = TestDaemon.environment.map { "\($0)=\($1)" }
    return try Tool.run(["env"] + environment + words, deadline: 20)
  }

  @Test func refusesASocketThatIsServed() async throws {
    try await withDaemon { daemon in
      let result = try run(try TestDaemon.words(.init(), in: daemon.folder))
      #expect(result.status == 1)
      #expect(result.errors.contains(daemon.socket))
      #expect(result.errors.contains("another daemon"))
      try daemon.client().photo()
    }
  }

  @Test func replacesTheSocketOfADeadDaemon() async throws {
    try await Turn.take {
      let folder = try TestFolder()
      let dead = try TestDaemon(.init(), in: folder)
      dead.process.send(SIGKILL)
      #expect(dead.process.waitForExit(within: 5) == .signalled(SIGKILL))
      #expect(FileManager.default.fileExists(atPath: dead.socket))
      let living = try TestDaemon(.init(), in: folder)
      try living.client().photo()
      try living.stop()
    }
  }

  @Test(arguments: ["000", "077", "022"])
  func givesTheSocketItsModeUnderAnyMask(umask: String) async throws {
    var setup = TestDaemon.Setup()
    setup.shell = "umask \(umask)"
    try await withDaemon(setup) { daemon in
      let attributes = try FileManager.default.attributesOfItem(atPath: daemon.socket)
      let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
      #expect(mode == (geteuid() == 0 ? 0o660 : 0o600))
      let photo = try daemon.client().photo().asset
      let file = try FileManager.default.attributesOfItem(atPath: try photo.file())
      #expect((file[.posixPermissions] as? NSNumber)?.intValue == 0o644 & ~(Int(umask, radix: 8) ?? 0))
    }
  }

  @Test(arguments: [
    ("[Camera a]\nSource=videotestsrc ! nosuchelement\n", 2, "nosuchelement"),
    ("[Camera a]\nSource=videotestsrc ! video/x-raw,format=I420 ! ! x\n", 2, "a"),
    ("[Camera a]\nSource=videotestsrc nosuchproperty=1\n", 2, "nosuchproperty"),
    ("[Camera a]\nSource=videotestsrc\n\n[Microphone b]\nSource=audiotestsrc (\n", 5, "b"),
    ("[Daemon]\nLibary=/x\n", 2, "Libary"),
    ("[Camera a]\nPosition=up\nSource=videotestsrc\n", 2, "Position"),
    ("nonsense\n", 1, "nonsense"),
  ])
  func saysWhereItsConfigurationIsWrong(text: String, line: Int, word: String) async throws {
    try await Turn.take {
      let folder = try TestFolder()
      let words = try TestDaemon.words(.init(), in: folder)
      try text.write(toFile: folder.file("conf"), atomically: false, encoding: .utf8)
      let result = try run(words)
      #expect(result.status == 1)
      #expect(result.errors.contains("\(folder.file("conf")):\(line): "), "\(result.errors)")
      #expect(result.errors.contains(word), "\(result.errors)")
      #expect(!FileManager.default.fileExists(atPath: folder.file("s")))
    }
  }

  @Test func refusesWordsThatItDoesNotKnow() async throws {
    try await Turn.take {
      let result = try run([try Program.path("camd"), "--nonsense"])
      #expect(result.status == 2)
      #expect(result.errors.contains("--nonsense"))
      let version = try run([try Program.path("camd"), "--version"])
      #expect(version.status == 0)
      #expect(version.output == "camd \(CameraInterface.version)\n")
    }
  }

  @Test func servesItsOwnCameraWhereThereIsNone() async throws {
    var setup = TestDaemon.Setup()
    setup.cameras = []
    setup.microphones = []
    try await withDaemon(setup) { daemon in
      let client = try daemon.client()
      let cameras = try client.call(ListCameras.self, CameraSelection()).cameras
      let real = cameras.filter { !$0.synthetic }
      if real.isEmpty {
        #expect(cameras.map(\.id) == ["synthetic"])
        #expect(try client.photo().asset.size == [1920, 1080])
      }
    }
  }
}
