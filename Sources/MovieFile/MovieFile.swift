#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Reads MP4 files, finished or not. Trusts nothing that a file claims.
public enum MovieFile {
  /// What stands in the file behind a descriptor, which must be readable; its position is neither used nor moved.
  /// Blocks while it reads the tables (of a fragmented file: the header of every fragment).
  public static func read(descriptor: Int32) throws(MovieFileError) -> MovieDescription {
    let file = try BoxFile(descriptor: descriptor)
    let moov = try movieBox(in: file)
    let header = try MovieHeader(file, moov: moov)
    guard header.isFragmented else { return MovieDescription(header) }
    let scanner = try FragmentScanner(file, header: header, moov: moov)
    return MovieDescription(MovieBuilder(header: header, tables: scanner.tables, metadata: header.metadata))
  }

  /// What stands in the file at a path.
  public static func read(path: String) throws(MovieFileError) -> MovieDescription {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .system("can't open '\(path)'", errno) }
    defer { close(descriptor) }
    return try read(descriptor: descriptor)
  }

  /// The first `moov`, behind a `ftyp`.
  static func movieBox(in file: BoxFile) throws(MovieFileError) -> Box {
    guard file.size > 0 else { throw MovieFileError(.noSamples, "the file is empty") }
    guard let first = try file.box(at: 0, within: file.size), first.type == .ftyp, first.end <= file.size else {
      throw MovieFileError(.notAMovie, "the file does not begin as an MP4 does")
    }
    var offset = first.end
    for _ in 0..<65536 {
      guard let box = try file.box(at: offset, within: file.size) else { break }
      if box.type == .moov {
        guard box.end <= file.size else { break }
        return box
      }
      offset = box.end
    }
    throw MovieFileError(.noSamples, "the file ends before the movie header")
  }
}

extension MovieDescription {
  init(_ header: MovieHeader) {
    let scale = Double(header.timescale)
    let tracks = header.tracks.map { track in
      let media = Double(track.mediaDuration) / Double(track.timescale)
      return MovieTrack(
        track, sampleCount: track.sampleCount,
        duration: track.edits.duration.map { Double($0) / scale } ?? media,
        startOffset: Double(track.edits.empty) / scale)
    }
    self.init(tracks: tracks, isFragmented: false, metadata: header.metadata)
  }

  init(_ movie: MovieBuilder) {
    let scale = Double(movie.timescale)
    let tracks = movie.header.tracks.enumerated().map { index, track in
      MovieTrack(
        track, sampleCount: movie.tables[index].count,
        duration: Double(movie.placements[index].duration) / scale,
        startOffset: Double(movie.placements[index].empty) / scale)
    }
    self.init(tracks: tracks, isFragmented: true, metadata: movie.metadata)
  }

  private init(tracks: [MovieTrack], isFragmented: Bool, metadata: MovieMetadata) {
    let end = tracks.map { $0.startOffset + $0.duration }.max() ?? 0
    self.init(tracks: tracks, duration: end, isFragmented: isFragmented, metadata: metadata)
  }
}

extension MovieTrack {
  init(_ track: MovieHeader.Track, sampleCount: Int, duration: Double, startOffset: Double) {
    let isVideo = track.kind == .video
    self.init(
      kind: track.kind, codec: track.codec, width: isVideo ? Int(track.size.width >> 16) : nil,
      height: isVideo ? Int(track.size.height >> 16) : nil, timescale: Int(track.timescale), sampleCount: sampleCount,
      duration: duration, startOffset: startOffset)
  }
}
