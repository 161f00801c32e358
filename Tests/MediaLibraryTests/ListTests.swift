import CameraProtocol
import Foundation
import TestSupport
import Testing

@testable import MediaLibrary

@Suite struct ListTests {
  let parent: TemporaryFolder
  let root: String
  let library: MediaLibrary

  init() throws {
    parent = try TemporaryFolder(inMemory: true)
    root = parent.file("album")
    library = MediaLibrary(root: root, reserve: 0)
  }

  private func ids(_ wanted: ListAssets.Parameters) throws -> [String] { try library.all(wanted).map(\.id) }

  @Test func takesWhatIsAskedFor() throws {
    let old = try library.photo(at: .capture(-86_400), camera: "front")
    let edited = try library.photo(at: .capture(1), camera: "front", parent: old.id)
    let rear = try library.photo(at: .capture(2), camera: "rear")
    let draft = try library.beginMovie(time: .capture(3), camera: "rear")
    try MovieMaker().record(to: draft.path)
    let movie = try draft.publish().asset
    _ = try library.setFavorite([rear.id], true)
    #expect(try ids(.init()) == [movie, rear, edited, old].map(\.id))
    #expect(try ids(.init(kinds: [.movie])) == [movie.id])
    #expect(try ids(.init(kinds: [.movie, .image])).count == 4 && ids(.init(kinds: [.audio])).isEmpty)
    #expect(try ids(.init(camera: "front")) == [edited.id, old.id] && ids(.init(camera: "side")).isEmpty)
    #expect(try library.list(.init(camera: "user"), cameras: ["front"]).assets.map(\.id) == [edited.id, old.id])
    // from that moment on, and until before that one
    #expect(try ids(.init(since: .capture(2))) == [movie.id, rear.id])
    #expect(try ids(.init(until: .capture(2))) == [edited.id, old.id])
    #expect(try ids(.init(since: .capture(1), until: .capture(2))) == [edited.id])
    #expect(try ids(.init(favorite: true)) == [rear.id] && ids(.init(favorite: false)).count == 3)
    #expect(try ids(.init(origin: .edited)) == [edited.id] && ids(.init(origin: .imported)).isEmpty)
    #expect(try ids(.init(kinds: [.image], camera: "rear", favorite: true, origin: .captured)) == [rear.id])
    #expect(try library.newest(.image)?.id == rear.id && library.newest(.movie)?.id == movie.id)
    #expect(try library.newest(.audio) == nil)
    #expect(library.availability.mediaTypes == [.image, .movie])
  }

  @Test func takesWhatIsNear() throws {
    let places = [
      "home": Coordinates(latitude: 27.7172, longitude: 85.3240),
      "hill": Coordinates(latitude: 27.7149, longitude: 85.2903),
      "fiji": Coordinates(latitude: -16.5, longitude: 179.99),
      "taveuni": Coordinates(latitude: -16.5, longitude: -179.99),
      "pole": Coordinates(latitude: 89.99, longitude: 10), "other side": Coordinates(latitude: 89.99, longitude: -170),
    ]
    var names: [String: String] = [:]
    for (number, place) in places.enumerated() {
      names[try library.photo(at: .capture(number), place: place.value).id] = place.key
    }
    try library.photo(at: .capture(100))
    func near(_ name: String, _ kilometres: Double) throws -> Set<String> {
      let place = try #require(places[name])
      let circle = Circle(latitude: place.latitude, longitude: place.longitude, kilometres: kilometres)
      return Set(try ids(.init(near: circle)).compactMap { names[$0] })
    }
    // 3.33 km, by another formula: 0.0337 degrees of longitude at 27.7 degrees, and 0.0023 of latitude
    #expect(try near("home", 3.2) == ["home"] && near("home", 3.4) == ["home", "hill"])
    #expect(try near("fiji", 2.2) == ["fiji", "taveuni"] && near("fiji", 2) == ["fiji"])
    #expect(try near("pole", 2.3) == ["pole", "other side"] && near("pole", 2.2) == ["pole"])
    #expect(try near("home", 0.001) == ["home"] && near("home", 30_000) == Set(places.keys))
    for wrong in [Circle(latitude: 91, longitude: 0, kilometres: 1), Circle(latitude: 0, longitude: 0, kilometres: -1)]
    {
      #expect(try refusal(CameraError.self) { _ = try library.list(.init(near: wrong)) }.kind == .valueOutOfRange)
    }
  }

  @Test func pagesHaveEverythingOnce() throws {
    for number in 0..<57 { try library.save(picture(10), at: .capture(number / 5)) }
    let all = try library.list(.init(limit: 1000))
    #expect(all.assets.count == 57 && all.total == 57 && all.next == nil)
    #expect(all.assets.map(\.id) == all.assets.map(\.id).sorted().reversed())
    for limit in [1, 7, 56, 57] {
      #expect(try ids(.init(limit: limit)) == all.assets.map(\.id))
    }
    // what comes in between disturbs no page
    let first = try library.list(.init(limit: 20))
    try library.save(picture(10), at: .capture(1000))
    _ = try library.delete([first.assets[3].id], permanently: false)
    let second = try library.list(.init(limit: 1000, after: first.next))
    #expect(second.assets.map(\.id) == all.assets.dropFirst(20).map(\.id))
    #expect(second.total == 57 && second.next == nil)
    for wrong in [ListAssets.Parameters(limit: 0), .init(limit: 1001), .init(after: "later"), .init(after: "")] {
      #expect(try refusal(CameraError.self) { _ = try library.list(wrong) }.kind == .valueOutOfRange)
    }
  }

