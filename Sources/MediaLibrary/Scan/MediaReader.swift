import CFileSystem
import CameraProtocol
import MovieFile
import PhotoFile
import Glibc

/// Makes assets of files.
enum MediaReader {
  private static let images: Set<String> = ["jpg", "jpeg", "png", "webp"]
  private static let sounds: Set<String> = ["m4a", "mka", "ogg", "oga", "opus"]
  private static let movies: Set<String> = ["mp4", "m4v", "mov", "3gp", "mkv", "webm"]

  /// What a file of that name is; nil for what is no medium, and for hidden files.
  static func kind(ofName name: some StringProtocol) -> AssetKind? {
    guard !name.hasPrefix("."), let point = name.lastIndex(of: ".") else { return nil }
    let ending = name[name.index(after: point)...].lowercased()
    return images.contains(ending) ? .image : movies.contains(ending) ? .movie : sounds.contains(ending) ? .audio : nil
  }

  /// The id that a path from the root on gives: the name of a capture that lies where captures do, else the path.
  static func id(ofPath path: String) -> String {
    let parts = path.split(separator: "/").map(String.init)
    guard let name = parts.last, let capture = CaptureName(name), Array(parts.dropLast()) == capture.folders else {
      return path
    }
    return name
  }

  /// Whether somebody has the file open for writing. `descriptor` is open for reading only. Where the system doesn't
  /// tell, a file that was written within the last two seconds counts unless it is known to be `settled`.
  static func isBeingWritten(_ descriptor: Int32, _ status: stat, settled: Bool) -> Bool {
    // the signal of a lease that is broken: one that nobody minds
    _ = fcntl(descriptor, Int32(CFS_SETSIG), SIGURG)
    if fcntl(descriptor, Int32(CFS_SETLEASE), Int32(F_RDLCK)) == 0 {
      _ = fcntl(descriptor, Int32(CFS_SETLEASE), Int32(F_UNLCK))
      return false
    }
    if errno == EAGAIN, !isOnNetwork(descriptor) { return true }
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return !settled && (0..<2).contains(now.tv_sec - status.st_mtim.tv_sec)
  }

  /// File systems of a network have leases of their own, and refuse them where nobody writes.
  private static func isOnNetwork(_ descriptor: Int32) -> Bool {
    var disk = statfs()
    guard fstatfs(descriptor, &disk) == 0 else { return false }
    // NFS, CIFS and SMB of linux/magic.h
    return [0x6969, 0xFF53_4D42, 0xFE53_4D42].contains(UInt32(truncatingIfNeeded: Int(disk.f_type)))
  }

  /// What is known of a file that may not be read.
  static func unreadable(_ status: stat, path: String, root: String, number: Int32) -> AssetRecord {
    let name = path.lastPart
    return AssetRecord(
      asset: Asset(
        id: id(ofPath: path), kind: kind(ofName: name) ?? .image, path: "\(root)/\(path)", width: nil, height: nil,
        bytes: Int(status.st_size), time: CaptureName(name)?.localTime ?? Timestamp(status.st_mtim), camera: nil,
        origin: .imported, damage: String(cString: strerror(number))),
      path: path, stamp: FileStamp(status), state: .damaged)
  }

