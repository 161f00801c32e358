import CameraProtocol
import Foundation
import MediaLibrary
import PhotoFile
import TestSupport

/// Small pictures that readers of pictures take.
enum Samples {
  static let jpeg = make("jpg", [])
  static let png = make("png", [])
  static let webP = make("webp", ["-c:v", "libwebp"])

  private static func make(_ ending: String, _ options: [String]) -> [UInt8] {
    guard let folder = try? TemporaryFolder(),
      let made = try? Tool.run(
        ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=64x48", "-frames:v", "1"] + options + [
          folder.file("a.\(ending)")
        ]), made.status == 0, let data = try? Data(contentsOf: URL(filePath: folder.file("a.\(ending)")))
    else { return [] }
    return [UInt8](data)
  }
}

extension MediaLibrary {
  /// Saves a photo as the daemon does, with its metadata in the file.
  @discardableResult
  func photo(
    at time: Timestamp = .capture, camera: String = "cam0", format: PhotoFormat = .jpeg,
    orientation: Orientation = .upright, place: Coordinates? = nil, parent: String? = nil
  ) throws -> Asset {
    let picture = format == .jpeg ? Samples.jpeg : format == .png ? Samples.png : Samples.webP
    let location = place.map {
      GeoLocation(
        latitude: $0.latitude, longitude: $0.longitude, altitude: $0.altitude, time: time, source: .manual)
    }
    let block = try ExifBlock()
    try block.fill(
      PhotoMetadata(
        time: time, width: 64, height: 48, orientation: orientation, place: location.map { .location($0) } ?? .withheld),
      format: format, isUnchanged: false)
    let exif = try block.bytes()
    return try picture.withUnsafeBytes { bytes in
      let pieces = try PhotoPieces(bytes, format: format, exif: exif)
      return try pieces.withBuffers(of: bytes) { buffers in
        Result {
          try savePhoto(
            buffers,
            PhotoDescription(
              time: time, camera: camera, width: 64, height: 48, format: format, rotation: orientation.degrees,
              location: place, parent: parent))
        }
      }.get()
    }
  }

  /// What is in the album, all pages.
  func all(_ wanted: ListAssets.Parameters = .init()) throws -> [Asset] {
    var wanted = wanted
    var assets: [Asset] = []
    repeat {
      let page = try list(wanted)
      assets += page.assets
      wanted.after = page.next
    } while wanted.after != nil
    return assets
  }

  /// The same as clients see it: times in milliseconds.
  func told(_ wanted: ListAssets.Parameters = .init()) throws -> [String] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try all(wanted).map { String(decoding: try encoder.encode($0), as: UTF8.self) }
  }
}

extension Timestamp {
  /// So many seconds after `capture`.
  static func capture(_ seconds: Int, milliseconds: Int = 0) -> Timestamp {
    Timestamp(seconds: capture.seconds + seconds, nanoseconds: milliseconds * 1_000_000, offset: 20_700)
  }
}
