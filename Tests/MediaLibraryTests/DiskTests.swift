import CameraProtocol
import Foundation
import TestSupport
import Testing

@testable import MediaLibrary

@Suite struct DiskTests {
  let parent: TemporaryFolder
  let root: String

  init() throws {
    parent = try TemporaryFolder()
    root = parent.file("album")
  }

  @Test func anAlbumThatVanishedIsNotMadeAnew() throws {
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: false)
    let library = MediaLibrary(root: root)
    try library.save(picture(10))
    try FileManager.default.removeItem(atPath: root)
    for error in [
      try refusal(CameraError.self) { try library.save(picture(10)) },
      try refusal(CameraError.self) { _ = try library.beginMovie(time: .now, camera: "c") },
      try refusal(CameraError.self) { try library.checkSpace(for: 0) },
      try refusal(CameraError.self) { _ = try library.recover() },
    ] {
      #expect(error.kind == .libraryUnavailable && error.detail.path == root)
      #expect(error.detail.message.contains(root) && error.detail.message.contains("disk"))
    }
    #expect(!library.status.writable && library.status.message != nil)
    #expect(tree(parent.path).isEmpty)
  }

  @Test(.enabled(if: Mount.isPossible, "mounting needs root")) func nothingIsWrittenUnderABareMountPoint() throws {
    let disk = try Mount("size=8m")
    let library = MediaLibrary(root: disk.path, reserve: 0)
    try library.save(picture(10))
    // Nothing of the library's own keeps the disk from being unmounted, a moment later.
    try eventually { try disk.unmount() }
    let error = try refusal(CameraError.self) { try library.save(picture(10)) }
    #expect(error.kind == .libraryUnavailable && error.detail.path == disk.path)
    #expect(
      try refusal(CameraError.self) { _ = try library.beginMovie(time: .now, camera: "c") }.kind == .libraryUnavailable)
    #expect(tree(disk.path).isEmpty)
    // Another disk without an album is not taken for it, though it may get the first one's device number; one that is an
    // album is.
    try disk.mountAgain("size=9m")
    #expect(try refusal(CameraError.self) { try library.save(picture(10)) }.kind == .libraryUnavailable)
    try Data().write(to: URL(filePath: "\(disk.path)/.camd-album"))
    #expect(try library.save(picture(10)).id == "20261130-165115.123.jpg")
  }

  @Test func aDiskThatBelongsThereIsWaitedFor() throws {
    let point = parent.file("usb stick")
    try FileManager.default.createDirectory(atPath: point, withIntermediateDirectories: false)
    let configured = parent.file("fstab")
    let current = parent.file("mounts")
    let line = "/dev/sda1 \(point.replacingOccurrences(of: " ", with: "\\040")) ext4 defaults 0 2\n"
    try ("# comment\n" + line).write(toFile: configured, atomically: false, encoding: .utf8)
    try "".write(toFile: current, atomically: false, encoding: .utf8)
    let album = "\(point)/album"
    let library = MediaLibrary(
      root: album, reserve: 0, software: nil, mounts: MountTable(configured: configured, current: current))
    let error = try refusal(CameraError.self) { try library.save(picture(10)) }
    #expect(error.kind == .libraryUnavailable && error.detail.message.contains(point))
    #expect(tree(point).isEmpty)
    try line.write(toFile: current, atomically: false, encoding: .utf8)
    try library.save(picture(10))
  }

  @Test(.enabled(if: Mount.isPossible, "mounting needs root")) func aFullDiskLeavesNothingBehind() throws {
    let disk = try Mount("size=1m")
    let library = MediaLibrary(root: disk.path, reserve: 0)
    let asset = try library.save(picture(300_000))
    let before = tree(disk.path)
    // The room is there when it is asked for and gone when it is written to: a hole takes none until then.
    let error = try refusal(CameraError.self) { try library.save(picture(900_000)) }
    #expect(error.kind == .diskFull && error.detail.message.contains(disk.path))
    let unchecked = MediaLibrary(root: disk.path, reserve: -10_000_000)
    let late = try refusal(CameraError.self) { try unchecked.save(picture(900_000)) }
    #expect(late.kind == .diskFull && late.detail.message.contains("full"))
    #expect(tree(disk.path) == before)
    #expect(try library.save(picture(100_000)).id != asset.id)
  }

  @Test(.enabled(if: Mount.isPossible, "mounting needs root")) func aReadOnlyDiskIsNamed() throws {
    let disk = try Mount("size=8m")
    let library = MediaLibrary(root: disk.path, reserve: 0)
    try library.save(picture(10))
    try eventually { try disk.remount("ro") }
    for error in [
      try refusal(CameraError.self) { try library.save(picture(10)) },
      try refusal(CameraError.self) { try library.checkSpace(for: 0) },
      try refusal(CameraError.self) { _ = try library.beginMovie(time: .now, camera: "c") },
    ] {
      #expect(error.kind == .libraryUnavailable)
      #expect(error.detail.message.contains(disk.path) && error.detail.message.contains("ead-only"))
    }
    #expect(!library.status.writable)
    try disk.remount("rw")
    #expect(library.status.writable)
    try library.save(picture(10))
  }

  @Test func aFileInPlaceOfTheFolderIsNamed() throws {
    try Data("x".utf8).write(to: URL(filePath: root))
    let library = MediaLibrary(root: root)
    let error = try refusal(CameraError.self) { try library.save(picture(10)) }
    #expect(error.kind == .libraryUnavailable && error.detail.path == root)
    #expect(!library.status.writable)
    #expect(try Data(contentsOf: URL(filePath: root)) == Data("x".utf8))
  }

  @Test func aLinkInPlaceOfADatedFolderIsRefused() throws {
    let outside = try TemporaryFolder()
    let library = MediaLibrary(root: root)
    try library.save(picture(10), at: Timestamp(seconds: 5))
    try FileManager.default.createSymbolicLink(atPath: "\(root)/2026", withDestinationPath: outside.path)
    #expect(try refusal(CameraError.self) { try library.save(picture(10)) }.kind == .libraryUnavailable)
    #expect(
      try refusal(CameraError.self) { _ = try library.beginMovie(time: .capture, camera: "c") }.kind
        == .libraryUnavailable)
    #expect(try library.recover() == Recovery())
    #expect(tree(outside.path).isEmpty)
  }

  @Test(arguments: ["../../etc/hostname", "/etc/hostname", "", "..", "20261130-165115.123.jpg", "a\0b"])
  func onlyCapturesAreOpened(id: String) throws {
    let library = MediaLibrary(root: root)
    try library.save(picture(10), at: Timestamp(seconds: 5))
    // Where a capture's name is a link, it leads nowhere.
    let folder = "\(root)/2026/2026-11-30"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let link = "\(folder)/20261130-165115.123.jpg"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/etc/hostname")
    let asset = Asset(
      id: id, kind: .image, path: "/etc/hostname", width: 1, height: 1, bytes: 1, time: .now, camera: nil)
    #expect(throws: CameraError.self) { try library.open(asset) }
  }

  @Test func theReserveStaysFree() throws {
    let free = try #require(MediaLibrary(root: root).freeBytes)
    #expect(free > 0)
    let library = MediaLibrary(root: root, reserve: free * 2)
    for error in [
      try refusal(CameraError.self) { try library.checkSpace(for: 0) },
      try refusal(CameraError.self) { try library.save(picture(10)) },
      try refusal(CameraError.self) { _ = try library.beginMovie(time: .now, camera: "c") },
    ] {
      #expect(error.kind == .diskFull && error.detail.path == root)
    }
    #expect(!library.status.writable)
    try MediaLibrary(root: root, reserve: 0).checkSpace(for: free / 2)
    #expect(
      try refusal(CameraError.self) { try MediaLibrary(root: root, reserve: 0).checkSpace(for: free * 2) }.kind
        == .diskFull)
  }
}
