import CameraProtocol
import Foundation
import TestSupport
import Testing
import Varlink

/// The album, through the daemon and its client.
@Suite struct LibraryTests {
  /// Runs a line of a shell in the daemon's folder, in which `camctl` is the program.
  private func shell(_ daemon: TestDaemon, _ line: String) throws -> Tool.Result {
    let program = try Program.path("camctl")
    return try Tool.run(
      [
        "env", "CAMD_SOCKET=\(daemon.socket)", "LC_ALL=C.UTF-8", "bash", "-o", "pipefail", "-c",
        "camctl() { '\(program)' \"$@\"; }; \(line)",
      ], deadline: 60, in: daemon.folder.path)
  }

  private func list(_ daemon: TestDaemon, _ options: String = "") throws -> ListAssets.Reply {
    let result = try shell(daemon, "camctl library list --json \(options)")
    #expect(result.status == 0, "\(result.errors)")
    return try JSONDecoder().decode(ListAssets.Reply.self, from: Data(result.output.utf8))
  }

  private func lines(_ result: Tool.Result) -> [String] {
    result.output.split(separator: "\n").map(String.init)
  }

  @Test func listsShowsRemovesAndRestores() async throws {
    try await withDaemon { daemon in
      let client = try daemon.client()
      #expect(try list(daemon) == .init(assets: [], total: 0, next: nil, scanning: false))
      #expect(try shell(daemon, "camctl library show").status == 1)
      try client.call(SetLocation.self, .init(latitude: 27.7172, longitude: 85.324))
      let photo = try client.photo().asset
      try client.call(ClearLocation.self, Nothing())
      let second = try client.photo(.init(format: .png)).asset
      let movie = try #require(try client.record(0.7).asset)

      let all = try list(daemon)
      // a busy machine's first frame of a movie may be older than the photo before
      let newest = [movie, second, photo].map(\.told).sorted {
        ($0.time.description, $0.id) > ($1.time.description, $1.id)
      }
      #expect(all.assets == newest && all.total == 3)
      #expect(try list(daemon, "--type movie").assets.map(\.id) == [movie.id])
      #expect(try list(daemon, "--near 27.72,85.32,2").assets.map(\.id) == [photo.id])
      #expect(try list(daemon, "--since 1h --camera main").total == 3 && list(daemon, "--until 1h").total == 0)
      #expect(try list(daemon, "--camera rear").total == 3 && list(daemon, "--camera nobody").total == 0)
      // from the beginning of the one day to the end of the other
      let day = photo.time.description.prefix(10)
      #expect(try list(daemon, "--since \(day)").total == 3 && list(daemon, "--until \(day)").total == 3)
      #expect(try list(daemon, "--since 2000-01-01 --until 2000-01-01").total == 0)
      #expect(try list(daemon, "--until 2000-01-01").total == 0 && list(daemon, "--since 2000-01-01").total == 3)
      let page = try list(daemon, "--limit 2")
      #expect(page.assets.count == 2 && page.total == 3)
      #expect(try list(daemon, "--limit 2 --after '\(try #require(page.next))'").assets == [newest[2]])

      let table = lines(try shell(daemon, "camctl library list"))
      #expect(table.count == 3 && table.allSatisfy { $0.count <= 80 })
      for (line, asset) in zip(table, newest) {
        #expect(line.hasSuffix("  \(asset.id)") && line.contains(asset.kind == .movie ? "movie" : "photo"))
      }
      #expect(try shell(daemon, "camctl library path").output == "\(try newest[0].file())\n")
      #expect(try shell(daemon, "camctl library path \(photo.id)").output == "\(try photo.file())\n")
      #expect(try shell(daemon, "camctl library show \(photo.id)").output.contains("27.7172, 85.324"))

      #expect(try shell(daemon, "camctl library favorite \(photo.id) \(movie.id)").status == 0)
      #expect(try list(daemon, "--favorites").assets.map(\.id).count == 2)
      #expect(lines(try shell(daemon, "camctl library list")).count { $0.hasPrefix("★") } == 2)
      #expect(try shell(daemon, "camctl library favorite --off \(movie.id)").status == 0)
      #expect(try list(daemon, "--favorites").assets.map(\.id) == [photo.id])

      let before = try Data(contentsOf: URL(filePath: try movie.file()))
      #expect(try shell(daemon, "camctl library rm \(movie.id)").status == 0)
      #expect(try list(daemon).total == 2 && list(daemon, "--trash").assets.map(\.id) == [movie.id])
      #expect(try daemon.files(".mp4").isEmpty)
      #expect(try shell(daemon, "camctl library restore \(movie.id)").output == "\(try movie.file())\n")
      #expect(try Data(contentsOf: URL(filePath: try movie.file())) == before)
      #expect(try shell(daemon, "camctl library rm --now \(second.id)").status == 0)
      #expect(try Set(list(daemon).assets.map(\.id)) == [movie.id, photo.id] && daemon.files(".png").isEmpty)
      let unknown = try shell(daemon, "camctl library rm \(photo.id) nothing")
      #expect(unknown.status == 1 && unknown.errors.contains("'nothing'") && unknown.errors.contains("no asset"))
      #expect(try list(daemon).total == 2)
      #expect(try shell(daemon, "camctl library rm \(photo.id); camctl library empty-trash").output.contains("1 file"))
      #expect(try shell(daemon, "camctl library rescan").output.contains("1 file: 0 added"))
    }
  }

