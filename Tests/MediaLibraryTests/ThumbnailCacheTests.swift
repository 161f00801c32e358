import CameraProtocol
import Foundation
import TestSupport
import Testing

@testable import MediaLibrary

/// What is kept, by the thumbnail standard of freedesktop.org.
@Suite(.serialized) struct ThumbnailCacheTests {
  static let quarters = ThumbnailShapeTests.quarters("640x360") + ThumbnailTimeTests.x264

  /// The checksum that a program which has nothing to do with camd names a file by.
  private func name(_ path: String) throws -> String {
    let uri =
      "import hashlib, urllib.parse, sys; "
      + "print(hashlib.md5(('file://' + urllib.parse.quote(sys.argv[1], safe=\"/!$&'()*+,:=@\")).encode()).hexdigest())"
    let result = try Tool.run(["python3", "-c", uri, path])
    return result.output.trimmingCharacters(in: .whitespacesAndNewlines) + ".png"
  }

  @Test(arguments: [
    (100, "normal", 128), (128, "normal", 128), (256, "large", 256), (300, "x-large", 512), (1024, "xx-large", 640),
  ])
  func theStandardsSizes(_ edge: Int, _ folder: String, _ longest: Int) async throws {
    let gallery = try Gallery()
    let id = try gallery.make("mp4", Self.quarters)
    let path = gallery.path("mp4")
    let picture = try await gallery.picture(id, ThumbnailRequest(edge: edge))
    #expect(try picture.size().max() == min(edge, 640))
    let kept = "\(gallery.folders.standard)/\(folder)/\(try name(path))"
    let attributes = try FileManager.default.attributesOfItem(atPath: kept)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    let parent = try FileManager.default.attributesOfItem(atPath: "\(gallery.folders.standard)/\(folder)")
    #expect(parent[.posixPermissions] as? Int == 0o700)
    #expect(try MovieJudge(kept).size().max() == longest)
    let tags = try PhotoJudge(kept).tags()
    #expect(tags["ThumbURI"] == ThumbnailCache.uri(path), "\(tags)")
    var status = stat()
    stat(path, &status)
    #expect(tags["ThumbMTIME"] == "\(status.st_mtim.tv_sec)", "\(tags)")
    #expect(try PhotoJudge(kept).complaints() == "")
    #expect(tree(gallery.folders.standard).filter { $0.hasSuffix(".png") }.count == 1)
  }

