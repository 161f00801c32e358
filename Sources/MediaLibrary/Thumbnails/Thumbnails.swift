public import CameraProtocol
public import GStreamer
public import PhotoFile
import Synchronization
import Glibc

/// Small pictures of what is in the album. They are made at low priority, at most as many at once as there are processors,
/// and the default ones are kept.
public final class Thumbnails: Sendable {
  private let library: MediaLibrary
  private let cache: ThumbnailCache?
  private let work: BackgroundWork
  private let warn: @Sendable (String) -> Void
  private let hasWarned = Atomic(false)

  /// Thumbnails of an album. `folders`: where they are kept; nil for nowhere. `warn`: told once where they can't be kept.
  public init(
    library: MediaLibrary, folders: ThumbnailFolders?, warn: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.library = library
    cache = folders.map(ThumbnailCache.init)
    work = BackgroundWork()
    self.warn = warn
  }

  /// The small picture of an asset that a request means. `id`: nil for the newest photo or movie. Throws `noSuchAsset`,
  /// `notCompatible` where the asset has no picture or none that can be read, `valueOutOfRange` for a time that a movie
  /// doesn't have, `timedOut`, `queueFull`, `libraryUnavailable`.
  public func thumbnail(of id: String?, _ request: ThumbnailRequest) async throws(CameraError) -> Thumbnail {
    try await work.run { () throws(CameraError) in
      let file = try self.open(try self.asset(id, kinds: [.image, .movie]))
      switch request.moment {
      case .halfWay: return try self.standard(file, request)
      case .first: return try self.first(file, request)
      case .at, .keyframe:
        return try Self.encoded(try file.maker.picture(request.moment, edge: request.edge), request.format, file.asset)
      }
    }
  }

  /// Several pictures of a movie in one. `id`: nil for the newest movie. Throws as `thumbnail` does.
  public func sheet(of id: String?, _ request: ThumbnailSheetRequest) async throws(CameraError) -> Thumbnail {
    try await work.run { () throws(CameraError) in
      let file = try self.open(try self.asset(id, kinds: [.movie]))
      let pictures = try file.maker.pictures(request.count, edge: request.edge)
      let sheet = try ThumbnailSheet(pictures.map(\.pixels), columns: request.columns)
      return Thumbnail(
        asset: file.asset, width: sheet.pixels.width, height: sheet.pixels.height,
        positions: pictures.compactMap(\.position), format: request.format,
        bytes: try Self.file(of: sheet.pixels, request.format))
    }
  }

  /// The asset of an id, or the newest of some kinds.
  private func asset(_ id: String?, kinds: [AssetKind]) throws(CameraError) -> Asset {
    if let id { return try library.asset(id) }
    var newest: Asset?
    for kind in kinds {
      guard let asset = try library.newest(kind) else { continue }
      if newest.map({ $0.time.sinceEpoch < asset.time.sinceEpoch }) ?? true { newest = asset }
    }
    guard let newest else {
      let what = kinds == [.movie] ? "no movie" : "neither a photo nor a movie"
      throw CameraError(.noSuchAsset, "there is \(what) in the album", path: library.root)
    }
    return newest
  }

  /// Forgets what is kept of an asset that is gone. Blocks for a moment.
  public func remove(_ asset: Asset) {
    if let path = asset.path { cache?.remove(path) }
  }

  // MARK: Stills of recordings

  /// Makes the still of a recording from the frame that it began with, raw or JPEG, at the size in which it is kept. `shape`:
  /// that of the movie, before turning. nil where the frame shows nothing, or nothing is kept.
  public func still(
    of frame: Frame, shape: (width: Int, height: Int), orientation: Orientation
  ) async -> RecordingStill? {
    guard cache != nil else { return nil }
    do throws(CameraError) {
      return try await work.run { () throws(CameraError) -> RecordingStill? in
        do {
          let pixels = try ThumbnailMaker.shrunk(raw: frame, ThumbnailCache.Size.xLarge.edge)
          guard pixels.contrast >= ThumbnailMaker.leastContrast else { return nil }
          return RecordingStill(
            png: try PictureEncoder.encode(pixels.cut(toShapeOf: shape).upright(orientation), .png))
        } catch {
          throw CameraError(.captureFailed, "the still of a recording can't be made", cause: "\(error)")
        }
      }
    } catch {
      warnOnce(error)
      return nil
    }
  }

  /// Keeps a still for the movie that the recording became.
  public func keep(_ still: RecordingStill, for asset: Asset) async {
    do throws(CameraError) {
      try await work.run { () throws(CameraError) in
        let file = try self.open(asset)
        if let original = file.original { _ = self.keep(still.png, .first, of: original, position: 0) }
      }
    } catch {
      warnOnce(error)
    }
  }

  // MARK: Cache

  private struct File {
    var asset: Asset
    var descriptor: AssetDescriptor
    /// nil where it has no path.
    var original: ThumbnailCache.Original?

    var maker: ThumbnailMaker { ThumbnailMaker(descriptor: descriptor.rawValue, name: asset.id) }
  }

