import CameraProtocol
import Foundation
import TestSupport
import Testing

@testable import MediaLibrary

@Suite struct RetentionTests {
  let parent: TemporaryFolder
  let root: String

  init() throws {
    parent = try TemporaryFolder()
    root = parent.file("album")
  }

  private func ago(_ days: Int) -> Timestamp {
    Timestamp(seconds: Timestamp.now.seconds - days * 86_400, offset: 0)
  }

  /// Photos of 0, 10, 20, ... days ago.
  private func fill(_ library: MediaLibrary) throws -> [Asset] {
    try (0..<6).map { try library.photo(at: ago($0 * 10)) }
  }

  @Test func nothingGoesWithoutALimit() throws {
    let library = MediaLibrary(root: root, reserve: 0)
    _ = try fill(library)
    #expect(try library.applyRetention(dryRun: false).isEmpty && library.all().count == 6)
  }

  @Test func whatIsTooOldGoes() throws {
    let library = MediaLibrary(root: root, reserve: 0, retention: RetentionPolicy(maxAge: 25 * 86_400))
    let photos = try fill(library)
    _ = try library.setFavorite([photos[4].id], true)
    // put there by hand today, though taken long ago
    let old = "\(root)/old.jpg"
    try FileManager.default.copyItem(atPath: photos[5].path ?? "", toPath: old)
    #expect(
      try Tool.run(["exiftool", "-q", "-overwrite_original", "-DateTimeOriginal=2001:01:01 00:00:00", old]).status == 0)
    try Data(contentsOf: URL(filePath: old)).write(to: URL(filePath: "\(root)/older.jpg"))
    _ = try library.rescan()
    #expect(try library.asset("older.jpg").origin == .imported)
    // one that is being recorded
    let draft = try library.beginMovie(time: ago(100), camera: "cam0")
    try FileManager.default.removeItem(atPath: old)
    _ = try library.rescan()
    let planned = try library.applyRetention(dryRun: true)
    #expect(planned.map(\.asset.id) == [photos[5].id, photos[3].id] && planned.allSatisfy { $0.reason == .age })
    #expect(try library.all().count == 7)
    #expect(try library.applyRetention(dryRun: false) == planned)
    #expect(try Set(library.all().map(\.id)) == [photos[0].id, photos[1].id, photos[2].id, photos[4].id, "older.jpg"])
    #expect(
      !FileManager.default.fileExists(atPath: photos[5].path ?? "")
        && FileManager.default.fileExists(atPath: draft.path))
    #expect(try library.all(.init(state: .trashed)).isEmpty && library.applyRetention(dryRun: false).isEmpty)
  }

  @Test func whatIsTooMuchGoes() throws {
    let measure = MediaLibrary(root: parent.file("other"), reserve: 0)
    let size = try measure.photo().bytes
    let library = MediaLibrary(root: root, reserve: 0, retention: RetentionPolicy(maxSize: size * 7 / 2))
    let photos = try fill(library)
    _ = try library.setFavorite([photos[5].id], true)
    // what is in the trash goes first, and is no reason to remove more
    _ = try library.delete([photos[4].id], permanently: false)
    let planned = try library.applyRetention(dryRun: true)
    #expect(planned.map(\.asset.id) == [photos[3].id, photos[2].id] && planned.allSatisfy { $0.reason == .size })
    #expect(try library.all(.init(state: .trashed)).count == 1)
    #expect(try library.applyRetention(dryRun: false).map(\.asset.id) == [photos[3].id, photos[2].id])
    #expect(try library.all().map(\.id) == [photos[0].id, photos[1].id, photos[5].id])
    #expect(try library.all(.init(state: .trashed)).isEmpty)
    // the newest stays, however large
    let tight = MediaLibrary(root: root, reserve: 0, retention: RetentionPolicy(maxSize: 10))
    #expect(try tight.applyRetention(dryRun: false).map(\.asset.id) == [photos[1].id])
    #expect(try tight.all().map(\.id) == [photos[0].id, photos[5].id])
  }

  @Test func itHappensByItself() throws {
    let changes = Changes()
    let library = MediaLibrary(root: root, reserve: 0, retention: RetentionPolicy(maxAge: 15 * 86_400))
    let photos = try fill(library)
    library.start { changes.take($0) }
    for photo in photos.reversed().dropLast(2) {
      guard case .retired(let retired)? = changes.next({ if case .retired = $0 { true } else { false } }) else {
        Issue.record("nothing was removed")
        return
      }
      #expect(retired.asset.id == photo.id && retired.reason == .age)
    }
    let late = try library.photo(at: ago(40))
    let next = changes.next { if case .retired = $0 { true } else { false } }
    #expect(next.map { "\($0)".contains(late.id) } == true)
    #expect(try library.all().map(\.id) == [photos[0].id, photos[1].id])
    library.stop()
  }

  @Test(.enabled(if: Mount.isPossible, "mounting needs root")) func theOldestMakeRoomWhereTheyMay() throws {
    let disk = try Mount("size=6m")
    let policy = RetentionPolicy(removesOldest: true)
    let library = MediaLibrary(root: disk.path, reserve: 1_000_000, retention: policy)
    let photos = try (0..<5).map { try library.save(picture(700_000), at: .capture($0)) }
    _ = try library.setFavorite([photos[0].id], true)
    let more = try (5..<9).map { try library.save(picture(700_000), at: .capture($0)) }
    let left = try library.all()
    #expect(left.map(\.id).contains(photos[0].id) && !left.map(\.id).contains(photos[1].id))
    #expect(left.prefix(4).map(\.id) == more.reversed().map(\.id))
    #expect(try #require(library.freeBytes) >= 1_000_000)
    // a recording asks for room while it runs
    let strict = MediaLibrary(root: disk.path, reserve: 2_500_000, retention: policy)
    let changes = Changes()
    strict.reporter.observe { changes.take($0) }
    strict.wantRoom(for: 0)
    #expect(changes.next { if case .retired(let item) = $0 { item.reason == .space } else { false } } != nil)
    try strict.makeRoom(for: 0)  // the rest of it
    // favourites stay, whatever that costs
    _ = try strict.setFavorite(try strict.all().map(\.id), true)
    let plain = MediaLibrary(root: disk.path, reserve: 5_900_000, retention: policy)
    #expect(try refusal(CameraError.self) { try plain.prepareForCapture() }.kind == .diskFull)
    #expect(try plain.all().allSatisfy { FileManager.default.fileExists(atPath: $0.path ?? "") })
  }
}
