import CameraProtocol
import Foundation
import Synchronization
import TestSupport
import Testing
import Varlink

/// The built camd, with a folder and a configuration of its own.
final class TestDaemon: Sendable {
  /// What it is started with.
  struct Setup: Sendable {
    /// `Source=` of each camera, by its name; the first is the rear one.
    var cameras: [(name: String, source: String)] = [("main", Source.bars)]
    /// `Source=` of each microphone.
    var microphones: [(name: String, source: String)] = [("mic", Source.tone)]
    /// Further lines of the first camera's section.
    var cameraLines: [String] = []
    /// Lines in front of everything else, such as a section of their own.
    var preface: [String] = []
    /// Lines of `[Daemon]`.
    var lines: [String] = []
    /// The album; nil for one in the daemon's folder.
    var library: String?
    /// Shell commands before the daemon takes the shell's place, such as `umask 077`.
    var shell: String?
    var environment: [String: String] = [:]

    init(camera: String = Source.bars, microphone: String? = Source.tone, lines: [String] = []) {
      cameras = [("main", camera)]
      microphones = microphone.map { [("mic", $0)] } ?? []
      self.lines = lines
    }

    var text: String {
      var text = preface.map { "\($0)\n" }.joined()
      text += "[Daemon]\nDiscover=no\n" + lines.map { "\($0)\n" }.joined()
      for (index, camera) in cameras.enumerated() {
        text += "[Camera \(camera.name)]\nPosition=\(index == 0 ? "rear" : "external")\nSource=\(camera.source)\n"
        if index == 0 { text += cameraLines.map { "\($0)\n" }.joined() }
      }
      for microphone in microphones { text += "[Microphone \(microphone.name)]\nSource=\(microphone.source)\n" }
      return text
    }
  }

  struct NotReady: Error {
    var log: String
  }

  let folder: TestFolder
  let socket: String
  let library: String
  let process: ChildProcess
  private let logFile: String

  /// Starts it in a folder and waits until it serves.
  init(_ setup: Setup = Setup(), in folder: TestFolder) throws {
    self.folder = folder
    socket = folder.file("s")
    library = setup.library ?? folder.file("album")
    let number = folder.nextNumber()
    logFile = folder.file("log\(number)")
    let ready = try ReadyListener(folder.file("n\(number)"))
    var words = try Self.words(setup, in: folder)
    if let shell = setup.shell { words = ["/bin/sh", "-c", "\(shell); exec \"$0\" \"$@\""] + words }
    var environment = Self.environment.merging(setup.environment) { $1 }
    environment["NOTIFY_SOCKET"] = ready.path
    // what daemons in this folder remember is theirs alone
    environment["XDG_STATE_HOME"] = folder.file("state")
    environment["CACHE_DIRECTORY"] = folder.file("cache")
    process = try ChildProcess(words, environment: environment, errors: logFile) {
      ready.interrupt()
    }
    guard ready.wait(within: 20) else {
      process.send(SIGKILL)
      throw NotReady(log: brief)
    }
  }

  deinit { process.send(SIGKILL) }

  /// A critical message of GLib or GStreamer ends it, with a core signal and not with a backtrace.
  static let environment = ["G_DEBUG": "fatal-criticals", "SWIFT_BACKTRACE": "enable=no", "LC_ALL": "C.UTF-8"]

  /// Its command line; writes its configuration.
  static func words(_ setup: Setup, in folder: TestFolder) throws -> [String] {
    try setup.text.write(toFile: folder.file("conf"), atomically: false, encoding: .utf8)
    return [
      try Program.path("camd"), "--socket", folder.file("s"), "--config", folder.file("conf"), "--library",
      setup.library ?? folder.file("album"), "--log-level", "debug",
    ]
  }

  func client() throws -> Client { try Client(socket) }

  func events(_ kinds: [EventKind]? = nil) throws -> EventReader { try EventReader(socket, kinds) }

  /// What it said so far.
  var log: String { (try? String(contentsOfFile: logFile, encoding: .utf8)) ?? "" }

  /// The same without what it says about its work in general.
  var brief: String {
    log.split(separator: "\n").filter { !$0.contains(" pipeline: ") }.joined(separator: "\n")
  }

  /// The files in the album, paths within it; hidden ones included, but not the index and the trash.
  func album() throws -> [String] {
    guard FileManager.default.fileExists(atPath: library) else { return [] }
    return try FileManager.default.subpathsOfDirectory(atPath: library).filter { path in
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: "\(library)/\(path)", isDirectory: &isFolder)
      return !isFolder.boolValue && !path.hasSuffix(".camd-album") && !path.hasPrefix(".camd/")
    }.sorted()
  }

  /// Whole paths of the files with that ending.
  func files(_ ending: String) throws -> [String] {
    try album().filter { $0.hasSuffix(ending) }.map { "\(library)/\($0)" }
  }

  /// Stops it and demands that it goes as it should.
  func stop(_ signal: Int32 = SIGTERM, leftovers: Bool = false) throws {
    process.send(signal)
    let exit = process.waitForExit(within: 20)
    #expect(exit == .exited(0), "\(brief.suffix(2000))")
    let isCritical = log.contains("CRITICAL")
    #expect(!isCritical, "\(brief)")
    #expect(!FileManager.default.fileExists(atPath: socket))
    if !leftovers { #expect(try album().filter { $0.contains("/.") } == []) }
  }
}

/// A short folder that goes with its owner: the path of a socket may not be long.
final class TestFolder: Sendable {
  let path: String
  private let number = Atomic(0)

  init() throws {
    var template = Array("/tmp/cd.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw CocoaError(.fileWriteUnknown) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    chmod(path, 0o755)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// 1, 2, 3 ..., for the names of what each daemon in it has for its own.
  func nextNumber() -> Int { number.add(1, ordering: .relaxed).newValue }
}

/// Runs a test against a daemon of its own, which has to end cleanly. `share`: of the machine, more than a quarter where
/// it is about not being late.
func withDaemon(
  _ setup: TestDaemon.Setup = .init(), leftovers: Bool = false, share: Turn.Share = .quarter,
  _ body: @Sendable (TestDaemon) throws -> Void
) async throws {
  try await Turn.take(share) {
    let daemon = try TestDaemon(setup, in: try TestFolder())
    do {
      try body(daemon)
    } catch {
      Issue.record(error, "\(daemon.brief.suffix(3000))")
      daemon.process.send(SIGKILL)
      return
    }
    try daemon.stop(leftovers: leftovers)
  }
}