  @Test func nothingIsThereWhereNoAlbumIs() throws {
    #expect(try library.list(.init()) == .init(assets: [], total: 0, next: nil, scanning: false))
    #expect(try library.newest(.image) == nil && library.emptyTrash() == (0, 0))
    #expect(try library.rescan() == RescanProgress())
    #expect(library.availability.reason == .empty)
    #expect(!FileManager.default.fileExists(atPath: root))
  }

  /// What a client names leads nowhere but to assets.
  @Test func idsLeadToAssetsOnly() throws {
    let secret = parent.file("secret.jpg")
    try Data(Samples.jpeg).write(to: URL(filePath: secret))
    try FileManager.default.createDirectory(atPath: parent.file("outside"), withIntermediateDirectories: true)
    try Data(Samples.jpeg).write(to: URL(filePath: parent.file("outside/in.jpg")))
    let photo = try library.photo()
    let later = try library.photo(at: .capture(5))
    let day = "\(root)/2026/2026-11-30"
    try FileManager.default.createSymbolicLink(atPath: "\(root)/link.jpg", withDestinationPath: secret)
    try FileManager.default.createSymbolicLink(atPath: "\(root)/folder", withDestinationPath: parent.file("outside"))
    #expect(mkfifo("\(root)/pipe.jpg", 0o644) == 0)
    _ = try library.rescan()
    #expect(try ids(.init()) == [later.id, photo.id])
    let outside = try [secret, parent.file("outside/in.jpg")].map { try state($0) }
    let names = [
      "../secret.jpg", "../../../secret.jpg", secret, "link.jpg", "folder/in.jpg", "folder", "pipe.jpg", "", ".", "..",
      "/", "2026/2026-11-30", "2026/2026-11-30/\(photo.id)\0", "\(photo.id)\0", "\(photo.id)/",
      ".camd/index.sqlite", ".camd-album", "%", "' OR 1=1 --", String(repeating: "a", count: 100_000),
    ]
    for name in names {
      let errors = [
        try refusal(CameraError.self) { _ = try library.asset(name) },
        try refusal(CameraError.self) { _ = try library.delete([photo.id, name], permanently: true) },
        try refusal(CameraError.self) { _ = try library.delete([name], permanently: false) },
        try refusal(CameraError.self) { _ = try library.restore([name]) },
        try refusal(CameraError.self) { _ = try library.setFavorite([name, photo.id], true) },
        try refusal(CameraError.self) {
          _ = try library.open(
            Asset(
              id: name, kind: .image, path: name.hasPrefix("/") ? name : "\(root)/\(name)", width: nil, height: nil,
              bytes: 0, time: .now, camera: nil))
        },
      ]
      #expect(errors.allSatisfy { $0.kind == .noSuchAsset && $0.detail.message.count < 300 }, "\(name.prefix(60))")
    }
    // a link that takes the place of a file or of its folder
    try FileManager.default.removeItem(atPath: "\(day)/\(later.id)")
    try FileManager.default.createSymbolicLink(atPath: "\(day)/\(later.id)", withDestinationPath: secret)
    #expect(try refusal(CameraError.self) { _ = try library.open(later) }.kind == .noSuchAsset)
    #expect(try refusal(CameraError.self) { _ = try library.setFavorite([later.id], true) }.kind == .noSuchAsset)
    try FileManager.default.moveItem(atPath: day, toPath: parent.file("moved"))
    try FileManager.default.createSymbolicLink(atPath: day, withDestinationPath: parent.file("moved"))
    #expect(try refusal(CameraError.self) { _ = try library.open(photo) }.kind == .noSuchAsset)
    #expect(
      try refusal(CameraError.self) { _ = try library.delete([photo.id], permanently: false) }.kind == .noSuchAsset)
    _ = try library.delete([photo.id], permanently: true)
    #expect(FileManager.default.fileExists(atPath: "\(parent.file("moved"))/\(photo.id)"))
    _ = try library.rescan()
    #expect(try ids(.init()).isEmpty)
    #expect(try [secret, parent.file("outside/in.jpg")].map { try state($0) } == outside)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: parent.path).sorted() == [
        "album", "moved", "outside", "secret.jpg",
      ])
  }

  private func state(_ path: String) throws -> [String] {
    var status = stat()
    #expect(stat(path, &status) == 0)
    return [
      "\(try Data(contentsOf: URL(filePath: path)).hashValue)", "\(status.st_mtim)", "\(status.st_ctim)",
      "\(status.st_nlink)",
    ]
  }
}
