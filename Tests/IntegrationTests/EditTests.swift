import CameraProtocol
import Foundation
import TestSupport
import Testing
import Varlink

/// Edits by the built camd and the built camctl.
@Suite struct EditTests {
  private func camctl(_ daemon: TestDaemon, _ words: [String]) throws -> Tool.Result {
    try Tool.run(
      ["env", "CAMD_SOCKET=\(daemon.socket)", "LC_ALL=C.UTF-8", try Program.path("camctl")] + words, deadline: 60,
      in: daemon.folder.path)
  }

  /// The path that a command printed.
  private func path(_ daemon: TestDaemon, _ words: [String], sourceLocation: SourceLocation = #_sourceLocation) throws
    -> String
  {
    let result = try camctl(daemon, words)
    #expect(result.status == 0, "\(result.errors)", sourceLocation: sourceLocation)
    return result.output.trimmingCharacters(in: .newlines)
  }

  /// Bytes of every file of the album but the index.
  private func contents(_ daemon: TestDaemon) throws -> [String: Data] {
    try daemon.album().filter { !$0.contains(".camd") }.reduce(into: [:]) { found, name in
      found[name] = try Data(contentsOf: URL(filePath: "\(daemon.library)/\(name)"))
    }
  }

  /// A movie of that many seconds, put into the album by a recording of the camera that is fast enough for it.
  private static let quick = TestDaemon.Setup(camera: Source.largeBars)

  @Test func cropsAndTurnsPhotos() async throws {
    try await withDaemon { daemon in
      let client = try daemon.client()
      let photo = try client.photo().asset
      let before = try contents(daemon)
      let part = Rectangle(x: 64, y: 32, width: 320, height: 200)
      let events = try daemon.events([.editStarted, .editFinished])
      let made = try client.call(CropPhoto.self, .init(crop: part))
      #expect(made.original == photo && made.crop == part && made.lossless == true)
      let edited = try #require(made.edited)
      #expect(edited.parent == photo.id && edited.origin == .edited && edited.size == [320, 200])
      #expect(edited.time == photo.time)
      #expect(try PhotoJudge(try edited.file()).complaints() == "")
      #expect(try MovieJudge(try edited.file()).size() == [320, 200])
      try events.next(.editStarted) { $0.edit?.source == photo.id }
      #expect(try events.next(.editFinished).edit?.asset == edited)
      // the newest photo is the edit now
      let turned = try client.call(CropPhoto.self, .init(rotation: 90))
      #expect(turned.original == edited)
      for (name, bytes) in before { #expect(try contents(daemon)[name] == bytes, "\(name)") }
      let refused = try refusal {
        try client.call(CropPhoto.self, .init(id: photo.id, crop: Rectangle(x: 600, y: 0, width: 41, height: 10)))
      }
      #expect(refused == .valueOutOfRange)
      #expect(try daemon.files(".jpg").count == 3)
      #expect(daemon.log.contains("asked for by"))
    }
  }

  @Test func transcodesAndTrims() async throws {
    try await withDaemon(Self.quick) { daemon in
      let client = try daemon.client()
      let movie = try #require(try client.record(3, .high).asset)
      let original = try Data(contentsOf: URL(filePath: try movie.file()))
      try client.send(TranscodeMovie.self, .init(quality: .low), more: true)
      var states: [EditState] = []
      var last: EditReply
      repeat {
        last = try client.next(TranscodeMovie.self)
        states.append(last.edit.state)
      } while !last.edit.state.isOver
      #expect(states.last == .finished)
      let small = try #require(last.edited)
      #expect(small.parent == movie.id && small.size == [256, 144])
      try expectPlayable(try small.judge())
      try expectOrdinary(try small.judge())
      try expectEqualExtent(try small.judge(), rate: 15)
      // the result of the last edit is the newest movie
      let part = try client.call(TrimMovie.self, .init(start: 1, end: 2))
      #expect(part.original.id == small.id)
      let cut = try #require(part.edited)
      #expect(cut.parent == small.id)
      #expect(abs((cut.duration ?? 0) - 1) < 0.1)
      try expectPlayable(try cut.judge())
      for (quality, kind) in [(Quality.hd1080, CameraError.Kind.notCompatible), (.high, .notCompatible)] {
        #expect(
          try refusal { try client.call(TranscodeMovie.self, .init(id: small.id, quality: quality)) } == kind)
      }
      for (start, end) in [(2.0, 1.0), (1, 1), (0, 99), (99, 100), (-99, 2)] {
        let refused = try refusal { try client.call(TrimMovie.self, .init(id: movie.id, start: start, end: end)) }
        #expect(refused == .valueOutOfRange, "\(start), \(end)")
      }
      #expect(try daemon.files(".mp4").count == 3)
      #expect(try Data(contentsOf: URL(filePath: try movie.file())) == original)
      let edits = try client.call(ListEdits.self, Nothing()).edits
      #expect(edits.prefix(2).map(\.state) == [.finished, .finished])
      // deleting the edit undoes it
      try client.call(DeleteAssets.self, .init(ids: [cut.id], permanently: true))
      #expect(try client.call(GetAsset.self, .init(id: movie.id)).asset == movie)
    }
  }

  /// A movie of which transcoding takes far longer than the test.
  private func longMovie(_ daemon: TestDaemon, seconds: Int = 120) throws {
    let folder = "\(daemon.library)/2020/2020-01-01"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let part = daemon.folder.file("part.mp4")
    let made = try Tool.run([
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=1920x1080:rate=30:duration=4", "-c:v", "libx264",
      "-preset", "ultrafast", "-b:v", "12M", "-pix_fmt", "yuv420p", part,
    ])
    guard made.status == 0 else { throw NoFile(message: made.errors) }
    let long = try Tool.run([
      "ffmpeg", "-v", "error", "-stream_loop", "\(seconds / 4 - 1)", "-i", part, "-c", "copy",
      daemon.folder.file("long.mp4"),
    ])
    guard long.status == 0 else { throw NoFile(message: long.errors) }
    // appears complete, as what is copied there does at its end
    try FileManager.default.moveItem(
      atPath: daemon.folder.file("long.mp4"), toPath: "\(folder)/20200101-000000.000.mp4")
  }

  /// Waits until the album knows of that file.
  private func known(_ daemon: TestDaemon, _ client: Client) throws -> Asset {
    try client.call(RescanLibrary.self, Nothing())
    return try client.call(GetAsset.self, .init(id: "20200101-000000.000.mp4")).asset
  }

  @Test func canBeCancelledAndEndsWithItsCallerWhereAsked() async throws {
    try await withDaemon { daemon in
      let (client, other) = (try daemon.client(), try daemon.client())
      try longMovie(daemon)
      let movie = try known(daemon, client)
      try client.send(TranscodeMovie.self, .init(id: movie.id, quality: .medium), more: true)
      var edit = try client.next(TranscodeMovie.self).edit
      while edit.progress == 0 { edit = try client.next(TranscodeMovie.self).edit }
      #expect(try daemon.album().contains { $0.hasSuffix(".partial") })
      let start = ContinuousClock.now
      #expect(try other.call(CancelEdit.self, .init(id: edit.id)).edit.state == .cancelled)
      #expect(ContinuousClock.now - start < .seconds(5))
      #expect(try !daemon.album().contains { $0.hasSuffix(".partial") })
      #expect(try other.call(ListEdits.self, Nothing()).edits.map(\.state) == [.cancelled])
      #expect(try refusal { try other.call(CancelEdit.self, .init(id: edit.id)) } == .noSuchEdit)

      let events = try daemon.events([.editStarted, .editFailed, .editProgress])
      let leaving = try daemon.client()
      try leaving.send(
        TranscodeMovie.self, .init(id: movie.id, quality: .medium, cancelOnDisconnect: true), more: true)
      _ = try leaving.next(TranscodeMovie.self)
      try events.next(.editStarted)
      leaving.connection.close()
      #expect(try events.next(.editFailed).edit?.state == .cancelled)
      #expect(try !daemon.album().contains { $0.hasSuffix(".partial") })

      // without that it goes on
      let staying = try daemon.client()
      try staying.send(TranscodeMovie.self, .init(id: movie.id, quality: .medium), more: true)
      _ = try staying.next(TranscodeMovie.self)
      try events.next(.editStarted)
      staying.connection.close()
      var times: [ContinuousClock.Instant] = []
      for _ in 0..<6 {
        try events.next(.editProgress)
        times.append(.now)
      }
      // at most four a second
      #expect(times[5] - times[0] > .milliseconds(1000))
      // stopping the daemon ends it, and leaves nothing
    }
  }

  @Test func aKilledDaemonTakesItsEditsWithIt() async throws {
    try await withDaemon { daemon in
      let client = try daemon.client()
      try longMovie(daemon)
      let movie = try known(daemon, client)
      let second = try TestFolder()
      let killed = try TestDaemon(
        {
          var setup = TestDaemon.Setup(); setup.library = daemon.library; return setup
        }(), in: second)
      let mine = try killed.client()
      try mine.send(TranscodeMovie.self, .init(id: movie.id, quality: .medium), more: true)
      var edit = try mine.next(TranscodeMovie.self).edit
      while edit.progress == 0 { edit = try mine.next(TranscodeMovie.self).edit }
      killed.process.send(SIGKILL)
      _ = killed.process.waitForExit(within: 10)
      // a third one finds what is left, once the worker has let go of it; it has the lowest priority
      let left = try daemon.album().filter { $0.hasSuffix(".partial") }
      #expect(!left.isEmpty)
      for file in left { #expect(try Tool.run(["flock", "\(daemon.library)/\(file)", "true"]).status == 0) }
      var setup = TestDaemon.Setup()
      setup.library = daemon.library
      let next = try TestDaemon(setup, in: try TestFolder())
      #expect(try !next.album().contains { $0.hasSuffix(".partial") })
      try next.stop()
    }
  }

  /// A recording loses no frame because of an edit.
  @Test func disturbsNoRecording() async throws {
    var setup = TestDaemon.Setup(camera: Source.video("pattern=smpte75", 1920, 1080))
    setup.microphones = [("mic", Source.tone)]
    try await withDaemon(setup, share: .whole) { daemon in
      let client = try daemon.client()
      try longMovie(daemon, seconds: 480)
      let movie = try known(daemon, client)
      // what the machine can do by itself
      let clean = try [Quality.hd1080, .hd720, .medium].first { quality in
        let alone = try client.record(3, quality)
        return alone.droppedFrames == 0
      }
      let quality = try #require(clean, "this machine records nothing without a loss")
      let edits = try [daemon.client(), daemon.client(), daemon.client()]
      for edit in edits {
        try edit.send(TranscodeMovie.self, .init(id: movie.id, quality: .medium), more: true)
        _ = try edit.next(TranscodeMovie.self)
      }
      let result = try client.record(8, quality)
      #expect(result.droppedFrames == 0, "\(quality)")
      #expect(result.reason == .stopped)
      try expectPlayable(result)
      let running = try client.call(ListEdits.self, Nothing()).edits
      #expect(running.contains { $0.state == .running })
      for edit in running where !edit.state.isOver { try client.call(CancelEdit.self, .init(id: edit.id)) }
    }
  }

  @Test func isTypedAtAShell() async throws {
    try await withDaemon(Self.quick) { daemon in
      #expect(try camctl(daemon, ["edit", "trim", "0", "1"]).errors.contains("no movie"))
      let movie = try path(daemon, ["record", "--for", "3", "--quality", "high"])
      let photo = try path(daemon, ["photo"])
      let crop = try path(daemon, ["edit", "crop", "320x240+16+32", "--rotate", "90"])
      #expect(try MovieJudge(crop).size() == [240, 320])
      let turned = try path(daemon, ["edit", "rotate", photo, "180"])
      #expect(turned != photo && turned != crop)
      let part = try path(daemon, ["edit", "trim", "0:01", "-0:01"])
      #expect(abs(try MovieJudge(part).duration() - 1) < 0.1)
      let named = try path(daemon, ["edit", "trim", movie, "-1.5", "end"])
      #expect(abs(try MovieJudge(named).duration() - 1.5) < 0.1)
      let small = try path(daemon, ["edit", "transcode", movie, "medium", "--max-duration", "1.5"])
      #expect(try MovieJudge(small).size() == [640, 360])
      let refused = try camctl(daemon, ["edit", "transcode", small, "1080p"])
      #expect(refused.status == 1 && refused.errors.contains("only made smaller"))
      let list = try camctl(daemon, ["edit", "list"])
      #expect(list.output.split(separator: "\n").count == 6, "\(list.output)")
      let json = try camctl(daemon, ["edit", "rotate", "90", "--json"])
      let reply = try JSONDecoder().decode(EditReply.self, from: Data(json.output.utf8))
      #expect(reply.edit.state == .finished)
      #expect(try camctl(daemon, ["edit", "cancel", "99"]).status == 1)
    }
  }

  @Test func saysWhatCanBeEdited() async throws {
    try await withDaemon { daemon in
      let client = try daemon.client()
      let photo = try client.photo().asset
      let movie = try #require(try client.record(2, .high).asset)
      let outside = daemon.folder.file("mine.mkv")
      #expect(
        try Tool.run([
          "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=1280x720:duration=2", "-c:v", "libx264", outside,
        ]).status == 0)
      let answer = try client.call(CanEdit.self, .init(id: movie.id))
      #expect(answer.trim == .yes && answer.transcode == .yes && !answer.crop.possible)
      #expect(answer.qualities.contains(.low) && !answer.qualities.contains(.hd720))
      #expect(try client.call(CanEdit.self, .init(id: photo.id)).crop == .yes)
      let mine = try camctl(daemon, ["edit", "can", outside, "--json"])
      let found = try JSONDecoder().decode(CanEdit.Reply.self, from: Data(mine.output.utf8))
      #expect(mine.status == 0 && found.transcode.possible && found.qualities.contains(.vga))
      for (name, text) in [("empty.mp4", ""), ("text.mp4", "no movie"), ("a.jpg", "\u{FF}\u{D8}")] {
        let file = daemon.folder.file(name)
        try text.write(toFile: file, atomically: false, encoding: .isoLatin1)
        let result = try camctl(daemon, ["edit", "can", file])
        #expect(result.status == 1, "\(name): \(result.output)")
        #expect(result.output.contains("trim       no, "), "\(result.output)")
      }
      #expect(try camctl(daemon, ["edit", "can", photo.id]).output.contains("crop       yes"))
      // a descriptor that can't be read by whoever passes it isn't read by the daemon either
      let named = Varlink.FileDescriptor(owning: open(outside, 0o10000000 | O_CLOEXEC))
      #expect(
        try refusal { try client.call(CanEdit.self, .init(descriptor: 0), descriptors: [named]) }
          == .descriptorRequired)
      #expect(try refusal { try client.call(CanEdit.self, .init(id: "nothing.mp4")) } == .noSuchAsset)
    }
  }

