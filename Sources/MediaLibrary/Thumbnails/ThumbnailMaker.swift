import CameraProtocol
import GStreamer
import MovieFile
import PhotoFile
import Glibc

/// Makes small pictures of an open file. Blocks.
struct ThumbnailMaker {
  /// A picture, upright, and when it is shown, in seconds from the movie's start; nil for a photo.
  struct Picture {
    var pixels: PixelBytes
    var position: Double?
  }

  /// How long to wait for a picture of a file that delivers none, in nanoseconds.
  private static let patience: UInt64 = 1_800_000_000
  /// How far from a picture that shows nothing another one is looked for, in nanoseconds.
  private static let reach: UInt64 = 2_000_000_000
  /// How far apart the pictures are that are looked at meanwhile, in nanoseconds.
  private static let step: UInt64 = 90_000_000
  /// A picture with less contrast shows nothing.
  static let leastContrast = 4.0
  /// With as much it is worth showing.
  private static let goodContrast = 12.0

  let descriptor: Int32
  /// What it is called in errors.
  let name: String

  /// The path at which GStreamer opens the file, which may have another name by now.
  private var path: String { "/proc/self/fd/\(descriptor)" }

  /// The picture that a request means. Throws `notCompatible` where the file has none that can be read, `valueOutOfRange`
  /// for a time that it doesn't have, `timedOut`.
  func picture(_ moment: ThumbnailRequest.Moment, edge: Int) throws(CameraError) -> Picture {
    try reporting {
      if try Self.isPhoto(descriptor) { return try photo(moment, edge) }
      let movie = try movie()
      return try Self.shrunk(try find(moment, in: movie), of: movie, edge)
    }
  }

  /// So many pictures of a movie, evenly from the beginning to the end. Throws as `picture` does.
  func pictures(_ count: Int, edge: Int) throws(CameraError) -> [Picture] {
    try reporting {
      guard try !Self.isPhoto(descriptor) else {
        throw CameraError(.notCompatible, "'\(name)' is a photo; a sheet is made of a movie")
      }
      let movie = try movie()
      return try (0..<count).map { index in
        let time = (Double(index) + 0.5) / Double(count) * Double(movie.duration ?? 0)
        return try Self.shrunk(try movie.picture(at: UInt64(time)), of: movie, edge)
      }
    }
  }

  // MARK: Photos

