import CameraProtocol
import Foundation
import TestSupport
import Testing
import Varlink

/// Albums that are full, read-only or not there.
@Suite struct StorageTests {
  /// A small disk in memory; gone with its owner.
  final class SmallDisk: Sendable {
    let folder: TestFolder
    var path: String { folder.path }

    init(megabytes: Int) throws {
      folder = try TestFolder()
      let result = try Tool.run(["mount", "-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", folder.path])
      guard result.status == 0 else { throw CocoaError(.fileWriteNoPermission) }
    }

    deinit { _ = try? Tool.run(["umount", "-l", folder.path]) }

    /// Takes room until so many bytes are free.
    func fill(leaving free: Int) throws {
      let file = "\(path)/ballast-\(UUID().uuidString)"
      if free == 0 {
        // to the last byte, also where another file grows meanwhile
        _ = try Tool.run(["dd", "if=/dev/zero", "of=\(file)", "bs=64k", "status=none"])
        return
      }
      let attributes = try FileManager.default.attributesOfFileSystem(forPath: path)
      let size = (attributes[.systemFreeSize] as? NSNumber)?.intValue ?? 0
      guard try Tool.run(["fallocate", "-l", "\(max(4096, size - free))", file]).status == 0 else {
        throw CocoaError(.fileWriteOutOfSpace)
      }
    }

    func empty() throws {
      for name in try FileManager.default.contentsOfDirectory(atPath: path) where name.hasPrefix("ballast") {
        try FileManager.default.removeItem(atPath: "\(path)/\(name)")
      }
    }

    /// Only root may mount, and not in every container.
    static let isPossible = (try? SmallDisk(megabytes: 1)) != nil
  }

  @Test(.enabled(if: SmallDisk.isPossible, "needs to mount a small disk"))
  func refusesWhatAFullDiskCanNotTake() async throws {
    let disk = try SmallDisk(megabytes: 100)
    var setup = TestDaemon.Setup()
    setup.library = "\(disk.path)/album"
    try await withDaemon(setup) { daemon in
      let client = try daemon.client()
      try client.photo()
      try disk.fill(leaving: 1 << 20)
      let error = try #require(try cameraError { try client.photo() })
      #expect(error.kind == .diskFull)
      #expect(error.detail.path?.hasPrefix(disk.path) == true)
      #expect(try refusal { try client.start() } == .diskFull)
      #expect(try client.camera().recording == nil)
      let library = try client.status().library
      #expect(!library.writable)
      #expect(library.message != nil)
      #expect((library.freeBytes ?? .max) <= 1 << 20)
      try disk.empty()
      try client.photo()
      try expectPlayable(try client.record(0.6))
      #expect(try daemon.album().count == 3)
    }
  }

  /// The last room goes during a recording, in part or altogether.
  @Test(.enabled(if: SmallDisk.isPossible, "needs to mount a small disk"), arguments: [20 << 20, 0])
  func finishesTheMovieOfAFullDisk(leaving: Int) async throws {
    let disk = try SmallDisk(megabytes: 120)
    var setup = TestDaemon.Setup(camera: Source.video("pattern=snow", 640, 360))
    setup.library = "\(disk.path)/album"
    try await withDaemon(setup) { daemon in
      let client = try daemon.client()
      let events = try daemon.events()
      try client.start(.high)
      pass(2)
      try disk.fill(leaving: leaving)
      let event = try events.next(.recordingFinished)
      let result = try #require(event.result)
      #expect(result.reason == .diskFull)
      #expect(result.message != nil)
      try expectPlayable(result)
      #expect((result.asset?.duration ?? 0) > 1)
      #expect(try client.camera().recording == nil)
      try disk.empty()
      try expectPlayable(try client.record(0.6))
    }
  }

  @Test func namesAnAlbumThatIsNoFolder() async throws {
    let folder = try TestFolder()
    var setup = TestDaemon.Setup()
    setup.library = folder.file("album")
    try Data("mine".utf8).write(to: URL(filePath: folder.file("album")))
    try await withDaemon(setup, leftovers: true) { daemon in
      let client = try daemon.client()
      for body in [{ _ = try client.photo() }, { _ = try client.start() }] {
        let error = try cameraError(body)
        #expect(error?.kind == .libraryUnavailable)
        #expect(error?.detail.message.contains(folder.file("album")) == true)
      }
      #expect(try !client.status().library.writable)
      #expect(try client.camera().recording == nil)
      #expect(try String(contentsOfFile: folder.file("album"), encoding: .utf8) == "mine")
      // a photo that isn't kept needs no album
      let reply = try client.reply(TakePhoto.self, .init(album: false, descriptor: true))
      #expect(reply.descriptorCount == 1)
      try FileManager.default.removeItem(atPath: folder.file("album"))
      try client.photo()
    }
  }

  @Test(.enabled(if: SmallDisk.isPossible, "needs to mount a small disk"))
  func namesAnAlbumThatIsReadOnly() async throws {
    let disk = try SmallDisk(megabytes: 120)
    var setup = TestDaemon.Setup()
    setup.library = disk.path
    try await withDaemon(setup, leftovers: true) { daemon in
      let client = try daemon.client()
      try client.photo()
      // the index is open for a moment after it was used
      let patience = ContinuousClock.now + .seconds(10)
      while try Tool.run(["mount", "-o", "remount,ro", disk.path]).status != 0 {
        try #require(.now < patience)
      }
      let error = try cameraError { try client.photo() }
      #expect(error?.kind == .libraryUnavailable)
      #expect(error?.detail.message.contains(disk.path) == true)
      #expect(try refusal { try client.start() } == .libraryUnavailable)
      #expect(try !client.status().library.writable)
      #expect(try Tool.run(["mount", "-o", "remount,rw", disk.path]).status == 0)
      try client.photo()
    }
  }
}
