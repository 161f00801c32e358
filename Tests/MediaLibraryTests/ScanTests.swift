import CameraProtocol
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import MediaLibrary

/// What people do in the album's folders.
@Suite struct ScanTests {
  let parent: TemporaryFolder
  let root: String
  let library: MediaLibrary
  let changes = Changes()

  init() throws {
    parent = try TemporaryFolder()
    root = parent.file("album")
    library = MediaLibrary(root: root, reserve: 0)
    try library.photo()
  }

  private func write(_ bytes: [UInt8], _ path: String) throws {
    let full = "\(root)/\(path)"
    try FileManager.default.createDirectory(atPath: full.parentPath, withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(filePath: full))
  }

  private func move(_ old: String, _ new: String) throws {
    try FileManager.default.moveItem(atPath: "\(root)/\(old)", toPath: "\(root)/\(new)")
  }

  private func begin() throws {
    struct StillReading: Error {}
    library.start { [changes] in changes.take($0) }
    try eventually { if library.isScanning { throw StillReading() } }
  }

  @Test func filesOfOthersSayWhatTheyAre() throws {
    try write(Samples.jpeg, "holiday/IMG_1234.JPG")
    try write(Samples.png, "shot.png")
    try write(Samples.webP, "a/b/c/d.webp")
    let clip = "\(root)/clip.mov"
    let made = try Tool.run(
      [
        "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=64x48:duration=2:rate=10", "-metadata",
        "creation_time=2019-05-04T03:02:01Z", "-metadata", "com.apple.quicktime.make=Example", "-metadata",
        "location=+27.7000+085.3000/", clip,
      ])
    #expect(made.status == 0, "\(made.errors)")
    let tagged = try Tool.run(
      [
        "exiftool", "-q", "-overwrite_original", "-DateTimeOriginal=2018:07:06 05:04:03", "-OffsetTimeOriginal=-03:30",
        "-SubSecTimeOriginal=25", "-GPSLatitude=27.7172", "-GPSLatitudeRef=N", "-GPSLongitude=85.324",
        "-GPSLongitudeRef=E", "-GPSAltitude=1337", "-GPSAltitudeRef=above", "-Make=Example", "-Model=Example X100",
        "-Orientation#=8", "\(root)/holiday/IMG_1234.JPG",
      ])
    #expect(tagged.status == 0, "\(tagged.errors)")
    for (name, bytes) in [("notes.txt", "hello"), (".hidden.jpg", "x"), (".secret/x.jpg", "x"), ("x.xmp", "<x/>")] {
      try write(Array(bytes.utf8), name)
    }
    let progress = try library.rescan()
    #expect(progress.added == 4 && progress.files == 5 && progress.damaged == 0)
    let photo = try library.asset("holiday/IMG_1234.JPG")
    #expect(photo.time.description == "2018-07-06T05:04:03.250-03:30" && photo.origin == .imported)
    #expect(photo.camera == "Example X100" && photo.rotation == 270 && photo.width == 64 && photo.height == 48)
    let place = try #require(photo.location)
    #expect(abs(place.latitude - 27.7172) < 1e-5 && abs(place.longitude - 85.324) < 1e-5 && place.altitude == 1337)
    #expect(photo.format == .jpeg && photo.path == "\(root)/holiday/IMG_1234.JPG")
    let movie = try library.asset("clip.mov")
    #expect(movie.kind == .movie && movie.time.seconds == 1_556_938_921 && movie.width == 64)
    #expect(abs((movie.duration ?? 0) - 2) < 0.01)
    #expect(try library.asset("shot.png").format == .png && library.asset("a/b/c/d.webp").format == .webp)
    #expect(try library.newest(.image)?.id != photo.id)
    let descriptor = try library.open(photo)
    #expect(FileHandle(fileDescriptor: descriptor.rawValue).readDataToEndOfFile().starts(with: [0xFF, 0xD8]))
  }

