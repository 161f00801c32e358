import CameraProtocol
import Foundation
import MediaLibrary
import TestSupport

extension MediaLibrary {
  /// Saves bytes as a photo.
  @discardableResult
  func save(_ bytes: [UInt8], at time: Timestamp = .capture, camera: String = "cam0") throws -> Asset {
    try bytes.withUnsafeBytes { buffer in
      try savePhoto([buffer], PhotoDescription(time: time, camera: camera, width: 4, height: 2))
    }
  }
}

extension Timestamp {
  /// 2026-11-30, 16:51:15.123 in Kathmandu.
  static let capture = Timestamp(seconds: 1_796_036_775, nanoseconds: 123_456_789, offset: 20_700)
}

/// Something that begins and ends as a JPEG does.
func picture(_ size: Int, filler: UInt8 = 7) -> [UInt8] {
  [0xFF, 0xD8] + [UInt8](repeating: filler, count: max(0, size - 4)) + [0xFF, 0xD9]
}

/// Every file and folder below a folder, hidden ones too, without the index and the trash.
func tree(_ root: String) -> [String] {
  (FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? [])
    .filter { !$0.split(separator: "/").contains(".camd") }.sorted()
}

/// Tries until it works, for at most ten seconds: the index is closed a moment after its last use.
func eventually(_ body: () throws -> Void) throws {
  let deadline = ContinuousClock.now + .seconds(10)
  while true {
    do {
      return try body()
    } catch {
      if .now > deadline { throw error }
      usleep(20_000)
    }
  }
}

/// A file system of its own, for as long as this lives.
final class Mount: Sendable {
  static let isPossible = geteuid() == 0 && (try? Mount("size=1m")) != nil

  let path: String
  private let folder: TemporaryFolder

  init(_ options: String) throws {
    folder = try TemporaryFolder()
    path = folder.file("disk")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    try Self.run(["mount", "-t", "tmpfs", "-o", options, "none", path])
  }

  deinit { _ = try? Tool.run(["umount", "-l", path]) }

  func unmount() throws { try Self.run(["umount", path]) }

  func remount(_ options: String) throws { try Self.run(["mount", "-o", "remount,\(options)", path]) }

  func mountAgain(_ options: String) throws { try Self.run(["mount", "-t", "tmpfs", "-o", options, "none", path]) }

  private static func run(_ arguments: [String]) throws {
    let result = try Tool.run(arguments)
    guard result.status == 0 else { throw MakerError(description: result.errors) }
  }
}
