import CameraProtocol
import Foundation
import TestSupport
import Testing

@testable import MediaLibrary

/// Files that have no picture, or none that can be read.
@Suite(.serialized) struct ThumbnailRefusalTests {
  struct Broken: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var ending = "mp4"
    var kind = AssetKind.movie
    var make: @Sendable (String) throws -> Void
  }

  static let broken: [Broken] = [
    Broken(testDescription: "0 bytes") { try Data().write(to: URL(filePath: $0)) },
    Broken(testDescription: "a text") { try Data(repeating: 65, count: 5000).write(to: URL(filePath: $0)) },
    Broken(testDescription: "an MP4 without its tables") { path in
      try ffmpeg(counter(60) + ThumbnailTimeTests.x264 + [path])
      let bytes = try Data(contentsOf: URL(filePath: path))
      try bytes.prefix(bytes.count / 2).write(to: URL(filePath: path))
    },
    Broken(testDescription: "a begun fragmented MP4") { path in
      try ffmpeg(counter(60) + ThumbnailTimeTests.x264 + ["-movflags", "frag_keyframe+empty_moov", path])
      try Data(contentsOf: URL(filePath: path)).prefix(1000).write(to: URL(filePath: path))
    },
    Broken(testDescription: "rubbish in place of the pictures") { path in
      try ffmpeg(counter(60) + ThumbnailTimeTests.x264 + ["-movflags", "faststart", path])
      var bytes = try Data(contentsOf: URL(filePath: path))
      let start = try #require(bytes.firstRange(of: Data("mdat".utf8))).upperBound
      for index in start..<bytes.count { bytes[index] = 0xA5 }
      try bytes.write(to: URL(filePath: path))
    },
    Broken(testDescription: "zeros", ending: "mkv") { try Data(count: 100_000).write(to: URL(filePath: $0)) },
    Broken(testDescription: "a JPEG cut off in its header", ending: "jpg", kind: .image) { path in
      try ffmpeg(["-f", "lavfi", "-i", "testsrc=s=320x240", "-frames:v", "1", path])
      try Data(contentsOf: URL(filePath: path)).prefix(200).write(to: URL(filePath: path))
    },
    Broken(testDescription: "a PNG of nothing", ending: "png", kind: .image) { path in
      try Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]).write(to: URL(filePath: path))
    },
    Broken(testDescription: "a movie that holds sound alone") { path in
      try ffmpeg(["-f", "lavfi", "-i", "sine=d=1", "-c:a", "aac", path])
    },
    Broken(testDescription: "sound in Matroska", ending: "mkv") { path in
      try ffmpeg(["-f", "lavfi", "-i", "sine=d=1", "-c:a", "libopus", path])
    },
  ]

  @Test(arguments: broken) func anErrorWithinTwoSecondsAndTheNextOneWorks(_ broken: Broken) async throws {
    let gallery = try Gallery()
    let good = try gallery.make("mp4", counter(60) + ThumbnailTimeTests.x264, number: 2)
    // what a machine takes that has other work as well
    let usual = try await ContinuousClock().measure { _ = try await gallery.picture(good, ThumbnailRequest(.at(0.1))) }
    try broken.make(gallery.path(broken.ending))
    let id = try gallery.add(gallery.path(broken.ending), broken.kind)
    let start = ContinuousClock.now
    let error = try await refusal(CameraError.self) {
      _ = try await gallery.thumbnails.thumbnail(of: id, ThumbnailRequest())
    }
    #expect(ContinuousClock.now - start < max(.seconds(2), usual * 5))
    #expect([.notCompatible, .timedOut].contains(error.kind), "\(error)")
    #expect(error.detail.message.contains(id), "\(error)")
    #expect(try await gallery.picture(good, ThumbnailRequest(.at(1.02), edge: 320)).number() == 30)
  }

  @Test func sound() async throws {
    let gallery = try Gallery()
    let id = try gallery.make("m4a", ["-f", "lavfi", "-i", "sine=d=1", "-c:a", "aac"], kind: .audio)
    let error = try await refusal(CameraError.self) { _ = try await gallery.thumbnails.thumbnail(of: id, .init()) }
    #expect(error.kind == .notCompatible)
    #expect(error.detail.message.contains("sound alone"))
  }

  @Test func photosHaveNoMoments() async throws {
    let gallery = try Gallery()
    let id = try gallery.make("png", ThumbnailShapeTests.quarters("64x64") + ["-frames:v", "1"], kind: .image)
    for moment in [ThumbnailRequest.Moment.at(0), .keyframe(near: nil)] {
      let error = try await refusal(CameraError.self) {
        _ = try await gallery.thumbnails.thumbnail(of: id, ThumbnailRequest(moment))
      }
      #expect(error.kind == .notCompatible)
    }
    let error = try await refusal(CameraError.self) {
      _ = try await gallery.thumbnails.sheet(of: id, ThumbnailSheetRequest(count: 4))
    }
    #expect(error.kind == .notCompatible)
  }

  @Test(arguments: ["../../etc/hostname", "/etc/hostname", "", "a\0b", "20261130-165115.101.mp4/..", "link.mp4"])
  func whatLeadsOutside(_ id: String) async throws {
    let gallery = try Gallery()
    try FileManager.default.createSymbolicLink(
      atPath: "\(gallery.library.root)/link.mp4", withDestinationPath: "/etc/hostname")
    let error = try await refusal(CameraError.self) { _ = try await gallery.thumbnails.thumbnail(of: id, .init()) }
    #expect(error.kind == .noSuchAsset)
  }

  @Test func nothingThere() async throws {
    let error = try await refusal(CameraError.self) {
      _ = try await Gallery().thumbnails.thumbnail(of: nil, ThumbnailRequest())
    }
    #expect(error.kind == .noSuchAsset)
  }

  @Test func manyAtOnce() async throws {
    let gallery = try Gallery()
    let id = try gallery.make("mp4", counter(60) + ThumbnailTimeTests.x264)
    let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<20 {
        group.addTask {
          let request = ThumbnailRequest(.at((Double(number) + 0.5) / 30), edge: 320)
          return try await gallery.picture(id, request).number() - number
        }
      }
      for try await difference in group { #expect(difference == 0) }
    }
    let now = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    #expect(now <= descriptors + 8, "\(descriptors) descriptors before, \(now) after")
  }
}
