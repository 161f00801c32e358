import CameraProtocol
import Foundation
import MediaLibrary
import TestSupport
import Testing

@Suite struct PhotoTests {
  let parent: TemporaryFolder
  let root: String

  init() throws {
    parent = try TemporaryFolder()
    root = parent.file("album")
  }

  @Test func aPhotoStandsUnderItsDay() throws {
    let library = MediaLibrary(root: root)
    #expect(tree(parent.path).isEmpty)
    let asset = try library.save(picture(1000))
    #expect(
      asset
        == Asset(
          id: "20261130-165115.123.jpg", kind: .image, path: "\(root)/2026/2026-11-30/20261130-165115.123.jpg",
          width: 4,
          height: 2, bytes: 1000, time: .capture, camera: "cam0", format: .jpeg))
    #expect(try Data(contentsOf: URL(filePath: try #require(asset.path))) == Data(picture(1000)))
    #expect(
      tree(root) == [".camd-album", "2026", "2026/2026-11-30", "2026/2026-11-30/20261130-165115.123.jpg"])
    let descriptor = try library.open(asset)
    #expect(FileHandle(fileDescriptor: descriptor.rawValue).readDataToEndOfFile() == Data(picture(1000)))
  }

  @Test func manyInOneMillisecondAndForeignFiles() async throws {
    let library = MediaLibrary(root: root)
    let first = try library.save(picture(100, filler: 200))
    let folder = try #require(first.path.map { URL(filePath: $0).deletingLastPathComponent().path })
    let foreign = [2, 3, 5].map { "\(folder)/20261130-165115.123_00\($0).jpg" } + ["\(folder)/20261130-165115.124.jpg"]
    for path in foreign { try Data("not ours".utf8).write(to: URL(filePath: path)) }
    let assets = try await withThrowingTaskGroup(of: [Asset].self) { group in
      for client in 0..<4 {
        group.addTask {
          try (0..<5).map { try library.save(picture(500, filler: UInt8(client * 5 + $0)), camera: "cam\(client)") }
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(Set(assets.map(\.id)).count == 20)
    let contents = try assets.map { try Data(contentsOf: URL(filePath: try #require($0.path))) }
    #expect(Set(contents).count == 20 && contents.allSatisfy { $0.count == 500 })
    for path in foreign { #expect(try Data(contentsOf: URL(filePath: path)) == Data("not ours".utf8)) }
    #expect(try Data(contentsOf: URL(filePath: try #require(first.path))) == Data(picture(100, filler: 200)))
    #expect(!tree(root).contains { $0.hasSuffix(".partial") })
  }

  @Test func oneAfterTheOtherTheySort() throws {
    let library = MediaLibrary(root: root)
    let names = try (0..<15).map { step in
      try library.save(picture(50), at: Timestamp(seconds: 1000, nanoseconds: step / 5 * 1_000_000)).id
    }
    #expect(names == names.sorted() && Set(names).count == 15)
  }

  @Test func aClockSetBackReplacesNothing() throws {
    let library = MediaLibrary(root: root)
    let before = try library.save(picture(100, filler: 1))
    let earlier = try library.save(picture(100, filler: 2), at: Timestamp(seconds: 5, offset: 0))
    let again = try library.save(picture(100, filler: 3))
    #expect(before.id == "20261130-165115.123.jpg" && again.id == "20261130-165115.123_002.jpg")
    #expect(earlier.path == "\(root)/1970/1970-01-01/19700101-000005.000.jpg")
    for (asset, filler) in [(before, UInt8(1)), (earlier, 2), (again, 3)] {
      #expect(try Data(contentsOf: URL(filePath: try #require(asset.path)))[50] == filler)
    }
  }

  @Test(.timeLimit(.minutes(1))) func whoWatchesTheFolderSeesWholePhotosOnly() async throws {
    let library = MediaLibrary(root: root)
    let first = try library.save(picture(10))
    let folder = try #require(first.path.map { URL(filePath: $0).deletingLastPathComponent().path })
    let count = 300
    let size = 60_000
    let readers = try (0..<4).map { _ in try FolderReader(folder) }
    let results = try await withThrowingTaskGroup(of: [Data].self) { group in
      for reader in readers { group.addTask { try reader.files(count) } }
      for number in 0..<count {
        try library.save(
          picture(size), at: Timestamp(seconds: 1_796_036_775, nanoseconds: number * 1_000_000, offset: 20_700))
      }
      return try await group.reduce(into: [[Data]]()) { $0.append($1) }
    }
    for photos in results {
      #expect(photos.count == count)
      #expect(photos.allSatisfy { $0.count == size && $0.suffix(2) == Data([0xFF, 0xD9]) })
    }
  }

  @Test func aPhotoWithoutAlbumIsSealed() throws {
    let bytes = picture(5000)
    let photo = try bytes.withUnsafeBytes {
      try MediaLibrary.unsavedPhoto([$0], PhotoDescription(time: .capture, camera: "cam0", width: 4, height: 2))
    }
    #expect(photo.asset.path == nil && photo.asset.bytes == 5000 && photo.asset.id == "20261130-165115.123.jpg")
    let descriptor = photo.descriptor.rawValue
    #expect(write(descriptor, [1], 1) == -1 && errno == EPERM)
    #expect(ftruncate(descriptor, 0) == -1 && errno == EPERM)
    #expect(FileHandle(fileDescriptor: descriptor).readDataToEndOfFile() == Data(bytes))
  }

  /// Buffers follow each other in the file, however many there are; empty ones are nothing.
  @Test func savesManyBuffersAsOneFile() throws {
    let library = MediaLibrary(root: root)
    let bytes = picture(100_000) + picture(77, filler: 9)
    let asset = try bytes.withUnsafeBytes { whole in
      var (parts, start) = ([UnsafeRawBufferPointer](), 0)
      for length in 0..<500 where start < whole.count {
        let end = length == 499 ? whole.count : min(whole.count, start + length)
        parts.append(UnsafeRawBufferPointer(rebasing: whole[start..<end]))
        start = end
      }
      return try library.savePhoto(
        parts,
        PhotoDescription(
          time: .capture, camera: "cam0", width: 4, height: 2, format: .webp, rotation: 90, parent: "other.jpg"))
    }
    #expect(asset.id == "20261130-165115.123.webp" && asset.format == .webp)
    #expect(asset.rotation == 90 && asset.parent == "other.jpg" && asset.bytes == bytes.count)
    #expect(try Data(contentsOf: URL(filePath: asset.path ?? "")) == Data(bytes))
  }

  @Test func savingKeepsNoDescriptorOpen() throws {
    let library = MediaLibrary(root: root)
    for number in 0..<50 { try library.save(picture(100), at: Timestamp(seconds: number)) }
    struct StillOpen: Error { var paths: [String] }
    try eventually {
      // Other tests run in this process: only what points into this album counts.
      let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
      }.filter { $0.hasPrefix(parent.path) }
      if !open.isEmpty { throw StillOpen(paths: open) }
    }
  }
}

/// A program that opens every file the moment that its name appears.
final class FolderReader: Sendable {
  private let descriptor: Int32
  private let folder: String

  init(_ folder: String) throws {
    self.folder = folder
    descriptor = inotify_init1(Int32(IN_CLOEXEC))
    guard descriptor >= 0, inotify_add_watch(descriptor, folder, UInt32(IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE)) >= 0
    else { throw MakerError(description: String(cString: strerror(errno))) }
  }

  deinit { close(descriptor) }

  /// The contents of so many files, each as it was when its name was first seen.
  func files(_ count: Int) throws -> [Data] {
    var seen: Set<String> = []
    var files: [Data] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while files.count < count {
      var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard Glibc.poll(&poll, 1, 20_000) == 1 else { throw MakerError(description: "only \(files.count) names came") }
      let length = read(descriptor, &buffer, buffer.count)
      var offset = 0
      while offset + 16 <= length {
        let size = buffer.withUnsafeBytes { Int($0.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self)) }
        let name = String(decoding: buffer[offset + 16..<offset + 16 + size].prefix { $0 != 0 }, as: UTF8.self)
        offset += 16 + size
        guard !name.hasPrefix("."), seen.insert(name).inserted else { continue }
        files.append(try Data(contentsOf: URL(filePath: "\(folder)/\(name)")))
      }
    }
    return files
  }
}
