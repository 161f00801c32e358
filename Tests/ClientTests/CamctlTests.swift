import Foundation
import TestSupport
import Testing
import Varlink

/// The built camctl against a fake daemon.
@Suite struct CamctlTests {
  private struct Run: Sendable {
    var status: Int32
    var output: String
    var errors: String
  }

  private static func program() throws -> String {
    let maps = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
    let line = try #require(maps.split(separator: "\n").first { $0.hasSuffix(".xctest") })
    let start = try #require(line.firstIndex(of: "/"))
    let end = try #require(line.lastIndex(of: "/"))
    return line[start..<end] + "/camctl"
  }

  /// Runs camctl; `words` go to a shell, where `camctl` is the program.
  private func run(_ script: String, _ daemon: FakeDaemon) async throws -> Run {
    let output = "\(daemon.folder)/output"
    let errors = "\(daemon.folder)/errors"
    let program = try Self.program()
    return try await blocking {
      for file in [output, errors] { try? FileManager.default.removeItem(atPath: file) }
      let out = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
      defer { close(out) }
      let child = try ChildProcess(
        ["bash", "-c", "camctl() { '\(program)' \"$@\"; }; cd '\(daemon.folder)'; \(script)"],
        environment: ["CAMD_SOCKET": daemon.path], output: out, errors: errors)
      guard case .exited(let status) = child.waitForExit(within: 30) else {
        child.send(SIGKILL)
        return Run(status: -1, output: "", errors: "")
      }
      return Run(
        status: status, output: try String(contentsOfFile: output, encoding: .utf8),
        errors: try String(contentsOfFile: errors, encoding: .utf8))
    }
  }

  @Test func exitStatusTellsWhatHappened() async throws {
    try await FakeDaemon.run { daemon in
      for (words, status, errors) in [
        ("photo", 0, ""), ("--version", 0, ""), ("help", 0, ""),
        ("photo --camera none", 1, "camctl: there is no camera 'none'\n"),
        ("record stop", 1, "camctl: camera 'fake' is not recording\n"),
        ("status", 1, "camctl: this daemon does not know 'org.camd.Camera.GetStatus'; it may be older than camctl\n"),
        ("photo --bogus", 2, "camctl: unknown option '--bogus' of 'photo'\n"),
        (
          "photo --socket \(daemon.folder)/none", 3,
          "camctl: no daemon listens on \(daemon.folder)/none; is camd running?\n"
        ),
      ] {
        let run = try await run("camctl \(words)", daemon)
        #expect(run.status == status, "\(words)")
        #expect(run.errors == errors, "\(words)")
      }
    }
  }

  @Test func lostConnectionIsTold() async throws {
    let daemon = try FakeDaemon()
    async let lost = run("camctl record cancel", daemon)
    for await name in daemon.begun where name == "CancelRecording" { break }
    await daemon.server.stop(grace: .zero)
    let run = try await lost
    #expect(run.status == 4 && run.errors == "camctl: the daemon closed the connection\n")
    try FileManager.default.removeItem(atPath: daemon.folder)
  }

  @Test func photoGoesWhereTheClientMayWrite() async throws {
    try await FakeDaemon.run { daemon in
      let picture = String(decoding: FakeCamera.picture, as: UTF8.self)
      for (script, output) in [
        ("camctl photo", "/album/1.jpg\n"),
        ("camctl photo -o a.jpg; cat a.jpg", "/album/1.jpg\n\(picture)"),
        ("camctl photo --no-album -o b.jpg; cat b.jpg", "b.jpg\n\(picture)"),
        ("camctl photo -o -", picture),
        ("camctl photo --no-album -o - | cat", picture),
        ("camctl photo -o /dev/stdout --no-album | cat", "\(picture)/dev/stdout\n"),
        ("umask 027; camctl photo -o c.jpg >/dev/null; stat -c %a c.jpg", "640\n"),
        (
          "touch d.jpg; chmod 604 d.jpg; camctl photo -o d.jpg >/dev/null; stat -c %a d.jpg; cat d.jpg",
          "604\n\(picture)"
        ),
        (
          "echo x >e.jpg; ln -s e.jpg f.jpg; camctl photo -o f.jpg >/dev/null; cat e.jpg; readlink f.jpg",
          "\(picture)e.jpg\n"
        ),
      ] {
        let run = try await run(script, daemon)
        #expect(run.status == 0 && run.errors == "", "\(script)")
        #expect(run.output == output, "\(script)")
      }
      for (target, reason) in [
        (".", "it is a folder"), ("none/a.jpg", "No such file or directory"), ("a/", "No such file or directory"),
        ("/dev/full", "No space left on device"),
      ] {
        let run = try await run("camctl photo -o \(target)", daemon)
        #expect(run.status == 1 && run.errors == "camctl: cannot write \(target): \(reason)\n", "\(target)")
      }
      let left = try FileManager.default.contentsOfDirectory(atPath: daemon.folder).filter { $0.hasPrefix(".") }
      #expect(left == [])
      let json = try await run("camctl photo --json", daemon)
      #expect(json.output.hasPrefix(#"{"asset":{"bytes":17,"camera":"fake","favorite":false,"height":3,"id":"1","#))
    }
  }

  @Test func descriptorThatIsMissingIsNoPhoto() async throws {
    var camera = try FakeCamera()
    camera.forgetsDescriptor = true
    try await FakeDaemon.run(camera) { daemon in
      let run = try await run("camctl photo -o a.jpg; ls a.jpg", daemon)
      #expect(run.status == 2 && run.errors.contains("the picture's descriptor is missing"))
    }
  }

  @Test func watchPrintsALineForEachEvent() async throws {
    try await FakeDaemon.run { daemon in
      let people = try await run("camctl watch", daemon)
      #expect(
        people.output == "00:00:00.000  subscribed\n00:00:00.000  warning  low\n00:00:00.000  modeChanged  video\n")
      let json = try await run("camctl watch --json", daemon)
      #expect(
        json.output.split(separator: "\n").last
          == #"{"kind":"modeChanged","mode":"video","time":"1970-01-01T00:00:00.000+00:00"}"#)
      #expect(json.status == 0)
    }
  }

  @Test func previewEndsWithItsReader() async throws {
    try await FakeDaemon.run { daemon in
      let run = try await run("camctl preview | head -c 10000 | wc -c; exit ${PIPESTATUS[0]}", daemon)
      #expect(run.status == 0 && run.output == "10000\n" && run.errors == "")
    }
  }

  @Test func interruptEndsAPreviewWell() async throws {
    try await FakeDaemon.run { daemon in
      let run = try await run(
        "mkfifo pipe; exec 3<>pipe; '\(try Self.program())' preview >pipe & head -c 1000 <&3 >/dev/null; kill -INT $!; wait $!",
        daemon)
      #expect(run.status == 0 && run.errors == "")
    }
  }

  @Test func linksNothingHeavy() async throws {
    let result = try Tool.run(["ldd", try Self.program()])
    #expect(result.status == 0)
    for library in ["libgst", "libglib", "libgobject", "libsqlite", "libFoundation.so", "ICU"] {
      #expect(!result.output.contains(library), "\(library)")
    }
  }
}