  @Test func handsOverWhatItOpens() async throws {
    try await withDaemon { daemon in
      let client = try daemon.client()
      let photo = try client.photo().asset
      let reply = try client.reply(OpenAsset.self, .init(id: photo.id))
      let descriptor = try #require(reply.takeDescriptor(at: try reply.decode(OpenAsset.Reply.self).descriptor))
      let handle = FileHandle(fileDescriptor: descriptor.rawValue)
      let bytes = try Data(contentsOf: URL(filePath: photo.file()))
      #expect(handle.readDataToEndOfFile() == bytes)
      #expect(throws: (any Error).self) { try handle.write(contentsOf: Data([1])) }
      let secret = daemon.folder.file("secret.jpg")
      try FileManager.default.copyItem(atPath: try photo.file(), toPath: secret)
      try FileManager.default.createSymbolicLink(atPath: "\(daemon.library)/a.jpg", withDestinationPath: secret)
      for id in ["../secret.jpg", secret, "a.jpg", "\(photo.id)\0", "../../../../etc/hostname", ""] {
        #expect(try refusal { try client.call(GetAsset.self, .init(id: id)) } == .noSuchAsset)
        #expect(try refusal { try client.call(OpenAsset.self, .init(id: id)) } == .noSuchAsset)
        #expect(try refusal { try client.call(DeleteAssets.self, .init(ids: [id], permanently: true)) } == .noSuchAsset)
        #expect(try refusal { try client.call(RestoreAssets.self, .init(ids: [id])) } == .noSuchAsset)
        #expect(try refusal { try client.call(SetFavorite.self, .init(ids: [id], favorite: true)) } == .noSuchAsset)
      }
      let left = try [secret, photo.file()].filter(FileManager.default.fileExists)
      #expect(left.count == 2)
      #expect(try refusal { try client.call(ListAssets.self, .init(limit: 1001)) } == .valueOutOfRange)
    }
  }

