import CameraProtocol
import Glibc

/// Which content of which file it is: what stays the same as long as nobody writes to it.
struct FileStamp: Sendable, Equatable {
  var inode: Int
  var size: Int
  /// Nanoseconds since 1970.
  var modified: Int

  init(inode: Int, size: Int, modified: Int) {
    self.inode = inode
    self.size = size
    self.modified = modified
  }

  init(_ status: stat) {
    inode = Int(truncatingIfNeeded: UInt64(status.st_ino))
    size = Int(status.st_size)
    modified = status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec
  }
}

/// A row of the index: an asset and its file.
struct AssetRecord: Sendable, Equatable {
  /// The asset; its path is absolute.
  var asset: Asset
  /// The path from the album's root on.
  var path: String
  var stamp: FileStamp
  var state: AssetState

  /// Its place in the list.
  var position: AssetPosition { AssetPosition(time: asset.time.sinceEpoch, id: asset.id) }
}

/// A place in the order of the list.
struct AssetPosition: Sendable, Equatable {
  /// Nanoseconds since 1970, whole milliseconds.
  var time: Int
  var id: String
}

extension Timestamp {
  /// Nanoseconds since 1970, whole milliseconds: files hold no more. Times that don't fit are the nearest that do.
  var sinceEpoch: Int {
    let seconds = min(max(seconds, -9_000_000_000), 9_000_000_000)
    return seconds * 1_000_000_000 + nanoseconds / 1_000_000 * 1_000_000
  }

  init(sinceEpoch nanoseconds: Int, offset: Int) {
    let rest = nanoseconds % 1_000_000_000
    let fraction = rest < 0 ? rest + 1_000_000_000 : rest
    self.init(seconds: (nanoseconds - fraction) / 1_000_000_000, nanoseconds: fraction, offset: offset)
  }
}

extension AssetRecord {
  static let columns = """
    id, kind, path, size, width, height, duration, time, offset, camera, format, rotation, latitude, longitude, \
    altitude, parent, origin, favorite, recovered, inode, modified, state, damage, trashed
    """

  /// Reads a row of `columns`. `root`: the album's.
  init(_ row: Database.Row, root: String) {
    let offset = row.integer(8)
    let path = row.text(2)
    state = AssetState.allCases[min(max(row.integer(21), 0), 2)]
    stamp = FileStamp(inode: row.integer(19), size: row.integer(3), modified: row.integer(20))
    self.path = path
    var location: Coordinates?
    if let latitude = row.realOrNil(12), let longitude = row.realOrNil(13) {
      location = Coordinates(latitude: latitude, longitude: longitude, altitude: row.realOrNil(14))
    }
    asset = Asset(
      id: row.text(0), kind: AssetKind(row.integer(1)), path: "\(root)/\(path)", width: row.integerOrNil(4),
      height: row.integerOrNil(5), bytes: row.integer(3), time: Timestamp(sinceEpoch: row.integer(7), offset: offset),
      camera: row.textOrNil(9), duration: row.realOrNil(6), recovered: row.integer(18) != 0 ? true : nil,
      format: row.textOrNil(10).flatMap(PhotoFormat.init(rawValue:)), rotation: row.integerOrNil(11),
      location: location, parent: row.textOrNil(15),
      origin: row.textOrNil(16).flatMap(AssetOrigin.init(rawValue:)) ?? .captured, favorite: row.integer(17) != 0,
      trashed: row.integerOrNil(23).map { Timestamp(sinceEpoch: $0, offset: 0) }, damage: row.textOrNil(22))
  }

  /// The values of `columns`.
  var values: [Database.Value] {
    [
      .text(asset.id), .integer(asset.kind.number), .text(path), .integer(stamp.size), .init(asset.width),
      .init(asset.height), .init(asset.duration), .integer(asset.time.sinceEpoch), .integer(asset.time.offset),
      .init(asset.camera), .init(asset.format?.rawValue), .init(asset.rotation), .init(asset.location?.latitude),
      .init(asset.location?.longitude), .init(asset.location?.altitude), .init(asset.parent),
      .text(asset.origin.rawValue), .init(asset.favorite), .init(asset.recovered ?? false), .integer(stamp.inode),
      .integer(stamp.modified), .integer(state.number), .init(asset.damage), .init(asset.trashed?.sinceEpoch),
    ]
  }
}

extension AssetKind {
  /// What stands in the index.
  var number: Int { Self.allCases.firstIndex(of: self) ?? 0 }

  init(_ number: Int) { self = Self.allCases.indices.contains(number) ? Self.allCases[number] : .image }
}

extension AssetState {
  /// What stands in the index.
  var number: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