  /// Whoever sees a change first, a scan or the kernel's news: a file stays what it is, and is told of once.
  @Test func scansAndNewsAgree() throws {
    try begin()
    let isOver = Mutex(false)
    let scans = DispatchGroup()
    let library = library
    DispatchQueue(label: "scans").async(group: scans) {
      while !isOver.withLock({ $0 }) { _ = try? library.rescan() }
    }
    defer {
      isOver.withLock { $0 = true }
      scans.wait()
    }
    for round in 0..<60 {
      try write(Samples.jpeg, "holiday/cat.jpg")
      try #require(changes.any()?.asset("added") == "holiday/cat.jpg", "\(round)")
      try move("holiday/cat.jpg", "dog.jpg")
      try #require(changes.any()?.asset("changed") == "holiday/cat.jpg", "\(round)")
      try move("dog.jpg", "holiday/cow.jpg")
      try #require(changes.any()?.asset("changed") == "holiday/cat.jpg", "\(round)")
      try FileManager.default.removeItem(atPath: "\(root)/holiday/cow.jpg")
      try #require(changes.any()?.asset("removed") == "holiday/cat.jpg", "\(round)")
    }
  }

  @Test func whatCannotBeReadIsNamed() throws {
    library.reporter.observe { [changes] in changes.take($0) }
    let cut = Array(Samples.jpeg.prefix(60))
    let broken: [(String, [UInt8])] = [
      ("text.mp4", Array("no movie".utf8)), ("nothing.mp4", []), ("nothing.jpg", []), ("cut.jpg", cut),
      ("cut.png", Array(Samples.png.prefix(200))), ("cut.webp", Array(Samples.webP.prefix(100))),
      ("png.mkv", Samples.png),
    ]
    for (name, bytes) in broken { try write(bytes, "broken/\(name)") }
    #expect(try library.rescan().damaged == broken.count)
    let listed = try library.all(.init(state: .damaged))
    #expect(Set(listed.map(\.id)) == Set(broken.map { "broken/\($0.0)" }))
    #expect(listed.allSatisfy { $0.damage?.isEmpty == false })
    #expect(try library.all().count == 1)
    let told = changes.all.count
    #expect(changes.all.count { if case .warning = $0 { true } else { false } } == broken.count)
    #expect(try refusal(CameraError.self) { _ = try library.asset("broken/cut.jpg") }.kind == .notCompatible)
    #expect(try library.rescan().changed == 0 && changes.all.count == told)
    // once it is repaired it is an asset; the others can be removed
    try write(Samples.jpeg, "broken/cut.jpg")
    #expect(try library.rescan().changed == 1)
    #expect(try library.asset("broken/cut.jpg").width == 64)
    try write(Samples.png, "locked.png")
    #expect(chmod("\(root)/locked.png", 0) == 0)
    if geteuid() != 0 {
      #expect(try library.rescan().damaged == 1)
      #expect(chmod("\(root)/locked.png", 0o644) == 0)
    }
    _ = try library.rescan()
    #expect(try library.asset("locked.png").width == 64)
    _ = try library.delete(["broken/text.mp4"], permanently: true)
    #expect(!FileManager.default.fileExists(atPath: "\(root)/broken/text.mp4"))
  }

  @Test func whatIsBeingWrittenIsNotShown() throws {
    try write(Samples.jpeg, "slow.jpg")
    try write(Array(Samples.png.prefix(100)), "slow.png")
    var handle: FileHandle? = try FileHandle(forWritingTo: URL(filePath: "\(root)/slow.png"))
    #expect(try library.rescan().added == 1)
    #expect(try Set(library.all().map(\.id)) == ["slow.jpg", "20261130-165115.123.jpg"])
    #expect(try library.all(.init(state: .damaged)).isEmpty)
    try handle?.seekToEnd()
    try handle?.write(contentsOf: Data(Samples.png.dropFirst(100)))
    try handle?.close()
    handle = nil
    #expect(try library.rescan().added == 1)
    #expect(try library.asset("slow.png").width == 64)
  }