  /// Files that people put there, move and remove.
  @Test func hearsOfWhatIsDoneByHand() async throws {
    try await withDaemon { daemon in
      let client = try daemon.client()
      let photo = try client.photo().asset
      let events = try daemon.events([.libraryChanged, .warning, .photoSaved])
      let path = "\(daemon.library)/holiday/cat.jpg"
      try FileManager.default.createDirectory(atPath: "\(daemon.library)/holiday", withIntermediateDirectories: true)
      try FileManager.default.copyItem(atPath: try photo.file(), toPath: path)
      let added = try events.next(.libraryChanged)
      #expect(added.message == "added" && added.asset?.width == 640, "\(added)")
      #expect(added.asset?.path == path)
      try FileManager.default.moveItem(atPath: path, toPath: "\(daemon.library)/dog.jpg")
      let moved = try events.next(.libraryChanged)
      #expect(moved.message == "changed" && moved.asset?.id == "holiday/cat.jpg")
      #expect(moved.asset?.path == "\(daemon.library)/dog.jpg")
      try FileManager.default.removeItem(atPath: "\(daemon.library)/dog.jpg")
      let removed = try events.next(.libraryChanged)
      #expect(removed.message == "removed" && removed.asset?.id == "holiday/cat.jpg", "\(removed)")
      try Data("no movie".utf8).write(to: URL(filePath: "\(daemon.library)/broken.mp4"))
      #expect(try events.next(.warning).message?.contains("broken.mp4") == true)
      #expect(try list(daemon).assets.map(\.id) == [photo.id])
      #expect(try list(daemon, "--damaged").assets.map(\.id) == ["broken.mp4"])
      #expect(try shell(daemon, "camctl library list --damaged").output.contains("does not begin as an MP4"))
      // a photo of its own is told once
      _ = try client.photo()
      try FileManager.default.copyItem(atPath: try photo.file(), toPath: path)
      #expect(try events.nextOfAny().kind == .photoSaved)
      #expect(try events.nextOfAny().asset?.path == path)
    }
  }

