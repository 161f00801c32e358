import CameraProtocol
import Foundation
import TestSupport
import Testing

@testable import MediaLibrary

@Suite struct TrashTests {
  let parent: TemporaryFolder
  let root: String
  let library: MediaLibrary

  init() throws {
    parent = try TemporaryFolder()
    root = parent.file("album")
    library = MediaLibrary(root: root, reserve: 0)
  }

  private func trash() throws -> [String] {
    let path = "\(root)/.camd/trash"
    return (FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []).sorted()
  }

  private func write(_ bytes: [UInt8], _ path: String) throws {
    let full = "\(root)/\(path)"
    try FileManager.default.createDirectory(atPath: full.parentPath, withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(filePath: full))
  }

  @Test func deletingIsUndone() throws {
    let photo = try library.photo(place: Coordinates(latitude: 1.5, longitude: 2.25))
    let other = try library.photo(at: .capture(1), format: .png)
    try write(Samples.jpeg, "a/b.jpg")
    _ = try library.rescan()
    _ = try library.setFavorite([photo.id], true)
    let before = try library.told()
    let bytes = try Data(contentsOf: URL(filePath: try #require(photo.path)))
    #expect(
      try library.delete([photo.id, "a/b.jpg", photo.id], permanently: false).map(\.id) == [photo.id, "a/b.jpg"])
    #expect(try library.all().map(\.id) == [other.id] && library.newest(.image)?.id == other.id)
    #expect(!FileManager.default.fileExists(atPath: try #require(photo.path)))
    let trashed = try library.all(.init(state: .trashed))
    #expect(Set(trashed.map(\.id)) == [photo.id, "a/b.jpg"])
    #expect(trashed.allSatisfy { abs(($0.trashed ?? .capture).timeInterval(since: .now)) < 10 })
    let refused = try refusal(CameraError.self) { _ = try library.asset(photo.id) }
    #expect(refused.kind == .noSuchAsset && refused.detail.message.contains("trash"))
    // again does nothing, and so does taking out what isn't in
    _ = try library.delete([photo.id], permanently: false)
    _ = try library.restore([other.id])
    #expect(try library.restore([photo.id, "a/b.jpg"]).map(\.path) == [photo.path, "\(root)/a/b.jpg"])
    #expect(try library.told() == before && trash().isEmpty)
    #expect(try Data(contentsOf: URL(filePath: try #require(photo.path))) == bytes)
    #expect(try library.rescan().changed == 0)
  }

  @Test func aPlaceThatIsTakenIsNoneToReturnTo() throws {
    let first = try library.photo()
    _ = try library.delete([first.id], permanently: false)
    let second = try library.photo(camera: "cam2")
    #expect(second.path == first.path)
    let restored = try #require(try library.restore([first.id]).first)
    #expect(restored.path == "\(root)/2026/2026-11-30/20261130-165115.123_002.jpg")
    #expect(try library.all().count == 2)
    let cameras = try Dictionary(uniqueKeysWithValues: library.all().map { ($0.path ?? "", $0.camera ?? "") })
    #expect(cameras == [second.path ?? "": "cam2", restored.path ?? "": "cam0"])
    let told = try library.told()
    library.stop()
    try FileManager.default.removeItem(atPath: "\(root)/.camd")
    let next = MediaLibrary(root: root, reserve: 0)
    _ = try next.rescan()
    #expect(Set(try next.all().map(\.path)) == Set(try library.all().map(\.path)) && told.count == 2)
    try write(Samples.jpeg, "x.jpg")
    _ = try next.rescan()
    _ = try next.delete(["x.jpg"], permanently: false)
    try write(Samples.png, "x.jpg")
    #expect(try next.restore(["x.jpg"]).first?.path == "\(root)/x_2.jpg")
    #expect(try next.rescan().files == 4)
  }

  @Test func forGoodIsForGood() throws {
    let photos = try (0..<4).map { try library.photo(at: .capture($0)) }
    let unknown = try refusal(CameraError.self) {
      _ = try library.delete([photos[0].id, "nothing"], permanently: true)
    }
    #expect(unknown.kind == .noSuchAsset && FileManager.default.fileExists(atPath: photos[0].path ?? ""))
    _ = try library.delete([photos[0].id], permanently: true)
    #expect(!FileManager.default.fileExists(atPath: photos[0].path ?? ""))
    _ = try library.delete([photos[1].id, photos[2].id], permanently: false)
    _ = try library.delete([photos[1].id], permanently: true)
    #expect(try library.all(.init(state: .trashed)).map(\.id) == [photos[2].id])
    let size = try #require(try library.all(.init(state: .trashed)).first?.bytes)
    let emptied = try library.emptyTrash()
    #expect(emptied.files == 1 && emptied.bytes == size)
    #expect(try trash().isEmpty && library.all(.init(state: .trashed)).isEmpty)
    #expect(try library.all().map(\.id) == [photos[3].id])
    #expect(try refusal(CameraError.self) { _ = try library.restore([photos[2].id]) }.kind == .noSuchAsset)
    // a file that somebody else was quicker to remove
    try FileManager.default.removeItem(atPath: photos[3].path ?? "")
    #expect(
      try refusal(CameraError.self) { _ = try library.delete([photos[3].id], permanently: false) }.kind == .noSuchAsset)
    _ = try library.delete([photos[3].id], permanently: true)
    #expect(try library.all().isEmpty && trash().isEmpty)
  }

  @Test func nothingStaysInItForEver() throws {
    let photos = try (0..<2).map { try library.photo(at: .capture($0)) }
    _ = try library.delete(photos.map(\.id), permanently: false)
    let times = try FileManager.default.contentsOfDirectory(atPath: "\(root)/.camd/trash").sorted()
    let old = (Timestamp.now.seconds - 31 * 86_400) * 1000
    try FileManager.default.moveItem(
      atPath: "\(root)/.camd/trash/\(times[0])", toPath: "\(root)/.camd/trash/\(old)")
    _ = try library.rescan()
    #expect(try library.all(.init(state: .trashed)).count == 2)
    library.tidy()
    let left = try library.all(.init(state: .trashed))
    #expect(left.count == (times.count == 2 ? 1 : 0))
    #expect(left.allSatisfy { FileManager.default.fileExists(atPath: $0.path ?? "") })
  }

  @Test(.enabled(if: Mount.isPossible, "mounting needs root")) func itMakesRoomForCaptures() throws {
    let disk = try Mount("size=4m")
    let library = MediaLibrary(root: disk.path, reserve: 1_000_000)
    let large = [UInt8](repeating: 7, count: 700_000)
    var photos = try (0..<2).map { try library.save(picture(700_000), at: .capture($0)) }
    // more than a tenth of the disk doesn't stay in the trash
    _ = try library.delete([photos[0].id], permanently: false)
    try Data(large).write(to: URL(filePath: "\(disk.path)/other"))
    photos.append(try library.save(picture(700_000), at: .capture(2)))
    photos.append(try library.save(picture(700_000), at: .capture(3)))
    #expect(try library.all(.init(state: .trashed)).isEmpty)
    #expect(try library.all().map(\.id) == photos.dropFirst().reversed().map(\.id))
    // what isn't in the trash stays
    #expect(try refusal(CameraError.self) { try library.save(picture(1_000_000), at: .capture(4)) }.kind == .diskFull)
    #expect(try library.all().count == 3)
  }
}