  @Test func whatMovesStaysWhatItIs() throws {
    let photo = try #require(try library.newest(.image))
    let edited = try library.photo(at: .capture(1), parent: photo.id)
    _ = try library.setFavorite([photo.id], true)
    try write(Samples.png, "in/shot.png")
    _ = try library.rescan()
    _ = try library.setFavorite(["in/shot.png"], true)
    try FileManager.default.createDirectory(atPath: "\(root)/best", withIntermediateDirectories: true)
    try move("2026/2026-11-30/\(photo.id)", "best/cat.jpg")
    try move("2026/2026-11-30/\(edited.id)", "best/\(edited.id)")
    try move("in", "out")
    let progress = try library.rescan()
    #expect(progress.changed == 3 && progress.added == 0 && progress.removed == 0)
    let told = try library.told()
    #expect(try library.asset(photo.id).path == "\(root)/best/cat.jpg" && library.asset(photo.id).favorite)
    #expect(try library.asset(edited.id).parent == photo.id && library.asset("in/shot.png").favorite)
    // also without the index; and a new photo of the same name is another one
    library.stop()
    try FileManager.default.removeItem(atPath: "\(root)/.camd")
    let next = MediaLibrary(root: root, reserve: 0)
    _ = try next.rescan()
    #expect(try next.told() == told)
    let same = try next.photo(camera: "another")
    #expect(same.path == "\(root)/2026/2026-11-30/\(photo.id)")
    _ = try next.rescan()
    #expect(try next.all().count == 4 && next.asset(photo.id).camera == "cam0")
    let twin = try #require(try next.all().first { $0.camera == "another" })
    #expect(twin.id == "20261130-165115.123.jpg~2" && twin.path == same.path)
  }

  @Test func changesAreNoticedByThemselves() throws {
    try begin()
    #expect(try library.all().count == 1)
    try write(Samples.jpeg, "new.jpg")
    #expect(changes.added()?.id == "new.jpg")
    try write(Samples.png, "deep/er/still.png")
    #expect(changes.added()?.id == "deep/er/still.png")
    try write(Samples.webP, "deep/er/more.webp")
    #expect(changes.added()?.id == "deep/er/more.webp")
    try move("new.jpg", "deep/old.jpg")
    #expect(changes.changed()?.path == "\(root)/deep/old.jpg")
    try move("deep", "flat")
    let moved = Set((0..<3).compactMap { _ in changes.changed()?.path })
    #expect(moved == ["\(root)/flat/old.jpg", "\(root)/flat/er/still.png", "\(root)/flat/er/more.webp"])
    #expect(Set(try library.all().map(\.id)).isSuperset(of: ["new.jpg", "deep/er/still.png", "deep/er/more.webp"]))
    try write(Samples.jpeg + [0], "flat/old.jpg")
    #expect(changes.changed()?.bytes == Samples.jpeg.count + 1)
    try FileManager.default.removeItem(atPath: "\(root)/flat/old.jpg")
    #expect(changes.removed()?.id == "new.jpg")
    try FileManager.default.moveItem(atPath: "\(root)/flat", toPath: parent.file("taken away"))
    #expect(Set((0..<2).compactMap { _ in changes.removed()?.id }) == ["deep/er/still.png", "deep/er/more.webp"])
    try write(Array("x".utf8), "bad.mp4")
    #expect(changes.warning()?.contains("bad.mp4") == true)
    #expect(try library.all().count == 1)
    // its own photos are no news, and so is what goes into the trash and back
    let photo = try library.photo(at: .capture(9))
    _ = try library.delete([photo.id], permanently: false)
    #expect(changes.removed()?.id == photo.id)
    _ = try library.restore([photo.id])
    #expect(changes.added()?.id == photo.id)
    try write(Samples.jpeg, "last.jpg")
    #expect(changes.added()?.id == "last.jpg")
    #expect(changes.all.isEmpty)
    library.stop()
  }

  @Test func thousandsAreToldAsAWhole() throws {
    try begin()
    try FileManager.default.createDirectory(atPath: "\(root)/.making/in", withIntermediateDirectories: true)
    for number in 0..<300 { try write(Samples.jpeg, ".making/in/\(number).jpg") }
    try move(".making/in", "in")
    #expect(changes.next { if case .rescanned(let whole) = $0 { whole.added == 300 } else { false } } != nil)
    #expect(try library.list(.init()).total == 301)
    try FileManager.default.removeItem(atPath: "\(root)/in")
    var removed = 0
    while removed < 300 {
      let change = changes.next {
        switch $0 {
        case .rescanned, .removed: true
        default: false
        }
      }
      switch change {
      case .rescanned(let whole): removed += whole.removed
      case .removed: removed += 1
      default:
        Issue.record("only \(removed) are told of")
        return
      }
    }
    #expect(try library.list(.init()).total == 1)
    library.stop()
  }

