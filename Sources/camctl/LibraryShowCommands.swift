import CameraClient
import CameraProtocol
import Glibc

/// Commands that act on one asset.
enum OneAsset {
  static let usage = "[ID]"
  static let details = "Without ID, the newest of the album."

  /// The asset of that id, or the newest.
  static func find(_ id: String?, _ client: CameraClient) throws -> Asset {
    if let id { return try client.call(GetAsset.self, .init(id: id), timeout: Context.longTimeout).value.asset }
    let newest = try client.call(ListAssets.self, .init(limit: 1), timeout: Context.longTimeout).value.assets.first
    guard let newest else { throw CameraError(.noSuchAsset, "the album is empty") }
    return newest
  }

  /// The path, as long as there is one.
  static func path(_ id: String?, _ client: CameraClient) throws -> String {
    let asset = try find(id, client)
    guard let path = asset.path else { throw LocalError("'\(asset.id)' has no path") }
    return path
  }
}

/// `camctl library show`
struct LibraryShowCommand: Command {
  static let words = ["library", "show"]
  static let usage = OneAsset.usage
  static let summary = "show what is known of an asset"
  static let details = OneAsset.details
  static let maxArguments = 1

  private let id: String?

  init(_ words: CommandLineWords) throws(UsageError) { id = words.arguments.first }

  func run(_ context: Context) throws {
    let asset = try OneAsset.find(id, try context.connect())
    if context.json { return try Output.json(["asset": asset]) }
    try Output.line(asset.id)
    for line in Text.table(asset.rows) { try Output.line(line) }
  }
}

/// `camctl library path`
struct LibraryPathCommand: Command {
  static let words = ["library", "path"]
  static let usage = OneAsset.usage
  static let summary = "print the path of an asset's file"
  static let details = OneAsset.details
  static let maxArguments = 1

  private let id: String?

  init(_ words: CommandLineWords) throws(UsageError) { id = words.arguments.first }

  func run(_ context: Context) throws {
    let path = try OneAsset.path(id, try context.connect())
    if context.json { return try Output.json(["path": path]) }
    try Output.line(path)
  }
}

/// `camctl library open`
struct LibraryOpenCommand: Command {
  static let words = ["library", "open"]
  static let usage = OneAsset.usage
  static let summary = "open an asset in the desktop's own program"
  static let details = "\(OneAsset.details) Needs xdg-open, and to be able to read the\nfile."
  static let maxArguments = 1

  private let id: String?

  init(_ words: CommandLineWords) throws(UsageError) { id = words.arguments.first }

  func run(_ context: Context) throws {
    let path = try OneAsset.path(id, try context.connect())
    guard access(path, R_OK) == 0 else {
      throw LocalError("cannot read \(path): \(String(cString: strerror(errno)))")
    }
    var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("xdg-open"), strdup(path), nil]
    execvp("xdg-open", &arguments)
    throw LocalError("cannot start xdg-open (\(String(cString: strerror(errno)))); the file is \(path)")
  }
}

extension Asset {
  fileprivate var rows: [[String]] {
    var rows = [["Kind", AssetText.kind(kind) + (format.map { ", \($0.rawValue)" } ?? "")]]
    if let path { rows.append(["Path", path]) }
    rows.append(["Time", time.description])
    if let width, let height { rows.append(["Size", "\(width)x\(height), \(Text.bytes(bytes))"]) }
    if width == nil { rows.append(["Size", Text.bytes(bytes)]) }
    if let duration { rows.append(["Duration", Text.duration(duration)]) }
    if let camera { rows.append(["Camera", AssetText.clipped(camera, 60)]) }
    if let rotation { rows.append(["Rotation", "\(rotation) degrees"]) }
    if let location {
      let altitude = location.altitude.map { ", \(Text.short($0)) m" } ?? ""
      rows.append(["Position", "\(location.latitude), \(location.longitude)\(altitude)"])
    }
    rows.append(["Origin", origin.rawValue + (parent.map { " from \($0)" } ?? "")])
    rows.append(["Favourite", favorite ? "yes" : "no"])
    if recovered == true { rows.append(["Recovered", "yes, after an unclean end of the daemon"]) }
    return rows
  }
}
