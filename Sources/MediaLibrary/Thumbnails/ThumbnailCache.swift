import CameraProtocol
import GStreamer
import PhotoFile
import Synchronization
import Glibc

/// Where thumbnails are kept.
public struct ThumbnailFolders: Sendable, Equatable {
  /// A folder by the thumbnail standard of freedesktop.org, which file managers of the same user look into.
  public var standard: String
  /// Stills that were taken when recordings began.
  public var first: String
  /// Bytes that either of them may have of this program's files.
  public var limit: Int

  /// Folders, absolute.
  public init(standard: String, first: String, limit: Int = 256 << 20) {
    self.standard = standard
    self.first = first
    self.limit = limit
  }
}

/// Thumbnails by the standard of freedesktop.org: PNG files, named by a checksum of the original's URI, that say of which
/// URI and of which time of change they are. Calls block for file access.
final class ThumbnailCache: Sendable {
  /// Which picture of the original it is.
  enum Shelf: Sendable, Equatable {
    /// The default one, of a standard size.
    case standard(Size)
    /// The one that a recording began with.
    case first
    /// What can't be shown, and why.
    case failed

    /// The folder's name in the standard one; nil for what the standard doesn't know.
    var folder: String? {
      switch self {
      case .standard(let size): size.rawValue
      case .first: nil
      case .failed: "fail/camd"
      }
    }
  }

  /// The sizes of the standard.
  enum Size: String, Sendable, CaseIterable {
    case normal
    case large
    case xLarge = "x-large"
    case xxLarge = "xx-large"

    /// Pixels of the longer edge at most.
    var edge: Int {
      switch self {
      case .normal: 128
      case .large: 256
      case .xLarge: 512
      case .xxLarge: 1024
      }
    }

    /// The smallest from which a picture of that edge can be made.
    init?(edge: Int) {
      guard let size = Self.allCases.first(where: { $0.edge >= edge }) else { return nil }
      self = size
    }
  }

  /// A file, as it was when a thumbnail was made of it.
  struct Original: Sendable, Equatable {
    /// Absolute.
    var path: String
    /// Seconds since 1970 of its last change.
    var modified: Int
    var size: Int
  }

  /// A thumbnail's file.
  struct Entry: Sendable, Equatable {
    var file: [UInt8]
    var width: Int
    var height: Int
    /// Seconds from the movie's start.
    var position: Double?
    /// Why the original can't be shown.
    var reason: String?
  }

  /// Why something can't be kept.
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  /// The PNG file of one black pixel: what stands for a picture that can't be made.
  static let nothing: [UInt8] = [
    0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0x00, 0x00, 0x0D, 0x49, 0x48, 0x44, 0x52,
    0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00, 0x00, 0x00, 0x00, 0x3A, 0x7E, 0x9B,
    0x55, 0x00, 0x00, 0x00, 0x0A, 0x49, 0x44, 0x41, 0x54, 0x78, 0xDA, 0x63, 0x60, 0x00, 0x00, 0x00,
    0x02, 0x00, 0x01, 0xE5, 0x27, 0xDE, 0xFC, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4E, 0x44, 0xAE,
    0x42, 0x60, 0x82,
  ]

  private static let software = "camd"
  private static let positionKey = "X-camd::Position"
  /// Looks for what is too much are made once for so many new files.
  private static let lookInterval = 64

  private let folders: ThumbnailFolders
  private let made = Atomic(0)
  private let number = Atomic(0)

  init(_ folders: ThumbnailFolders) { self.folders = folders }

  /// What is kept of an original as it is now; nil for nothing, and for what another program made, whose rules aren't ours.
  func entry(_ shelf: Shelf, of original: Original) -> Entry? {
    guard let file = Self.read(path(shelf, of: original.path)), let (texts, width, height) = PNGText.read(file),
      texts["Software"] == Self.software, texts["Thumb::URI"] == Self.uri(original.path),
      texts["Thumb::MTIME"] == "\(original.modified)", texts["Thumb::Size"] == "\(original.size)"
    else { return nil }
    return Entry(
      file: file, width: width, height: height, position: texts[Self.positionKey].flatMap(Double.init),
      reason: texts["Comment"])
  }