  /// A kill during the fourth movie, and a start without the index.
  @Test func listsWhatAnUncleanEndLeft() async throws {
    try await Turn.take {
      let folder = try TestFolder()
      let daemon = try TestDaemon(.init(), in: folder)
      let client = try daemon.client()
      let finished = try (0..<3).map { _ in try #require(try client.record(0.5).asset) }
      _ = try client.call(SetFavorite.self, .init(ids: [finished[1].id], favorite: true))
      try client.start()
      pass(1.6)
      daemon.process.send(SIGKILL)
      #expect(daemon.process.waitForExit(within: 5) == .signalled(SIGKILL))
      let second = try TestDaemon(.init(), in: folder)
      let listed = try list(second).assets
      #expect(listed.count == 4 && listed.dropFirst().map(\.id) == finished.reversed().map(\.id))
      for (asset, old) in zip(listed.dropFirst(), finished.reversed()) {
        #expect(asset.bytes == old.bytes && asset.duration == old.duration && asset.recovered == nil)
      }
      let recovered = try #require(listed.first)
      #expect(recovered.recovered == true && recovered.camera == "main" && (recovered.duration ?? 0) > 0.6)
      #expect(abs(try recovered.judge().duration() - (recovered.duration ?? 0)) < 0.05)
      #expect(try second.album().filter { $0.contains(".partial") } == [])
      try second.stop()
      try FileManager.default.removeItem(atPath: "\(second.library)/.camd")
      let third = try TestDaemon(.init(), in: folder)
      _ = try third.client().call(RescanLibrary.self, Nothing())
      #expect(try list(third).assets == listed)
      // an index that is begun anew is filled once more in the background
      let deadline = ContinuousClock.now + Client.patience
      while try list(third).scanning { try #require(.now < deadline) }
      let again = try list(third)
      #expect(again.assets == listed)
      #expect(again.assets[2].favorite)
      try third.stop()
    }
  }

  /// An album that is read while people take photos.
  @Test func readsManyFilesWithoutHoldingUpAPhoto() async throws {
    let many = try TemporaryFolder(inMemory: true)
    var setup = TestDaemon.Setup()
    setup.library = many.path
    try await withDaemon(setup, leftovers: true, share: .whole) { daemon in
      let client = try daemon.client()
      let photo = try client.photo().asset
      let bytes = try Data(contentsOf: URL(filePath: try photo.file()))
      func took(_ body: () throws -> Void) rethrows -> Duration { try ContinuousClock().measure(body) }
      let without = try (0..<5).map { _ in try took { try client.photo() } }.max() ?? .zero
      let folder = many.file("album")
      // made elsewhere and moved there at once
      try FileManager.default.createDirectory(atPath: many.file(".making/in"), withIntermediateDirectories: true)
      for number in 0..<3000 { try bytes.write(to: URL(filePath: many.file(".making/in/\(number).jpg"))) }
      try FileManager.default.moveItem(atPath: many.file(".making/in"), toPath: folder)
      let scanner = try daemon.client()
      try scanner.send(RescanLibrary.self, Nothing(), more: true)
      // however many ask for the same
      let others = try (0..<100).map { _ in try daemon.client() }
      for other in others { try other.send(RescanLibrary.self, Nothing()) }
      var photos = 0
      var progress: [RescanProgress] = []
      while true {
        let time = try took { try client.photo() }
        photos += 1
        #expect(time < without + .milliseconds(500), "\(time), without \(without)")
        let reply = try scanner.receive(within: .seconds(60))
        progress.append(try reply.decode(RescanLibrary.Reply.self).progress)
        if !reply.continues { break }
      }
      #expect(photos > 0 && progress.map(\.files) == progress.map(\.files).sorted())
      #expect(try took { try client.photo() } < without + .milliseconds(500))
      for other in others { #expect(try other.next(RescanLibrary.self).progress.files >= 3000) }
      let deadline = ContinuousClock.now + .seconds(30)
      while try list(daemon, "--limit 1").total < 3006 { try #require(.now < deadline) }
      let start = ContinuousClock.now
      let page = try list(daemon)
      #expect(start.duration(to: .now) < .seconds(1) && page.assets.count == 50)
    }
  }

  @Test(.enabled(if: StorageTests.SmallDisk.isPossible, "needs to mount a small disk"))
  func aRecordingGoesOnInPlaceOfTheOldest() async throws {
    let disk = try StorageTests.SmallDisk(megabytes: 120)
    var setup = TestDaemon.Setup()
    setup.library = "\(disk.path)/album"
    setup.preface = ["[Library]", "RemoveOldest=yes", "Reserve=40M"]
    try await withDaemon(setup) { daemon in
      let client = try daemon.client()
      let photo = try client.photo().asset
      _ = try client.call(SetFavorite.self, .init(ids: [photo.id], favorite: true))
      let bytes = try Data(contentsOf: URL(filePath: try photo.file())) + Data(count: 5_000_000)
      let folder = "\(daemon.library)/old"
      let events = try daemon.events([.libraryChanged])
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
      for number in 0..<6 {
        try bytes.write(to: URL(filePath: "\(folder)/\(number).jpg"))
        try events.next(.libraryChanged) { $0.asset?.id == "old/\(number).jpg" }
      }
      try client.start()
      // below the reserve, but not so far that recordings end
      try disk.fill(leaving: 28 << 20)
      try events.next(.libraryChanged) { $0.message == "removed" && $0.asset?.id == "old/0.jpg" }
      pass(1.5)
      let result = try client.stop()
      #expect(result.reason == .stopped && result.asset != nil)
      try expectPlayable(try result.judge())
      let left = try list(daemon).assets.map(\.id)
      #expect(left.contains(photo.id) && left.contains("old/5.jpg") && !left.contains("old/1.jpg"))
      #expect((try client.status().library.freeBytes ?? 0) >= 40 << 20)
    }
  }

  @Test func removesWhatIsNotToBeKept() async throws {
    var setup = TestDaemon.Setup()
    setup.preface = ["[Library]", "MaxSize=1K"]
    try await withDaemon(setup) { daemon in
      let client = try daemon.client()
      let first = try client.photo().asset
      let events = try daemon.events([.libraryChanged])
      let second = try client.photo().asset
      // by itself, soon; or at once
      let planned = try shell(daemon, "camctl library retention --dry-run")
      #expect(planned.status == 0)
      let removed = try events.next(.libraryChanged)
      #expect(removed.message == "removed" && removed.asset?.id == first.id)
      #expect(try daemon.files(".jpg") == [try second.file()])
      _ = try client.call(SetFavorite.self, .init(ids: [second.id], favorite: true))
      let third = try client.photo().asset
      let reply = try client.call(ApplyRetention.self, .init())
      #expect(reply.removed.isEmpty && reply.bytes == 0)
      #expect(try list(daemon).assets.map(\.id) == [third.id, second.id])
      #expect(try shell(daemon, "camctl library retention --dry-run").output == "Would remove 0 assets, 0 bytes\n")
    }
  }
}

extension Asset {
  /// As it is on the wire the second time: in milliseconds.
  fileprivate var told: Asset {
    var asset = self
    asset.time.nanoseconds = asset.time.nanoseconds / 1_000_000 * 1_000_000
    return asset
  }
}