  private static func head(_ descriptor: Int32) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else { throw GStreamerError(count == 0 ? "it is empty" : String(cString: strerror(errno))) }
    return bytes
  }

  private static func isPhoto(_ descriptor: Int32) throws -> Bool {
    let bytes = try head(descriptor)
    return bytes.starts(with: [0xFF, 0xD8, 0xFF]) || bytes.starts(with: [0x89] + Array("PNG".utf8))
      || bytes.starts(with: "RIFF".utf8) && bytes[8..<12].elementsEqual("WEBP".utf8)
  }

  private func photo(_ moment: ThumbnailRequest.Moment, _ edge: Int) throws -> Picture {
    switch moment {
    case .halfWay, .first: break
    case .at, .keyframe: throw CameraError(.notCompatible, "'\(name)' is a photo; only a movie has moments")
    }
    let photo = try PhotoSummary(descriptor: descriptor)
    let reader = try PictureReader(path: path, decoder: photo.format.decoder, patience: Self.patience)
    return Picture(pixels: try Self.shrunk(try reader.first(), edge).upright(photo.orientation))
  }

  // MARK: Movies

  private func movie() throws -> MoviePictures {
    // GStreamer would take its time to find that out
    guard ImportFormat(head: try Self.head(descriptor)) != nil else {
      throw GStreamerError("it is not \(ImportFormat.known)")
    }
    var description: MovieDescription?
    do throws(MovieFileError) {
      description = try MovieFile.read(descriptor: descriptor)
    } catch {
      // not an MP4, or one of which GStreamer may make more
      if error.kind == .noSamples { throw error }
    }
    if let description {
      guard let video = description.video else {
        throw CameraError(.notCompatible, "'\(name)' is sound alone: it has no picture")
      }
      guard video.codec != "encv" else { throw CameraError(.notCompatible, "'\(name)' is encrypted") }
    }
    let isMatroska = try Self.head(descriptor).starts(with: [0x1A, 0x45, 0xDF, 0xA3])
    return try MoviePictures(
      path: path, description: description, isMatroska: isMatroska, patience: Self.patience)
  }

  private func find(_ moment: ThumbnailRequest.Moment, in movie: MoviePictures) throws -> MoviePictures.Picture {
    let middle = (movie.duration ?? 0) / 2
    switch moment {
    case .halfWay: return try better(than: try movie.picture(at: middle), in: movie)
    case .first: return try better(than: movie.opening, in: movie)
    case .keyframe(near: nil): return try better(than: try movie.keyframe(near: middle), in: movie)
    case .keyframe(near: let seconds?): return try movie.keyframe(near: try time(seconds, in: movie))
    case .at(let seconds): return try movie.picture(at: try time(seconds, in: movie))
    }
  }

  private func time(_ seconds: Double, in movie: MoviePictures) throws(CameraError) -> UInt64 {
    let end = movie.duration.map { Double($0) / 1e9 } ?? 1e9
    // what is told of a duration has milliseconds
    guard seconds >= 0, seconds <= end + 0.001 else {
      throw CameraError(
        .valueOutOfRange,
        "there is no picture at \(seconds) s: '\(name)' goes from 0 to \((end * 1000).rounded() / 1000) s")
    }
    return UInt64(seconds * 1e9)
  }

  /// The picture, or where that shows nothing the next one behind it that does, or the last one before it.
  private func better(
    than picture: MoviePictures.Picture, in movie: MoviePictures
  ) throws(GStreamerError) -> MoviePictures.Picture {
    var best = (picture: picture, contrast: try Self.contrast(picture))
    guard best.contrast < Self.leastContrast else { return picture }
    func look(from start: UInt64, to end: UInt64) throws(GStreamerError) {
      var last: UInt64?
      try movie.begin(at: start)
      while let next = try movie.next(), next.time <= end {
        guard next.time >= start, last.map({ next.time >= $0 + Self.step }) ?? true else { continue }
        last = next.time
        let contrast = try Self.contrast(next)
        if contrast > best.contrast { best = (next, contrast) }
        if contrast >= Self.goodContrast { return }
      }
    }
    do throws(GStreamerError) {
      try look(from: picture.time, to: picture.time + Self.reach)
      if best.contrast < Self.leastContrast, picture.time > 0 {
        try look(from: picture.time - min(picture.time, Self.reach), to: picture.time)
      }
    } catch {
      // what can't be read near by takes nothing from what there is
    }
    return best.contrast >= Self.leastContrast ? best.picture : picture
  }

  private static func contrast(_ picture: MoviePictures.Picture) throws(GStreamerError) -> Double {
    try shrunk(picture.frame.sample, 64).contrast
  }

  private static func shrunk(
    _ picture: MoviePictures.Picture, of movie: MoviePictures, _ edge: Int
  ) throws(GStreamerError) -> Picture {
    Picture(
      pixels: try shrunk(picture.frame.sample, edge).upright(Orientation(tag: movie.orientation)),
      position: Double(picture.time) / 1e9)
  }

  /// A frame's picture in proportion, as it is stored.
  static func shrunk(_ sample: borrowing Sample, _ edge: Int) throws(GStreamerError) -> PixelBytes {
    guard let size = sample.pictureSize else { throw GStreamerError("what was decoded is no picture") }
    let (width, height) = size.fitted(edge: edge)
    return try sample.scaled(width: width, height: height)
  }

  /// A camera's frame, raw or JPEG, in proportion.
  static func shrunk(raw frame: Frame, _ edge: Int) throws -> PixelBytes {
    guard frame.sample.pictureSize == nil else { return try shrunk(frame.sample, edge) }
    let file = try SealedMemory.descriptor(of: try frame.sample.withBytes { Array($0) }, name: "frame")
    let reader = try PictureReader(path: "/proc/self/fd/\(file.rawValue)", decoder: .jpeg, patience: Self.patience)
    return try shrunk(try reader.first(), edge)
  }

  // MARK: Errors

  /// Tells what went wrong as the situation of the file.
  private func reporting<Value>(_ body: () throws -> Value) throws(CameraError) -> Value {
    do {
      return try body()
    } catch let error as CameraError {
      throw error
    } catch let error as GStreamerError where error.situation == .silent {
      throw CameraError(
        .timedOut, "no picture could be read from '\(name)' in time; the file may be damaged", cause: error.message)
    } catch {
      throw CameraError(
        .notCompatible, "'\(name)' can't be shown: it is damaged, or of a kind that can't be decoded here",
        cause: "\(error)")
    }
  }
}

extension PhotoFormat {
  fileprivate var decoder: PictureReader.Decoder {
    switch self {
    case .jpeg: .jpeg
    case .png: .png
    case .webp: .webp
    }
  }
}

extension Orientation {
  /// What a tag of GStreamer says; upright for none.
  init(tag: String?) {
    self =
      switch tag {
      case "rotate-90": .right
      case "rotate-180": .half
      case "rotate-270": .left
      case "flip-rotate-0": .mirrored
      case "flip-rotate-90": .transverse
      case "flip-rotate-180": .halfMirrored
      case "flip-rotate-270": .transposed
      default: .upright
      }
  }
}