  @Test func whatIsKeptIsTakenUntilTheFileChanges() async throws {
    let gallery = try Gallery()
    let id = try gallery.make("mp4", Self.quarters)
    let first = try await gallery.picture(id)
    let kept = "\(gallery.folders.standard)/large/\(try name(gallery.path("mp4")))"
    let made = try FileManager.default.attributesOfItem(atPath: kept)[.modificationDate] as? Date
    let second = try await gallery.picture(id)
    #expect(second.thumbnail.bytes == first.thumbnail.bytes)
    #expect(second.thumbnail.positions == first.thumbnail.positions)
    #expect(try FileManager.default.attributesOfItem(atPath: kept)[.modificationDate] as? Date == made)
    // another movie in its place, of another second
    try ffmpeg(["-f", "lavfi", "-i", "testsrc=s=320x320:r=10:d=1"] + ThumbnailTimeTests.x264 + [gallery.path("mp4")])
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_700_000_000)], ofItemAtPath: gallery.path("mp4"))
    #expect(try await gallery.picture(id).size() == [256, 256])
    #expect(try MovieJudge(kept).size() == [256, 256])
  }

  @Test func whatCannotBeShownIsNotTriedAgainUntilItChanges() async throws {
    let gallery = try Gallery()
    let path = gallery.path("mp4")
    try Data("this is no movie\n".utf8).write(to: URL(filePath: path))
    let id = try gallery.add(path)
    for _ in 0..<2 {
      let error = try await refusal(CameraError.self) { _ = try await gallery.thumbnails.thumbnail(of: id, .init()) }
      #expect(error.kind == .notCompatible)
    }
    #expect(tree(gallery.folders.standard).contains("fail/camd/\(try name(path))"))
    try ffmpeg(Self.quarters + [path])
    try gallery.add(path)
    #expect(try await gallery.picture(id).size() == [256, 144])
  }

  @Test func anotherProgramsPictureIsNotTaken() async throws {
    let gallery = try Gallery()
    let id = try gallery.make("mp4", Self.quarters)
    let kept = "\(gallery.folders.standard)/large/\(try name(gallery.path("mp4")))"
    try FileManager.default.createDirectory(
      atPath: "\(gallery.folders.standard)/large", withIntermediateDirectories: true)
    try ffmpeg(["-f", "lavfi", "-i", "color=black:s=256x144", "-frames:v", "1", kept])
    #expect(try ThumbnailShapeTests.order(try await gallery.picture(id)) == [0, 1, 2, 3])
  }

  @Test func onlyTheDefaultPictureIsKept() async throws {
    let gallery = try Gallery()
    let id = try gallery.make("mp4", Self.quarters)
    for moment in [ThumbnailRequest.Moment.at(0.5), .first, .keyframe(near: 0.2)] {
      _ = try await gallery.picture(id, ThumbnailRequest(moment))
    }
    _ = try await gallery.picture(id, ThumbnailRequest(edge: 1200))
    #expect(tree(gallery.folders.standard) == [])
  }

  @Test func itGoesWithItsAsset() async throws {
    let gallery = try Gallery()
    let id = try gallery.make("mp4", Self.quarters)
    _ = try await gallery.picture(id)
    _ = try await gallery.picture(id, ThumbnailRequest(edge: 128))
    gallery.thumbnails.remove(try gallery.library.asset(id))
    #expect(tree(gallery.folders.standard).filter { $0.hasSuffix(".png") } == [])
  }

  @Test func theOldestGoWhereItIsTooMuch() async throws {
    let gallery = try Gallery(limit: 1)
    _ = try await gallery.picture(try gallery.make("mp4", Self.quarters))
    let foreign = "\(gallery.folders.standard)/large/foreign.png"
    try ffmpeg(["-f", "lavfi", "-i", "color=red:s=256x144", "-frames:v", "1", foreign])
    #expect(tree(gallery.folders.standard).filter { $0.hasSuffix(".png") } == ["large/foreign.png"])
  }

  /// What others keep there is no reason to keep less.
  @Test func othersDoNotCount() async throws {
    let gallery = try Gallery(limit: 100_000)
    let folder = "\(gallery.folders.standard)/large"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let noise = ["-f", "lavfi", "-i", "nullsrc=s=512x512,geq=random(1)*255:128:128", "-frames:v", "1"]
    try ffmpeg(noise + ["\(folder)/foreign.png"])
    let size = try FileManager.default.attributesOfItem(atPath: "\(folder)/foreign.png")[.size] as? Int
    #expect((size ?? 0) > 100_000)
    _ = try await gallery.picture(try gallery.make("mp4", Self.quarters))
    #expect(tree(gallery.folders.standard).count { $0.hasPrefix("large/") && $0.hasSuffix(".png") } == 2)
  }

  @Test func aFolderThatCannotBeWrittenCostsNothing() async throws {
    let gallery = try Gallery()
    try Data().write(to: URL(filePath: gallery.folder.file("cache")))
    #expect(try await gallery.picture(try gallery.make("mp4", Self.quarters)).size() == [256, 144])
  }

  @Test func escaping() {
    #expect(
      ThumbnailCache.uri("/a b/ä#%;?[x]~!$&'()*+,:=@_.png")
        == "file:///a%20b/%C3%A4%23%25%3B%3F%5Bx%5D~!$&'()*+,:=@_.png")
  }

  @Test func theDescriptorIsSealed() async throws {
    let gallery = try Gallery()
    let thumbnail = try await gallery.thumbnails.thumbnail(of: try gallery.make("mp4", Self.quarters), .init())
    let descriptor = try thumbnail.descriptor()
    #expect(write(descriptor.rawValue, "x", 1) < 0)
    #expect(ftruncate(descriptor.rawValue, 0) < 0)
    #expect(lseek(descriptor.rawValue, 0, SEEK_END) == thumbnail.bytes.count)
  }
}
