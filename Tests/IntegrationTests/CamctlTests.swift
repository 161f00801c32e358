import CameraProtocol
import Foundation
import TestSupport
import Testing

/// The built camctl with the built camd.
@Suite struct CamctlTests {
  /// Runs a line of a shell in the daemon's folder, in which `camctl` is the program.
  private func shell(_ daemon: TestDaemon, _ line: String) throws -> Tool.Result {
    let program = try Program.path("camctl")
    return try Tool.run(
      [
        "env", "CAMD_SOCKET=\(daemon.socket)", "LC_ALL=C.UTF-8", "bash", "-o", "pipefail", "-c",
        "camctl() { '\(program)' \"$@\"; }; \(line)",
      ], deadline: 30, in: daemon.folder.path)
  }

  private func json<Value: Decodable>(_ type: Value.Type, _ result: Tool.Result) throws -> Value {
    try JSONDecoder().decode(type, from: Data(result.output.utf8))
  }

  @Test func takesAPhoto() async throws {
    try await withDaemon { daemon in
      let plain = try shell(daemon, "camctl photo")
      #expect(plain.status == 0, "\(plain.errors)")
      let path = plain.output.trimmingCharacters(in: .newlines)
      #expect(try daemon.files(".jpg") == [path])
      #expect(try MovieJudge(path).complaints() == "")

      let reply = try json(TakePhoto.Reply.self, try shell(daemon, "camctl photo --json"))
      #expect(reply.asset.size == [640, 360])
      #expect(reply.frameAge >= 0)
      #expect(try daemon.files(".jpg").count == 2)

      let written = try shell(
        daemon, "camctl photo --no-album -o mine.jpg && camctl photo -o - --quality 30 >other.jpg")
      #expect(written.status == 0, "\(written.errors)")
      for name in ["mine.jpg", "other.jpg"] {
        #expect(try MovieJudge(daemon.folder.file(name)).complaints() == "")
        #expect(try MovieJudge(daemon.folder.file(name)).size() == [640, 360])
      }
      #expect(try daemon.files(".jpg").count == 3)
    }
  }

  @Test func recordsAMovie() async throws {
    try await withDaemon { daemon in
      let timed = try shell(daemon, "camctl record --for 1.5s --json")
      #expect(timed.status == 0, "\(timed.errors)")
      let result = try json(RecordingResult.self, timed)
      #expect(result.reason == .maxDuration)
      #expect(result.frames == 45)
      try expectPlayable(result)
      try expectEqualExtent(try result.judge())

      #expect(try shell(daemon, "camctl record start --quality low --no-audio").status == 0)
      let second = try shell(daemon, "camctl record start")
      #expect(second.status == 1)
      #expect(second.errors.contains("recording"))
      pass(1)
      let stopped = try json(RecordingResult.self, try shell(daemon, "camctl record stop --json"))
      #expect(stopped.reason == .stopped)
      #expect(!stopped.audio)
      #expect(stopped.asset?.height == 144)
      try expectPlayable(stopped)
      #expect(try shell(daemon, "camctl record stop").status == 1)

      #expect(try shell(daemon, "camctl record start && camctl record cancel").status == 0)
      #expect(try daemon.files(".mp4").count == 2)
    }
  }

  @Test func takesBurstsAndPressesTheButton() async throws {
    try await withDaemon { daemon in
      let burst = try shell(daemon, "camctl photo --burst 4 --timer 1s")
      #expect(burst.status == 0, "\(burst.errors)")
      let paths = burst.output.split(separator: "\n").map(String.init)
      #expect(paths.count == 4)
      #expect(try daemon.files(".jpg") == paths)
      let reply = try json(TakeBurst.Reply.self, try shell(daemon, "camctl photo --burst 3 --json --format webp"))
      #expect(reply.assets.count == 3 && reply.skipped == 0)
      #expect(try daemon.files(".webp").count == 3)
      #expect(try shell(daemon, "camctl shutter").output.hasSuffix(".jpg\n"))
      #expect(try shell(daemon, "camctl mode video && camctl shutter").status == 0)
      let movie = try shell(daemon, "sleep 0.5; camctl shutter").output.trimmingCharacters(in: .newlines)
      try expectPlayable(MovieJudge(movie))
    }
  }

