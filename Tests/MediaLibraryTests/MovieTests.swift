import CameraProtocol
import Foundation
import MediaLibrary
import MovieFile
import TestSupport
import Testing

@Suite struct MovieTests {
  let parent: TemporaryFolder
  let root: String
  let library: MediaLibrary

  init() throws {
    parent = try TemporaryFolder()
    root = parent.file("album")
    library = MediaLibrary(root: root, software: "camd 0.1.0")
  }

  private var files: [String] { tree(root).filter { $0.contains(".mp4") || $0.hasSuffix(".partial") } }

  @Test func aRecordingBecomesAMovie() throws {
    let draft = try library.beginMovie(time: .capture, camera: "usb-1.2/x")
    #expect(draft.path.hasPrefix("\(root)/2026/2026-11-30/.") && draft.bytes == 0)
    try MovieMaker().record(to: draft.path)
    try draft.sync()
    #expect(draft.bytes > 10_000)
    draft.update(MovieMetadata(rotation: .right, audioPriming: 1024, audioOffset: 0.25))
    let movie = try draft.publish()
    #expect(movie.frames == 90 && movie.hasAudio)
    let asset = movie.asset
    #expect(asset.id == "20261130-165115.123.mp4" && asset.path == "\(root)/2026/2026-11-30/20261130-165115.123.mp4")
    #expect(asset.kind == .movie && asset.width == 120 && asset.height == 160 && asset.camera == "usb-1.2/x")
    #expect(asset.time == .capture && asset.recovered == nil && abs((asset.duration ?? 0) - 3.25) < 0.05)
    let path = try #require(asset.path)
    #expect(try asset.bytes == Data(contentsOf: URL(filePath: path)).count)
    #expect(try MovieJudge(path).complaints() == "")
    #expect(try MovieJudge(path).topLevel().map(\.name) == ["ftyp", "mdat", "moov"])
    let metadata = try MovieFile.read(path: path).metadata
    #expect(metadata.camera == "usb-1.2/x" && metadata.software == "camd 0.1.0" && metadata.rotation == .right)
    #expect(metadata.creationTime == Timestamp.capture.seconds)
    #expect(metadata.localDate == "2026-11-30T16:51:15.123+05:45")
    #expect(files == ["2026/2026-11-30/20261130-165115.123.mp4"])
  }

  @Test func severalAtOnceAndACorrectedClock() throws {
    let drafts = try (0..<3).map { _ in try library.beginMovie(time: .capture, camera: "cam0") }
    #expect(Set(drafts.map(\.path)).count == 3)
    var maker = MovieMaker()
    maker.sound = .none
    for draft in drafts { try maker.record(to: draft.path) }
    let later = Timestamp(seconds: Timestamp.capture.seconds + 86_400, offset: 0)
    let assets = [
      try drafts[0].publish().asset, try drafts[1].publish().asset, try drafts[2].publish(time: later).asset,
    ]
    #expect(assets.map(\.id) == ["20261130-165115.123.mp4", "20261130-165115.123_002.mp4", "20261201-110615.000.mp4"])
    #expect(assets[2].time == later && assets[2].path == "\(root)/2026/2026-12-01/20261201-110615.000.mp4")
    #expect(try MovieFile.read(path: try #require(assets[2].path)).metadata.creationTime == later.seconds)
  }

  @Test func whatIsDiscardedIsGone() throws {
    let draft = try library.beginMovie(time: .capture, camera: "cam0")
    try Data(count: 100).write(to: URL(filePath: draft.path))
    try draft.discard()
    #expect(files.isEmpty)
  }

  @Test func anEmptyRecordingIsAnErrorAndLeavesNothing() throws {
    let draft = try library.beginMovie(time: .capture, camera: "cam0")
    let error = try refusal(CameraError.self) { _ = try draft.publish() }
    #expect(error.kind == .captureFailed)
    #expect(files.isEmpty)
  }

  @Test func whatCannotBeFinishedStays() throws {
    let draft = try library.beginMovie(time: .capture, camera: "cam0")
    let handle = try FileHandle(forWritingTo: URL(filePath: draft.path))
    try handle.write(contentsOf: Data("this is no movie".utf8))
    let error = try refusal(CameraError.self) { _ = try draft.publish() }
    #expect(error.kind == .captureFailed && error.detail.path == draft.path)
    #expect(try Data(contentsOf: URL(filePath: draft.path)) == Data("this is no movie".utf8))
    try FileManager.default.removeItem(atPath: draft.path)
    let removed = try refusal(CameraError.self) { _ = try draft.publish() }
    #expect(removed.detail.path == draft.path && removed.detail.message.contains("no longer there"))
  }