  /// Ctrl-C leaves nothing.
  @Test func isInterruptedAtAShell() async throws {
    try await withDaemon { daemon in
      let client = try daemon.client()
      try longMovie(daemon)
      let movie = try known(daemon, client)
      let events = try daemon.events([.editProgress, .editFailed])
      let process = try ChildProcess(
        [try Program.path("camctl"), "edit", "transcode", movie.id, "medium"],
        environment: ["CAMD_SOCKET": daemon.socket], errors: daemon.folder.file("errors"))
      try events.next(.editProgress)
      process.send(SIGINT)
      #expect(process.waitForExit(within: 10) == .exited(1))
      #expect(try events.next(.editFailed).edit?.state == .cancelled)
      #expect(try String(contentsOfFile: daemon.folder.file("errors"), encoding: .utf8).contains("nothing is left"))
      #expect(try !daemon.album().contains { $0.hasSuffix(".partial") })
    }
  }

  /// What is made on the way out is not kept.
  @Test func makesMoviesSmallerOnTheWayOut() async throws {
    try await withDaemon(Self.quick) { daemon in
      let client = try daemon.client()
      let movie = try #require(try client.record(3, .high).asset)
      let small = try path(daemon, ["library", "export", "--quality", "low", "--max-duration", "1", "-o", "small.mp4"])
      let judge = MovieJudge(daemon.folder.file("small.mp4"))
      #expect(small == "small.mp4")
      #expect(try judge.size() == [256, 144])
      #expect(abs(try judge.duration() - 1) < 0.1)
      try expectPlayable(judge)
      _ = try path(daemon, ["library", "export", movie.id, "--max-duration", "1.5", "-o", "short.mp4"])
      let short = MovieJudge(daemon.folder.file("short.mp4"))
      #expect(try short.size() == [1280, 720])
      #expect(abs(try short.duration() - 1.5) < 0.1)
      _ = try path(daemon, ["library", "export", movie.id, "--max-duration", "60", "-o", "whole.mp4"])
      #expect(
        try Data(contentsOf: URL(filePath: daemon.folder.file("whole.mp4")))
          == Data(contentsOf: URL(filePath: movie.file())))
      let refused = try camctl(daemon, ["library", "export", "--quality", "1080p", "-o", "none.mp4"])
      #expect(refused.status == 1 && refused.errors.contains("only made smaller"))
      #expect(!FileManager.default.fileExists(atPath: daemon.folder.file("none.mp4")))
      #expect(try daemon.files(".mp4").count == 1)
      #expect(try !daemon.album().contains { $0.hasSuffix(".partial") })
      #expect(
        try refusal { try client.call(TrimMovie.self, .init(start: 0, end: 1, album: false)) } == .descriptorRequired)
    }
  }

  @Test func trimsAtTheEndOfARecording() async throws {
    try await withDaemon { daemon in
      let client = try daemon.client()
      try client.start(.medium)
      pass(2.5)
      let result = try camctl(daemon, ["record", "stop", "--trim", "0.5", "1.5"])
      #expect(result.status == 0, "\(result.errors)")
      let paths = result.output.split(separator: "\n").map(String.init)
      #expect(paths.count == 2)
      #expect(abs(try MovieJudge(paths[1]).duration() - 1) < 0.1)
      try expectPlayable(MovieJudge(paths[1]))
      #expect(try MovieJudge(paths[0]).duration() > 2)
    }
  }
}