  @Test(.enabled(if: Mount.isPossible, "mounting needs root")) func aDiskThatComesBackIsReadAgain() throws {
    let disk = try Mount("size=8m")
    let library = MediaLibrary(root: disk.path, reserve: 0)
    try library.photo()
    let changes = Changes()
    library.start { changes.take($0) }
    struct NotYet: Error {}
    try eventually { if library.isScanning { throw NotYet() } }
    try Data(Samples.jpeg).write(to: URL(filePath: "\(disk.path)/a.jpg"))
    #expect(changes.added()?.id == "a.jpg")
    // what watches the folders doesn't keep the disk
    try eventually { try disk.unmount() }
    #expect(try refusal(CameraError.self) { _ = try library.list(.init()) }.kind == .libraryUnavailable)
    try disk.mountAgain("size=9m")
    try Data().write(to: URL(filePath: "\(disk.path)/.camd-album"))
    try Data(Samples.png).write(to: URL(filePath: "\(disk.path)/b.png"))
    try eventually { if try library.all().map(\.id) != ["b.png"] { throw NotYet() } }
    try eventually { if library.isScanning { throw NotYet() } }
    try Data(Samples.webP).write(to: URL(filePath: "\(disk.path)/c.webp"))
    #expect(changes.next { if case .added(let asset) = $0 { asset.id == "c.webp" } else { false } } != nil)
    library.stop()
  }

  @Test func aMovieThatIsWrittenSlowlyComesWhole() throws {
    try begin()
    let path = "\(root)/slow.png"
    // opened as it is made: one that is closed while it is empty is a damaged file
    let handle = FileHandle(fileDescriptor: open(path, O_WRONLY | O_CREAT | O_EXCL, 0o644))
    for byte in stride(from: 0, to: Samples.png.count, by: 500) {
      try handle.write(contentsOf: Data(Samples.png[byte..<min(byte + 500, Samples.png.count)]))
      _ = try library.rescan()
      #expect(try library.all().count == 1 && library.all(.init(state: .damaged)).isEmpty)
    }
    try handle.close()
    #expect(changes.added()?.width == 64)
    library.stop()
  }

  /// Months later: 20,000 files, many removed behind its back.
  @Test func manyFilesAreListedAtOnce() throws {
    let memory = try TemporaryFolder(inMemory: true)
    let root = memory.file("album")
    let library = MediaLibrary(root: root, reserve: 0)
    let first = try library.photo()
    let bytes = try Data(contentsOf: URL(filePath: try #require(first.path)))
    for number in 1..<20_000 {
      let name = CaptureName(time: .capture(number * 100), format: "jpg")
      let folder = "\(root)/\(name.folders.joined(separator: "/"))"
      if number % 100 == 1 {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      }
      if !FileManager.default.createFile(atPath: "\(folder)/\(name.name)", contents: bytes) {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        #expect(FileManager.default.createFile(atPath: "\(folder)/\(name.name)", contents: bytes))
      }
    }
    var reports: [RescanProgress] = []
    let progress = try library.rescan { reports.append($0) }
    #expect(progress.total == 20_000 && progress.added == 19_999 && progress.damaged == 0)
    #expect(reports.count > 50 && reports.map(\.files) == reports.map(\.files).sorted())
    library.stop()
    let begin = ContinuousClock.now
    let page = try library.list(.init())
    #expect(begin.duration(to: .now) < .seconds(1) && page.total == 20_000 && page.assets.count == 50)
    let listed = try library.all(.init(limit: 1000))
    let gone = listed.indices.filter { $0 % 200 == 7 }.map { listed[$0] }
    for asset in gone { try FileManager.default.removeItem(atPath: try #require(asset.path)) }
    for number in 0..<10 { try bytes.write(to: URL(filePath: "\(root)/new\(number).jpg")) }
    #expect(FileManager.default.createFile(atPath: "\(root)/unfinished.mp4", contents: Data(count: 100)))
    let writer = try FileHandle(forWritingTo: URL(filePath: "\(root)/unfinished.mp4"))
    let again = try library.rescan()
    #expect(again.removed == gone.count && gone.count == 100 && again.added == 10 && again.changed == 0)
    try writer.close()
    let ids = Set(try library.all(.init(limit: 1000)).map(\.id))
    #expect(ids.count == 19_910 && ids.isDisjoint(with: gone.map(\.id)) && !ids.contains("unfinished.mp4"))
  }
}