  /// Ctrl-C cancels the self-timer, and ends a burst whose printed photos are there.
  @Test func endsBurstsOnCtrlC() async throws {
    try await withDaemon { daemon in
      let events = try daemon.events([.timerTick, .timerCancelled, .photoSaved])
      let environment = ["CAMD_SOCKET": daemon.socket]
      let waiting = try ChildProcess([try Program.path("camctl"), "photo", "--timer", "60"], environment: environment)
      try events.next(.timerTick)
      waiting.send(SIGINT)
      #expect(waiting.waitForExit(within: 10) == .signalled(SIGINT))
      try events.next(.timerCancelled)
      let burst = try ChildProcess([try Program.path("camctl"), "photo", "--burst", "1000"], environment: environment)
      for _ in 0..<3 { try events.next(.photoSaved) }
      burst.send(SIGINT)
      #expect(burst.waitForExit(within: 10) == .signalled(SIGINT))
      #expect(try shell(daemon, "camctl photo --burst 1").status == 0, "the next one is served")
      #expect(try daemon.files(".jpg").count < 900)
    }
  }

  @Test func takesTimelapses() async throws {
    try await withDaemon { daemon in
      #expect(try shell(daemon, "camctl timelapse status").status == 1)
      #expect(try shell(daemon, "camctl timelapse stop").status == 1)
      let started = try shell(daemon, "camctl timelapse start --interval 0.2 --movie --rate 10 --quality low")
      #expect(started.status == 0, "\(started.errors)")
      pass(1)
      let status = try json(TimelapseStatus.self, try shell(daemon, "camctl timelapse status --json"))
      #expect(status.movie && status.frames > 1)
      #expect(try shell(daemon, "camctl status").output.contains("time-lapse: a movie (low at 10 fps)"))
      let movie = try shell(daemon, "camctl timelapse stop").output.trimmingCharacters(in: .newlines)
      try expectPlayable(MovieJudge(movie))
      let events = try daemon.events([.timelapseFinished])
      #expect(try shell(daemon, "camctl timelapse start --interval 0.3s --for 1.5s --format png").status == 0)
      let result = try events.next(.timelapseFinished).timelapseResult
      #expect(result?.frames == 5 && result?.reason == .completed)
      #expect(try daemon.files(".png").count == 5)
    }
  }

