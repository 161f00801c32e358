import CameraProtocol
import Foundation
import MovieFile
import PhotoFile
import TestSupport
import Testing

@testable import MediaLibrary

@Suite struct IndexTests {
  let parent: TemporaryFolder
  let root: String
  let library: MediaLibrary

  init() throws {
    parent = try TemporaryFolder()
    root = parent.file("album")
    library = MediaLibrary(root: root, reserve: 0, software: "camd 0.1.0")
  }

  private var index: String { "\(root)/.camd/index.sqlite" }

  private func movie(_ second: Int, format: String = "mp4", metadata: MovieMetadata = .init()) throws -> Asset {
    let draft = try library.beginMovie(
      time: .capture(second, milliseconds: 250), camera: "cam1", metadata: metadata, format: format)
    if format == "mp4" {
      try MovieMaker().record(to: draft.path)
    } else {
      let codecs = format == "ogg" ? ["-c:a", "libopus"] : ["-c:v", "libvpx", "-c:a", "libopus"]
      let inputs = ["-f", "lavfi", "-i", "sine=duration=2", "-f", "lavfi", "-i", "testsrc2=size=64x48:duration=2"]
      let made = try Tool.run(
        ["ffmpeg", "-v", "error", "-y"] + (format == "ogg" ? Array(inputs.prefix(4)) : inputs) + codecs
          + ["-f", format == "mkv" ? "matroska" : format, draft.path])
      #expect(made.status == 0, "\(made.errors)")
    }
    return try draft.publish().asset
  }

