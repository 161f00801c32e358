import CameraProtocol

/// The folder of what was deleted: `ROOT/.camd/trash/MILLISECONDS/PATH`. One rename moves a file there, and says with it
/// when that was and where it came from.
enum Trash {
  /// From the root on.
  static let path = "\(AssetIndex.folderName)/trash"
  /// Seconds that something stays in it.
  static let longest = 30 * 86_400.0
  /// What it may hold, as a share of the disk.
  static let largestShare = 0.1

  /// What a path in the trash says.
  struct Place: Sendable, Equatable {
    /// When it went there.
    var time: Timestamp
    /// The path that it had, from the root on.
    var path: String

    /// Reads a path from the root on; nil for one that isn't in the trash.
    init?(_ path: String) {
      guard path.hasPrefix("\(Trash.path)/") else { return nil }
      let parts = path.dropFirst(Trash.path.count + 1).split(separator: "/", maxSplits: 1)
      guard parts.count == 2, CaptureName.isNumber(parts[0]), let milliseconds = Int(parts[0]),
        milliseconds < 9_000_000_000_000
      else { return nil }
      time = Timestamp(seconds: milliseconds / 1000, nanoseconds: milliseconds % 1000 * 1_000_000)
      self.path = String(parts[1])
    }
  }

  /// Where a file goes that is deleted at a moment, in milliseconds since 1970.
  static func path(of original: String, milliseconds: Int) -> String { "\(path)/\(milliseconds)/\(original)" }
}
