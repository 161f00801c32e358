import CFileSystem
import CameraProtocol

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a file can't say of itself, kept as the extended attribute `user.camd.asset` of the file, so that the index can
/// be made anew from the files. It goes with the file when that is moved.
///
/// A file system without such attributes keeps it in the index alone.
struct AssetAttributes: Codable, Equatable, Sendable {
  private static let name = "user.camd.asset"
  private static let largest = 4096

  /// The id, where it is not the one that the path gives.
  var id: String?
  /// The id of the camera.
  var camera: String?
  /// The moment of capture, where the format has no place for it.
  var time: Timestamp?
  /// The id of the asset that it was made from.
  var parent: String?
  /// Where it comes from; nil for captured.
  var origin: AssetOrigin?
  /// Whether somebody marked it; nil for no.
  var favorite: Bool?
  /// Whether it was finished after an unclean end; nil for no.
  var recovered: Bool?
  /// The position, where the format has no place for it.
  var location: Coordinates?

  /// What must be kept of an asset whose file has been written; before it gets its name.
  init(_ asset: Asset) {
    camera = asset.camera
    parent = asset.parent
    origin = asset.origin == .captured ? nil : asset.origin
    favorite = asset.favorite ? true : nil
    recovered = asset.recovered == true ? true : nil
    if !Self.saysTime(asset) {
      time = asset.time
      location = asset.location
    }
  }

  /// Whether the file's format has a place for time and position that camd uses.
  private static func saysTime(_ asset: Asset) -> Bool {
    asset.kind == .image || ["mp4", "m4a", "m4v", "mov"].contains(asset.id.split(separator: ".").last.map(String.init))
  }

  /// Reads the attribute of an open file; nil where there is none, or none that can be understood.
  static func load(from descriptor: Int32) -> AssetAttributes? {
    var bytes = [UInt8](repeating: 0, count: largest)
    let count = fgetxattr(descriptor, name, &bytes, bytes.count)
    guard count > 0 else { return nil }
    return try? JSONDecoder().decode(AssetAttributes.self, from: Data(bytes.prefix(count)))
  }

  /// Writes the attribute. False, with `errno` set, where the file system refuses.
  @discardableResult
  func save(on descriptor: Int32) -> Bool {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(self), data.count <= Self.largest else { return false }
    let bytes = [UInt8](data)
    return fsetxattr(descriptor, Self.name, bytes, bytes.count, 0) == 0
  }
}