  @Test func isMadeAnewFromTheFiles() throws {
    let place = Coordinates(latitude: -33.868820, longitude: 151.209296, altitude: -12.5)
    let photo = try library.photo(place: place)
    try library.photo(at: .capture(1), format: .png, orientation: .right)
    try library.photo(at: .capture(2, milliseconds: 7), camera: "cam2", format: .webp)
    try library.photo(at: .capture(3), parent: photo.id)
    let film = try movie(
      10,
      metadata: MovieMetadata(
        rotation: .right, location: Location(latitude: 27.7, longitude: 85.3, altitude: 1400)))
    for (second, format) in [(20, "webm"), (30, "ogg"), (40, "mkv")] {
      #expect(try movie(second, format: format).duration ?? 0 > 1.8)
    }
    _ = try library.setFavorite([photo.id, film.id], true)
    let deleted = try library.delete([try library.photo(at: .capture(50)).id], permanently: false)
    let (before, trash) = (try library.told(), try library.told(.init(state: .trashed)))
    #expect(before.count == 8 && trash.count == 1)
    #expect(try library.asset(photo.id).location == place && library.asset(photo.id).favorite)
    library.stop()
    try FileManager.default.removeItem(atPath: "\(root)/.camd/index.sqlite")
    let next = MediaLibrary(root: root, reserve: 0)
    #expect(try next.told().isEmpty)
    let progress = try next.rescan()
    #expect(progress.files == 9 && progress.total == 9 && progress.added == 9 && progress.damaged == 0)
    let after = try next.told()
    for (old, new) in zip(before, after) { #expect(old == new) }
    #expect(after.count == before.count)
    #expect(try next.told(.init(state: .trashed)) == trash)
    #expect(try next.restore(deleted.map(\.id)).first?.path == deleted.first?.path)
    let again = try next.rescan()
    #expect(again.added == 0 && again.changed == 0 && again.removed == 0 && again.files == 9)
  }

  @Test(arguments: ["junk", "cut", "holes", "empty folder"]) func aDamagedOneCostsNoPhoto(damage: String) throws {
    for second in 0..<200 { try library.photo(at: .capture(second)) }
    let before = try library.told()
    library.stop()
    switch damage {
    case "junk": try Data("this is no database, or is it? ".utf8).write(to: URL(filePath: index))
    case "cut":
      let handle = try FileHandle(forWritingTo: URL(filePath: index))
      try handle.truncate(atOffset: 20_000)
    case "holes":
      let handle = try FileHandle(forWritingTo: URL(filePath: index))
      for page in 1..<20 {
        try handle.seek(toOffset: UInt64(page * 4096))
        try handle.write(contentsOf: Data(repeating: 0xA5, count: 4096))
      }
    default: try FileManager.default.removeItem(atPath: "\(root)/.camd")
    }
    let next = MediaLibrary(root: root, reserve: 0)
    let warnings = Changes()
    next.reporter.observe { warnings.take($0) }
    let photo = try next.photo(at: .capture(300))
    _ = try next.rescan()
    #expect(try next.all().count == 201 && next.newest(.image)?.id == photo.id)
    #expect(try Array(next.told().dropFirst()) == before)
    let told = warnings.all.contains { if case .warning(let text) = $0 { text.contains("damaged") } else { false } }
    #expect(told == (damage != "empty folder"))
    if told { #expect(FileManager.default.fileExists(atPath: "\(index).damaged")) }
  }

  @Test func oneOfANewerVersionIsLeftAlone() throws {
    try library.photo()
    library.stop()
    let made = try Tool.run(["sqlite3", index, "PRAGMA journal_mode=DELETE; PRAGMA user_version=99"])
    #expect(made.status == 0, "\(made.errors)")
    let before = try Data(contentsOf: URL(filePath: index))
    let next = MediaLibrary(root: root, reserve: 0)
    let warnings = Changes()
    next.reporter.observe { warnings.take($0) }
    try next.photo(at: .capture(1))
    _ = try next.rescan()
    #expect(try next.all().count == 2)
    next.stop()
    #expect(try Data(contentsOf: URL(filePath: index)) == before)
    #expect(warnings.all.count { "\($0)".contains("version 99") } == 1)
    #expect(try MediaLibrary(root: root).all().count == 2)
  }

  @Test func olderVersionsBecomeThisOne() throws {
    let steps = AssetSchema.migrations + ["ALTER TABLE asset ADD COLUMN mood TEXT", "CREATE INDEX m ON asset(mood)"]
    let path = parent.file("old.sqlite")
    for known in 1...steps.count {
      let database = try Database(path: path)
      let outcome = try AssetSchema.prepare(database, migrations: Array(steps.prefix(known)))
      #expect(outcome == (known == 1 ? .made : .ready))
      if known == 1 { try database.run("INSERT INTO fact VALUES ('kept', 7)") }
      #expect(try database.first("PRAGMA user_version") { $0.integer(0) } == known)
      #expect(try database.first("SELECT value FROM fact") { $0.integer(0) } == 7)
    }
    // a step that fails leaves the version before it
    let broken = try Database(path: path)
    let error = try refusal(DatabaseError.self) {
      _ = try AssetSchema.prepare(broken, migrations: steps + ["CREATE TABLE half (a); CREATE TABLE asset (b)"])
    }
    #expect(error.description.contains("asset"))
    #expect(try broken.first("PRAGMA user_version") { $0.integer(0) } == steps.count)
    #expect(try broken.first("SELECT 1 FROM sqlite_master WHERE name = 'half'", [], { _ in true }) == nil)
  }

  @Test(.enabled(if: Mount.isPossible, "mounting needs root")) func aDiskThatTakesNoneIsListedAllTheSame() throws {
    let disk = try Mount("size=8m")
    let first = MediaLibrary(root: disk.path, reserve: 0)
    for second in 0..<3 { try first.photo(at: .capture(second)) }
    first.stop()
    let told = try first.told()
    first.stop()
    try disk.remount("ro")
    for removing in [false, true] {
      if removing {
        try disk.remount("rw")
        try FileManager.default.removeItem(atPath: "\(disk.path)/.camd")
        try disk.remount("ro")
      }
      let next = MediaLibrary(root: disk.path, reserve: 0)
      _ = try next.rescan()
      #expect(try next.told() == told)
      #expect(next.availability.available)
      let id = try #require(next.newest(.image)?.id)
      for refused in [
        try refusal(CameraError.self) { _ = try next.delete([id], permanently: false) },
        try refusal(CameraError.self) { _ = try next.delete([id], permanently: true) },
        try refusal(CameraError.self) { _ = try next.setFavorite([id], true) },
      ] {
        #expect(refused.kind == .libraryUnavailable && refused.detail.message.contains("ead-only"))
      }
      #expect(try next.told() == told)
    }
    try disk.remount("rw")
  }

  @Test(.enabled(if: Mount.isPossible, "mounting needs root")) func aFullDiskCostsNoPhotoThatFits() throws {
    let disk = try Mount("size=2m")
    let library = MediaLibrary(root: disk.path, reserve: 0)
    var saved: [Asset] = []
    while let photo = try? library.photo(at: .capture(saved.count)), saved.count < 2000 { saved.append(photo) }
    #expect(saved.count > 20 && saved.count < 2000)
    #expect(try library.all().count <= saved.count)
    try FileManager.default.removeItem(atPath: try #require(saved[0].path))
    for photo in saved[1..<10] { try FileManager.default.removeItem(atPath: try #require(photo.path)) }
    library.stop()
    let next = MediaLibrary(root: disk.path, reserve: 0)
    _ = try next.rescan()
    let listed = try next.all(.init(limit: 1000)).map(\.id)
    #expect(listed.count == saved.count - 10 && listed == saved.dropFirst(10).reversed().map(\.id))
  }
}