  @Test(arguments: MovieMaker.Sound.allCases) func aRecordingCutByAKillIsRecoveredOnce(sound: MovieMaker.Sound) throws {
    var maker = MovieMaker()
    maker.sound = sound
    var finished: [Asset] = []
    for second in 0..<3 {
      let draft = try library.beginMovie(time: Timestamp(seconds: second, offset: 0), camera: "cam0")
      try maker.record(to: draft.path)
      finished.append(try draft.publish().asset)
    }
    let before = try finished.map { try Data(contentsOf: URL(filePath: try #require($0.path))) }
    var draft: MovieDraft? = try library.beginMovie(
      time: .capture, camera: "cam 7.é", metadata: MovieMetadata(rotation: .half))
    let path = try #require(draft?.path)
    try maker.recordKilled(after: 2.6, to: path)
    draft = nil  // as the kernel does for a process that was killed: the lock goes, the file stays

    let next = MediaLibrary(root: root)
    let recovery = try next.recover()
    #expect(recovery.removed.isEmpty && recovery.kept.isEmpty && recovery.assets.count == 1)
    let asset = try #require(recovery.assets.first)
    #expect(asset.recovered == true && asset.camera == "cam 7.é" && asset.id == "20261130-165115.123.mp4")
    #expect(asset.time.seconds == Timestamp.capture.seconds && asset.time.offset == 20_700)
    let movie = try #require(asset.path)
    #expect(try MovieJudge(movie).complaints() == "")
    let shown = try MovieJudge(movie).entries("format=duration").first.flatMap { Double($0) }
    #expect(abs(try #require(shown) - (asset.duration ?? 0)) < 0.01 && (asset.duration ?? 0) > 0.9)
    #expect(try MovieFile.read(path: movie).metadata.rotation == .half)
    #expect(try finished.map { try Data(contentsOf: URL(filePath: try #require($0.path))) } == before)
    let after = tree(root)
    #expect(!after.contains { $0.hasSuffix(".partial") })
    #expect(try MediaLibrary(root: root).recover() == Recovery())
    #expect(tree(root) == after)
  }

  @Test func recoveryLeavesAloneWhatIsBeingWritten() throws {
    let draft = try library.beginMovie(time: .capture, camera: "cam0")
    try MovieMaker().record(to: draft.path)
    let bytes = try Data(contentsOf: URL(filePath: draft.path))
    #expect(try MediaLibrary(root: root).recover() == Recovery())
    #expect(try Data(contentsOf: URL(filePath: draft.path)) == bytes)
    #expect(try draft.publish().frames == 90)
  }

  @Test func recoveryKeepsWhatItCannotFinishAndSaysSo() throws {
    let folder = "\(root)/2026/2026-11-30"
    let others = ["20261130-120000.000.jpg", ".hidden", ".vimrc.partial", "notes.partial"]
    do {
      let damaged = try library.beginMovie(time: .capture, camera: "cam0")
      let handle = try FileHandle(forWritingTo: URL(filePath: damaged.path))
      try handle.write(contentsOf: Data("this is no movie".utf8))
      // Begun, and killed before the first fragment.
      _ = try library.beginMovie(time: Timestamp(seconds: Timestamp.capture.seconds + 1, offset: 20_700), camera: "c")
    }
    for name in others { try Data("foreign".utf8).write(to: URL(filePath: "\(folder)/\(name)")) }
    try Data(picture(50).prefix(20)).write(to: URL(filePath: "\(folder)/.20261130-120000.000.77-3.jpg.partial"))
    let recovery = try library.recover()
    #expect(recovery.assets.isEmpty && recovery.removed.count == 2)
    #expect(recovery.kept.map(\.path) == ["\(folder)/20261130-165115.123.mp4.damaged"])
    #expect(recovery.kept.first?.reason.contains("MP4") == true)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        == (others + ["20261130-165115.123.mp4.damaged"]).sorted())
    #expect(try library.recover() == Recovery())
  }
}
