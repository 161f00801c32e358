public import CameraProtocol
import MovieFile

/// What somebody asks for.
public struct EditRequest: Sendable {
  /// What is to be done.
  public enum Change: Sendable, Equatable {
    /// Seconds from the movie's beginning, below 0 from its end; `end` nil for its end.
    case trim(start: Double, end: Double?)
    /// A part of the picture as it is shown, nil for all of it; degrees clockwise by which it is turned.
    case crop(Rectangle?, rotation: Int)
    /// A preset; seconds after which the new movie ends, nil for all of it.
    case transcode(Quality, maxDuration: Double?)
  }

  /// The asset's id; nil for the newest one of the kind that can be edited so.
  public var asset: String?
  /// What is to be done.
  public var change: Change
  /// Whether the album keeps what is made.
  public var isKept: Bool
  /// Whether a descriptor of it is wanted; without it, nothing would come of one that isn't kept.
  public var isHandedOver: Bool
  /// The user who asks; nil where that isn't known.
  public var user: String?
  /// Who asks, for the log.
  public var requester: String

  /// A request of these values.
  public init(
    asset: String?, change: Change, isKept: Bool = true, isHandedOver: Bool = false, user: String? = nil,
    requester: String = "somebody"
  ) {
    self.asset = asset
    self.change = change
    self.isKept = isKept
    self.isHandedOver = isHandedOver
    self.user = user
    self.requester = requester
  }
}

extension EditRequest.Change {
  var kind: EditKind {
    switch self {
    case .trim: .trim
    case .crop: .crop
    case .transcode: .transcode
    }
  }

  /// Of which kind the newest asset is meant where none is named.
  var subject: AssetKind { kind == .crop ? .image : .movie }

  /// Throws `notCompatible` where the kind of the asset alone says that it can't be edited so.
  func check(_ asset: Asset) throws(CameraError) {
    let isPossible = asset.kind == subject || (kind == .trim && asset.kind == .audio)
    guard !isPossible else { return }
    let noun =
      switch asset.kind {
      case .image: "a photo"
      case .movie: "a movie"
      case .audio: "sound alone"
      }
    throw CameraError(.notCompatible, "'\(asset.id)' is \(noun), which can't be edited so", path: asset.path)
  }

  /// The task for that asset. Throws `valueOutOfRange` where the values make no sense whatever stands in its file.
  func task(for asset: Asset, software: String?) throws(CameraError) -> EditTask {
    switch self {
    case .trim(let start, let end):
      let from = try Self.place(start, in: asset)
      let to = try end.map { end throws(CameraError) in try Self.place(end, in: asset) }
      if let to, to <= from {
        throw CameraError(
          .valueOutOfRange, "nothing lies between \(from) s and \(to) s: the end is not behind the start")
      }
      return .trim(from: from, to: to)
    case .crop(let part, let rotation):
      guard [0, 90, 180, 270].contains(rotation) else {
        throw CameraError(.valueOutOfRange, "a photo is turned by 0, 90, 180 or 270 degrees, not \(rotation)")
      }
      guard part != nil || rotation != 0 else {
        throw CameraError(.valueOutOfRange, "neither a part of the photo nor a turn is asked for")
      }
      if let part, part.x < 0 || part.y < 0 || part.width < 1 || part.height < 1 {
        throw CameraError(
          .valueOutOfRange,
          "a rectangle of \(part.width)x\(part.height) at \(part.x),\(part.y) is no part of a picture: it begins inside "
            + "and has an area")
      }
      return .crop(part, rotation: rotation, software: software)
    case .transcode(let quality, let maxDuration):
      if let maxDuration, !(maxDuration > 0 && maxDuration <= 1e8) {
        throw CameraError(.valueOutOfRange, "a movie of \(maxDuration) s can't be made")
      }
      return .transcode(quality, maxDuration: maxDuration, known: MovieMetadata(asset, software: software))
    }
  }

  /// Bytes that what is made of that asset may come to.
  func size(for asset: Asset) -> Int {
    guard case .transcode(let quality, let maxDuration) = self, let duration = asset.duration else {
      return asset.bytes + 1 << 20
    }
    let size = quality.size(ofPicture: asset.width ?? 1920, asset.height ?? 1080)
    let rate = quality.fixedBitRate ?? Quality.scaledBitRate(width: size.width, height: size.height)
    let seconds = min(duration, maxDuration ?? duration)
    return min(asset.bytes, Int(Double(rate + quality.sound.bitRate) / 8 * 1.25 * seconds)) + 1 << 20
  }

  /// The end of the new file's name, without the point.
  func format(for asset: Asset) -> String {
    let name = (asset.path ?? asset.id).lowercased()
    let ending = name.lastIndex(of: ".").map { String(name[name.index(after: $0)...]) } ?? ""
    switch self {
    case .trim: return ["mp4", "mov", "m4a", "mkv", "mka", "webm"].contains(ending) ? ending : "mp4"
    case .crop: return asset.format?.fileExtension ?? ending
    case .transcode: return "mp4"
    }
  }

  /// A time from the movie's beginning.
  private static func place(_ time: Double, in asset: Asset) throws(CameraError) -> Double {
    guard time.isFinite, abs(time) <= 1e9 else { throw CameraError(.valueOutOfRange, "\(time) is no time of a movie") }
    guard time.sign == .minus else { return time }
    let length = asset.duration ?? 0
    guard length + time >= 0 else {
      throw CameraError(.valueOutOfRange, "the movie lasts \(length) s; nothing lies \(-time) s before its end")
    }
    return length + time
  }
}

extension MovieMetadata {
  fileprivate init(_ asset: Asset, software: String?) {
    self.init(
      creationTime: asset.time.seconds, localDate: asset.time.description,
      rotation: Rotation(rawValue: asset.rotation ?? 0) ?? .none,
      location: asset.location.map {
        Location(latitude: $0.latitude, longitude: $0.longitude, altitude: $0.altitude)
      }, software: software, camera: asset.camera)
  }
}