  private func open(_ asset: Asset) throws(CameraError) -> File {
    guard asset.kind != .audio else {
      throw CameraError(.notCompatible, "'\(asset.id)' is sound alone: it has no picture", path: asset.path)
    }
    let descriptor = try library.open(asset)
    var status = stat()
    guard fstat(descriptor.rawValue, &status) == 0 else {
      throw .fileSystem("look at", path: asset.path ?? asset.id, number: errno)
    }
    return File(
      asset: asset, descriptor: descriptor,
      original: asset.path.map {
        ThumbnailCache.Original(path: $0, modified: status.st_mtim.tv_sec, size: Int(status.st_size))
      })
  }

  /// The default picture: from the cache, or made and put there.
  private func standard(_ file: File, _ request: ThumbnailRequest) throws(CameraError) -> Thumbnail {
    guard let cache, let original = file.original, let size = ThumbnailCache.Size(edge: request.edge) else {
      return try Self.encoded(try file.maker.picture(.halfWay, edge: request.edge), request.format, file.asset)
    }
    if let entry = cache.entry(.standard(size), of: original) {
      return try Self.thumbnail(from: entry, request, file.asset)
    }
    if let reason = cache.entry(.failed, of: original)?.reason {
      throw CameraError(.notCompatible, reason, path: file.asset.path)
    }
    let picture: ThumbnailMaker.Picture
    do throws(CameraError) {
      picture = try file.maker.picture(.halfWay, edge: size.edge)
    } catch {
      if error.kind == .notCompatible { keepFailure(error, of: original) }
      throw error
    }
    let png = try Self.file(of: picture.pixels, .png)
    let kept = keep(png, .standard(size), of: original, position: picture.position) ?? png
    if size.edge == request.edge, request.format != .png {
      return try Self.encoded(picture, request.format, file.asset)
    }
    let entry = ThumbnailCache.Entry(
      file: kept, width: picture.pixels.width, height: picture.pixels.height, position: picture.position)
    return try Self.thumbnail(from: entry, request, file.asset)
  }

  private func first(_ file: File, _ request: ThumbnailRequest) throws(CameraError) -> Thumbnail {
    if request.edge <= ThumbnailCache.Size.xLarge.edge, let original = file.original,
      let entry = cache?.entry(.first, of: original)
    {
      return try Self.thumbnail(from: entry, request, file.asset)
    }
    return try Self.encoded(try file.maker.picture(.first, edge: request.edge), request.format, file.asset)
  }

  private func keep(
    _ png: [UInt8], _ shelf: ThumbnailCache.Shelf, of original: ThumbnailCache.Original, position: Double? = nil,
    reason: String? = nil
  ) -> [UInt8]? {
    do {
      return try cache?.keep(png, shelf, of: original, position: position, reason: reason)
    } catch {
      warnOnce(error)
      return nil
    }
  }

  private func keepFailure(_ error: CameraError, of original: ThumbnailCache.Original) {
    _ = keep(ThumbnailCache.nothing, .failed, of: original, reason: "\(error)")
  }

  private func warnOnce(_ error: any Error) {
    guard !hasWarned.exchange(true, ordering: .relaxed) else { return }
    warn("thumbnails are not kept: \(error)")
  }

  // MARK: Files

  /// A kept picture as it is, or at the size and in the format that is asked for.
  private static func thumbnail(
    from entry: ThumbnailCache.Entry, _ request: ThumbnailRequest, _ asset: Asset
  ) throws(CameraError) -> Thumbnail {
    if request.format == .png, max(entry.width, entry.height) <= request.edge {
      return Thumbnail(
        asset: asset, width: entry.width, height: entry.height, positions: [entry.position].compactMap { $0 },
        format: .png, bytes: entry.file)
    }
    let file = try SealedMemory.descriptor(of: entry.file, name: "thumbnail")
    var picture = try ThumbnailMaker(descriptor: file.rawValue, name: "thumbnail").picture(.halfWay, edge: request.edge)
    picture.position = entry.position
    return try encoded(picture, request.format, asset)
  }

  private static func encoded(
    _ picture: ThumbnailMaker.Picture, _ format: PhotoFormat, _ asset: Asset
  ) throws(CameraError) -> Thumbnail {
    Thumbnail(
      asset: asset, width: picture.pixels.width, height: picture.pixels.height,
      positions: [picture.position].compactMap { $0 }, format: format, bytes: try file(of: picture.pixels, format))
  }

  private static func file(of pixels: PixelBytes, _ format: PhotoFormat) throws(CameraError) -> [UInt8] {
    do throws(GStreamerError) {
      return try PictureEncoder.encode(pixels, PictureEncoder.Format(format))
    } catch {
      throw CameraError(.captureFailed, "the thumbnail can't be encoded", cause: "\(error)")
    }
  }
}

/// The picture that a recording began with, small.
public struct RecordingStill: Sendable {
  var png: [UInt8]
}

extension PictureEncoder.Format {
  fileprivate init(_ format: PhotoFormat) {
    self =
      switch format {
      case .jpeg: .jpeg(quality: 85)
      case .png: .png
      case .webp: .webp(quality: 80)
      }
  }
}