  /// Ctrl-C ends the recording and keeps the movie.
  @Test func keepsTheMovieOnCtrlC() async throws {
    try await withDaemon { daemon in
      let events = try daemon.events([.recordingProgress])
      let errors = daemon.folder.file("errors")
      let camctl = try ChildProcess(
        [try Program.path("camctl"), "record", "--for", "60"], environment: ["CAMD_SOCKET": daemon.socket],
        errors: errors)
      try events.next(.recordingProgress)
      camctl.send(SIGINT)
      let exit = camctl.waitForExit(within: 10)
      #expect(exit == .exited(0), "\((try? String(contentsOfFile: errors, encoding: .utf8)) ?? "")")
      let judge = MovieJudge(try #require(try daemon.files(".mp4").first))
      try expectPlayable(judge)
      #expect(try judge.duration() < 20)
    }
  }

  @Test func switchesTheMode() async throws {
    try await withDaemon(.init(camera: Source.largeBars)) { daemon in
      #expect(try shell(daemon, "camctl mode").output == "photo\n")
      #expect(try shell(daemon, "camctl mode video").status == 0)
      #expect(try shell(daemon, "camctl mode").output == "video\n")
      #expect(try json(TakePhoto.Reply.self, try shell(daemon, "camctl photo --json")).asset.size == [640, 360])
      #expect(try shell(daemon, "camctl record start").status == 0)
      let reply = try json(SetMode.Reply.self, try shell(daemon, "camctl mode photo --json"))
      #expect(reply.finished?.reason == .modeChanged)
      try expectPlayable(try #require(reply.finished))
      #expect(try shell(daemon, "camctl mode film").status == 2)
    }
  }

  @Test func setsTheFlash() async throws {
    let folder = try TestFolder()
    try FileManager.default.createDirectory(atPath: folder.file("led"), withIntermediateDirectories: false)
    for (name, value) in [("brightness", "0"), ("max_brightness", "9")] {
      try value.write(toFile: folder.file("led/\(name)"), atomically: false, encoding: .utf8)
    }
    var setup = TestDaemon.Setup()
    setup.cameraLines = ["Flash=\(folder.file("led"))"]
    try await withDaemon(setup) { daemon in
      let first = try shell(daemon, "camctl flash")
      #expect(first.output == "auto\n", "\(first)")
      #expect(try shell(daemon, "camctl mode video && camctl flash on").output == "video\non\n")
      #expect(try String(contentsOfFile: folder.file("led/brightness"), encoding: .utf8) == "9\n")
      #expect(try shell(daemon, "camctl status").output.contains("flash on, light on"))
      #expect(try shell(daemon, "camctl flash off; camctl flash").output == "off\noff\n")
      #expect(try String(contentsOfFile: folder.file("led/brightness"), encoding: .utf8) == "0\n")
      #expect(try shell(daemon, "camctl flash bright").status == 2)
    }
    try await withDaemon { daemon in
      #expect(try shell(daemon, "camctl flash").output == "none\n")
      let refused = try shell(daemon, "camctl flash on")
      #expect(refused.status == 1 && refused.errors.contains("Flash="), "\(refused)")
    }
  }

  @Test func streamsAPreview() async throws {
    try await withDaemon { daemon in
      let line = "camctl preview | ffmpeg -v error -i - -frames:v 30 -c copy -y preview.mkv"
      let stream = try shell(daemon, line)
      #expect(stream.errors == "")
      let judge = MovieJudge(daemon.folder.file("preview.mkv"))
      #expect(try judge.frameTimes().count == 30)
      #expect(try judge.size() == [640, 360])
      let bare = try shell(
        daemon, "camctl preview --format mjpeg | ffmpeg -v error -f mjpeg -i - -frames:v 5 -f null -")
      #expect(bare.errors == "")
    }
  }

  @Test func showsTheStatusAndWhatHappens() async throws {
    try await withDaemon { daemon in
      let people = try shell(daemon, "camctl status")
      #expect(people.status == 0)
      #expect(people.output.contains("main"))
      #expect(people.output.contains(daemon.library))
      let status = try json(GetStatus.Reply.self, try shell(daemon, "camctl status --json")).status
      #expect(status.cameras.map(\.id) == ["main"])
      // the photo that is taken once the watcher listens is what ends it
      let watch = try shell(
        daemon,
        """
        exec 3< <(camctl watch --json); read -r -u 3 line; printf '%s\\n' "$line"
        camctl photo >/dev/null; read -r -u 3 line; printf '%s\\n' "$line"
        """)
      let lines = watch.output.split(separator: "\n")
      #expect(lines.count == 2, "\(watch)")
      #expect(lines.last?.contains("photoSaved") == true, "\(watch)")
    }
  }

  @Test func tellsByItsStatusHowItWent() async throws {
    try await withDaemon { daemon in
      #expect(try shell(daemon, "camctl photo --camera nobody").status == 1)
      #expect(try shell(daemon, "camctl record start --quality 1080p").status == 1)
      #expect(try shell(daemon, "camctl photo --nonsense").status == 2)
      #expect(try shell(daemon, "camctl --socket ./none status").status == 3)
      let watcher = try ChildProcess(
        [try Program.path("camctl"), "watch"], environment: ["CAMD_SOCKET": daemon.socket],
        output: nil, errors: daemon.folder.file("errors"))
      #expect(try shell(daemon, "camctl photo").status == 0)
      try daemon.stop()
      #expect(watcher.waitForExit(within: 10) == .exited(4))
    }
  }
}