  /// Keeps a PNG file; returns it as it is kept. Throws the system's reason where it can't be kept.
  func keep(
    _ png: [UInt8], _ shelf: Shelf, of original: Original, position: Double? = nil, reason: String? = nil
  ) throws -> [UInt8] {
    var texts = [
      ("Thumb::URI", Self.uri(original.path)), ("Thumb::MTIME", "\(original.modified)"),
      ("Thumb::Size", "\(original.size)"), ("Software", Self.software),
    ]
    if let position { texts.append((Self.positionKey, "\(position)")) }
    if let reason { texts.append(("Comment", reason)) }
    let file = try PNGText.insert(texts, into: png)
    let path = path(shelf, of: original.path)
    try write(file, to: path)
    if made.add(1, ordering: .relaxed).newValue % Self.lookInterval == 1 { removeOldest(around: path) }
    return file
  }

  /// Forgets an original that is gone.
  func remove(_ path: String) {
    let shelves = Size.allCases.map { Shelf.standard($0) } + [.first, .failed]
    for shelf in shelves { unlink(self.path(shelf, of: path)) }
  }

  /// The URI of a file, escaped as GLib does it.
  static func uri(_ path: String) -> String {
    let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!$&'()*+,-./:=@_~".utf8)
    let digits = Array("0123456789ABCDEF")
    return path.utf8.reduce(into: "file://") { uri, byte in
      if plain.contains(byte) {
        uri.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        uri += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
      }
    }
  }

  private func path(_ shelf: Shelf, of original: String) -> String {
    let folder = shelf.folder.map { "\(folders.standard)/\($0)" } ?? folders.first
    return "\(folder)/\(Checksum.md5(Self.uri(original))).png"
  }

  // MARK: Files

  private static func read(_ path: String) -> [UInt8]? {
    let file = Descriptor(owning: open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC))
    guard file.rawValue >= 0, let status = file.status, status.isRegularFile, status.st_size < 64 << 20 else {
      return nil
    }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    let count = pread(file.rawValue, &bytes, bytes.count, 0)
    return count == bytes.count ? bytes : nil
  }

  /// Under a temporary name first, so that nobody sees a half file.
  private func write(_ bytes: [UInt8], to path: String) throws(Failure) {
    let parts = path.split(separator: "/")
    var folder = ""
    for part in parts.dropLast() {
      folder += "/\(part)"
      guard mkdir(folder, 0o700) == 0 || errno == EEXIST || errno == EROFS else { throw Self.failure(folder) }
    }
    let temporary = "\(folder)/.camd-\(getpid())-\(number.add(1, ordering: .relaxed).newValue)"
    let file = Descriptor(owning: open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600))
    guard file.rawValue >= 0 else { throw Self.failure(path) }
    let isWritten = bytes.withUnsafeBytes { MediaLibrary.write([$0], to: file.rawValue) }
    guard isWritten, rename(temporary, path) == 0 else {
      let failure = Self.failure(path)
      unlink(temporary)
      throw failure
    }
  }

  private static func failure(_ path: String) -> Failure {
    Failure(description: "'\(path)' can't be written: \(String(cString: strerror(errno)))")
  }

  // MARK: Limit

  /// Removes the oldest of this program's files where they are more than the limit.
  private func removeOldest(around path: String) {
    let folder = path.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }
    guard let stream = opendir(folder) else { return }
    defer { closedir(stream) }
    var files: [(name: String, bytes: Int, changed: Int)] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      var status = stat()
      guard name.hasSuffix(".png"), fstatat(dirfd(stream), name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
      files.append((name, Int(status.st_size), status.st_mtim.tv_sec))
    }
    guard files.reduce(0, { $0 + $1.bytes }) > folders.limit else { return }
    // the folder may be shared with other programs, whose files neither count nor go
    files = files.filter { file in
      Self.read("\(folder)/\(file.name)").flatMap { PNGText.read($0) }?.texts["Software"] == Self.software
    }
    var total = files.reduce(0) { $0 + $1.bytes }
    guard total > folders.limit else { return }
    for file in files.sorted(by: { $0.changed < $1.changed }) where total > folders.limit * 3 / 4 {
      unlink("\(folder)/\(file.name)")
      total -= file.bytes
    }
  }
}
