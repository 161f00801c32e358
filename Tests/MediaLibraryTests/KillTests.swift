import CameraProtocol
import Foundation
import TestSupport
import Testing

@testable import MediaLibrary

private let canTrace = (try? Tool.run(["strace", "-o", "/dev/null", "true"]).status) == 0

/// A process that is killed at one system call after the other.
@Suite(.enabled(if: canTrace, "needs strace and the right to trace")) struct KillTests {
  /// What changes something on the disk.
  private static let calls = [
    "openat", "mkdir", "mkdirat", "renameat2", "rename", "unlink", "unlinkat", "fsync", "fdatasync", "pwrite64",
    "write",
    "writev", "ftruncate", "fsetxattr", "fremovexattr", "fallocate",
  ]

  /// The built program: next to the bundle of tests.
  private static func program() throws -> String {
    let maps = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
    let bundle = try #require(maps.split(separator: "\n").first { $0.hasSuffix(".xctest") })
    let start = try #require(bundle.firstIndex(of: "/"))
    return "\(String(bundle[start...]).parentPath)/library-steps"
  }

  @Test func nothingTakenIsLostAndNothingHalfShows() throws {
    let folder = try TemporaryFolder(inMemory: true)
    let program = try Self.program()
    try Data(Samples.jpeg).write(to: URL(filePath: folder.file("a.jpg")))
    try MovieMaker().record(to: folder.file("a.mp4"))
    let movie = folder.file("a.mp4")

    func run(_ root: String, killAt number: Int?) throws -> [String] {
      var words = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=\(Self.calls.joined(separator: ","))"]
      if let number { words += ["-e", "inject=\(Self.calls.joined(separator: ",")):signal=KILL:when=\(number)"] }
      let result = try Tool.run(words + [program, root, folder.file("a.jpg"), movie])
      #expect(result.status == 0 || result.status == 137, "\(result.status) \(result.output) \(result.errors)")
      return result.output.split(separator: "\n").map(String.init)
    }

    let whole = try run(folder.file("whole"), killAt: nil)
    #expect(whole.count == 10, "\(whole)")
    var number = 1
    var kills = 0
    while true {
      let root = folder.file("album\(number)")
      let done = try run(root, killAt: number)
      if done == whole { break }
      kills += 1
      try check(root, done, "killed at call \(number)")
      try? FileManager.default.removeItem(atPath: root)
      // the first calls load the program
      number += 1
    }
    #expect(kills > 100)
  }

  /// The album as the next start makes it.
  private func check(_ root: String, _ done: [String], _ comment: Comment) throws {
    let library = MediaLibrary(root: root, reserve: 0)
    _ = try library.recover()
    _ = try library.rescan()
    let listed = try library.all()
    let trashed = try library.all(.init(state: .trashed))
    #expect(try library.all(.init(state: .damaged)).isEmpty, comment)
    let all = listed + trashed
    #expect(Set(all.map(\.id)).count == all.count, comment)
    for asset in all {
      let path = try #require(asset.path)
      let size = (try FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber)?.intValue
      #expect(size == asset.bytes && asset.camera == "cam0", comment)
    }
    // what was said to be done is done
    var expected: [String: String] = [:]
    for line in done {
      let words = line.split(separator: " ").map(String.init)
      guard words.count == 2 else { continue }
      expected[words[1]] = words[0]
    }
    // the steps of the program, one behind the other: what may have been on its way when it was killed
    let last = done.last?.split(separator: " ").first.map(String.init)
    let photos = done.compactMap { $0.hasPrefix("saved ") ? String($0.dropFirst(6)) : nil }.prefix(3)
    for (id, step) in expected {
      let isListed = listed.contains { $0.id == id }
      let isTrashed = trashed.contains { $0.id == id }
      switch step {
      case "saved":
        let isDeleting = last == "marked" && photos.firstIndex(of: id) == 1
        let isErasing = last == "restored" && photos.firstIndex(of: id) == 2
        #expect(isListed || isDeleting && isTrashed || isErasing, comment)
      case "marked", "restored": #expect(isListed, comment)
      case "deleted": #expect(isTrashed || last == "deleted" && isListed, comment)
      case "recorded": #expect(listed.contains { $0.kind == .movie }, comment)
      case "edited": #expect(isListed && listed.first { $0.id == id }?.parent == photos.first, comment)
      case "erased": #expect(!isListed && !isTrashed, comment)
      default: break
      }
      if step == "marked" { #expect(listed.first { $0.id == id }?.favorite == true, comment) }
    }
    // every file is one asset, and nothing else is there
    let files = (FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []).filter {
      !$0.hasPrefix(".camd/index") && $0.contains(".") && !$0.hasPrefix(".camd-album") && $0 != ".camd"
        && $0.lastPart.contains(".") && !$0.hasSuffix("/trash")
    }.filter {
      var status = stat(); return stat("\(root)/\($0)", &status) == 0 && status.isRegularFile
    }
    #expect(Set(files.map { "\(root)/\($0)" }) == Set(all.compactMap(\.path)), comment)
    let again = try library.rescan()
    #expect(again.added == 0 && again.changed == 0 && again.removed == 0, comment)
    library.stop()
  }
}