  /// Reads an open file. `path`: from the root on; `known`: what the index has of it. What is in the trash is told by
  /// `trashed`.
  static func record(
    _ descriptor: Int32, _ status: stat, path: String, root: String, known: AssetRecord?, trashed: Trash.Place? = nil
  ) -> AssetRecord {
    let visible = trashed?.path ?? path
    let name = visible.split(separator: "/").last.map(String.init) ?? visible
    let attributes = AssetAttributes.load(from: descriptor)
    let derived = id(ofPath: visible)
    let old = known?.asset
    var asset = Asset(
      id: attributes?.id ?? old?.id ?? derived, kind: kind(ofName: name) ?? .image, path: "\(root)/\(path)", width: nil,
      height: nil, bytes: Int(status.st_size), time: Timestamp(status.st_mtim),
      camera: nil)
    let capture = CaptureName(name)
    if let time = capture?.localTime { asset.time = time }
    var device: String?
    do {
      if asset.kind == .image {
        device = asset.fill(try PhotoSummary(descriptor: descriptor))
      } else {
        device = asset.fill(try MovieFile.summary(descriptor: descriptor))
      }
    } catch {
      // what it is, but not how long or how large
      if (error as? MovieFileError)?.kind != .unsupported { asset.damage = "\(error)" }
    }
    asset.time = attributes?.time ?? asset.time
    // as the index and the wire have it
    asset.time.nanoseconds -= asset.time.nanoseconds % 1_000_000
    asset.location = attributes?.location ?? asset.location
    if let attributes {
      asset.origin = attributes.origin ?? .captured
    } else if let old {
      asset.origin = old.origin
    } else {
      asset.origin = asset.camera != nil || derived == capture?.name ? .captured : .imported
    }
    asset.camera = attributes?.camera ?? asset.camera ?? old?.camera ?? (asset.origin == .captured ? nil : device)
    asset.parent = attributes?.parent ?? old?.parent
    asset.favorite = attributes?.favorite ?? old?.favorite ?? false
    asset.recovered = attributes?.recovered ?? old?.recovered
    asset.trashed = trashed?.time
    return AssetRecord(
      asset: asset, path: path, stamp: FileStamp(status),
      state: trashed != nil ? .trashed : asset.damage != nil ? .damaged : .ok)
  }
}

extension Asset {
  /// Takes up what a photo says. Returns the device that took it.
  fileprivate mutating func fill(_ photo: PhotoSummary) -> String? {
    width = photo.width
    height = photo.height
    format = photo.format
    rotation = photo.orientation.degrees == 0 ? nil : photo.orientation.degrees
    location = photo.location
    time = photo.time ?? time
    return Self.device(photo.maker, photo.model)
  }

  /// Takes up what a movie says. Returns the device that took it.
  fileprivate mutating func fill(_ movie: MovieSummary) -> String? {
    kind = movie.hasPicture ? .movie : .audio
    width = movie.width
    height = movie.height
    duration = movie.duration
    let metadata = movie.metadata
    rotation = metadata.rotation == .none ? nil : metadata.rotation.rawValue
    location = metadata.location.map {
      Coordinates(latitude: $0.latitude, longitude: $0.longitude, altitude: $0.altitude)
    }
    camera = metadata.camera
    if let time = metadata.localDate.flatMap(Timestamp.init(loosely:)) {
      self.time = time
    } else if let seconds = metadata.creationTime {
      // a name has milliseconds, and is of the same second
      if abs(time.seconds - seconds) > 1 || time.nanoseconds == 0 {
        time = Timestamp(seconds: seconds, nanoseconds: 0, localAt: ())
      }
    }
    return Self.device(metadata.maker, metadata.model)
  }

  private static func device(_ maker: String?, _ model: String?) -> String? {
    guard let model, !model.isEmpty else { return maker }
    guard let maker, !maker.isEmpty, !model.hasPrefix(maker) else { return model }
    return "\(maker) \(model)"
  }
}

extension Timestamp {
  fileprivate init(_ time: timespec) {
    self.init(seconds: time.tv_sec, nanoseconds: time.tv_nsec, localAt: ())
  }

  /// RFC 3339, or the same with an offset without its colon, as phones write it.
  fileprivate init?(loosely text: String) {
    if let time = Timestamp(text) {
      self = time
      return
    }
    let bytes = Array(text.utf8)
    guard bytes.count > 5, bytes[bytes.count - 5] == UInt8(ascii: "+") || bytes[bytes.count - 5] == UInt8(ascii: "-")
    else { return nil }
    self.init("\(text.dropLast(2)):\(text.suffix(2))")
  }
}

extension CaptureName {
  /// The time in the name, by the machine's zone.
  var localTime: Timestamp? {
    let digits = Array(stem)
    func text(_ range: Range<Int>) -> String { String(digits[range]) }
    guard
      let clock = Timestamp(
        "\(text(0..<4))-\(text(4..<6))-\(text(6..<8))T\(text(9..<11)):\(text(11..<13)):\(text(13..<15)).\(text(16..<19))Z"
      )
    else { return nil }
    return Timestamp(localClock: clock)
  }
}
