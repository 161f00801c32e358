#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A recording that is an ordinary file of its kind now.
public struct FinishedMovie: Sendable, Equatable {
  /// Seconds from the start to the end of the longest track.
  public var duration: Double
  /// Pictures.
  public var frames: Int
  /// Size of the file.
  public var bytes: Int
  /// True where there is sound.
  public var hasAudio: Bool
  /// Pixels as shown, after rotation; nil without picture.
  public var width: Int?
  /// Pixels as shown, after rotation; nil without picture.
  public var height: Int?
  /// True where the file was one before and nothing was changed.
  public var alreadyFinished: Bool
}

/// Makes an ordinary file of a recording in place, without copying picture or sound; what kind of file it is says its
/// beginning. Matroska, WebM and Ogg are left to `MatroskaFinisher` and `OggFinisher`.
///
/// Of an MP4, one complete `moov` goes behind the last fragment; then one header over the old `moov` makes of it and of all
/// fragments a single `mdat`. Each step is on the disk before the next begins, the file plays at every moment
/// between, and a second run completes what a first one left.
public enum MovieFinisher {
  /// Finishes the file behind a descriptor, which must be readable and writable; its position is neither used nor
  /// moved. Nobody else may write to the file meanwhile. Samples that lie past the end of the file are left out. Blocks
  /// until the file is on the disk. When it throws, the file plays as it did before.
  public static func finish(at descriptor: Int32, metadata: MovieMetadata) throws(MovieFileError) -> FinishedMovie {
    let file = try BoxFile(descriptor: descriptor)
    if try MatroskaScanner.isMatroska(file) { return try MatroskaFinisher.finish(file, metadata: metadata) }
    if try OggFinisher.isOgg(file) { return try OggFinisher.finish(file) }
    let moov = try MovieFile.movieBox(in: file)
    let header = try MovieHeader(file, moov: moov)
    guard header.isFragmented else {
      let description = MovieDescription(header)
      guard description.tracks.contains(where: { $0.sampleCount > 0 }) else {
        throw MovieFileError(.noSamples, "the movie holds neither picture nor sound")
      }
      return FinishedMovie(description, bytes: file.size, alreadyFinished: true)
    }
    let scanner = try FragmentScanner(file, header: header, moov: moov)
    guard scanner.tables.contains(where: { $0.count > 0 }) else {
      throw MovieFileError(.noSamples, "the recording ended before its first picture was written")
    }
    var tables = scanner.tables
    for index in tables.indices {
      let track = header.tracks[index]
      tables[index].settleLastDuration(fallback: track.kind == .audio ? 1024 : max(1, track.timescale / 30))
    }
    let movie = MovieBuilder(header: header, tables: tables, metadata: metadata)
    let bytes = try cut(file, to: scanner)
    let size = try append(movie.box, to: file, at: bytes)
    try turnFragmentsIntoMedia(file, from: moov, to: bytes)
    return FinishedMovie(MovieDescription(movie), bytes: size, alreadyFinished: false)
  }

  /// What stands in the file now, for one that can't be finished for want of room: as fragments it plays too. Blocks.
  public static func describe(at descriptor: Int32) throws(MovieFileError) -> FinishedMovie {
    let file = try BoxFile(descriptor: descriptor)
    if try MatroskaScanner.isMatroska(file) { return try MatroskaFinisher.describe(file) }
    if try OggFinisher.isOgg(file) { return try OggFinisher.describe(file) }
    let description = try MovieFile.read(descriptor: descriptor)
    guard description.tracks.contains(where: { $0.sampleCount > 0 }) else {
      throw MovieFileError(.noSamples, "the movie holds neither picture nor sound")
    }
    return FinishedMovie(
      description, bytes: file.size, alreadyFinished: !description.isFragmented)
  }

  /// Makes the last fragment a whole one and drops what follows it.
  private static func cut(_ file: BoxFile, to scanner: FragmentScanner) throws(MovieFileError) -> Int {
    for repair in scanner.repairs {
      try BoxWriter.write(repair.bytes, to: file.descriptor, at: repair.offset)
    }
    if scanner.end < file.size, ftruncate(file.descriptor, off_t(scanner.end)) != 0 {
      throw .system("can't cut the movie's end", errno)
    }
    try synchronize(file)
    return scanner.end
  }

  /// Writes the `moov`, and takes it back where there is no room for it.
  private static func append(_ box: BoxNode, to file: BoxFile, at offset: Int) throws(MovieFileError) -> Int {
    let size = box.size
    guard size <= Int(UInt32.max) else { throw MovieFileError(.tooLarge, "the movie's index is larger than 4 GiB") }
    do throws(MovieFileError) {
      var writer = BoxWriter(descriptor: file.descriptor, offset: offset)
      try box.write(to: &writer)
      try writer.flush()
      try synchronize(file)
    } catch {
      guard ftruncate(file.descriptor, off_t(offset)) == 0 else {
        throw .system("\(error.message); and can't take back the part that was written", errno)
      }
      throw error
    }
    return offset + size
  }

  /// The one write that turns the movie over: an ordinary brand, and a `mdat` from the old `moov` to the new one.
  /// Both lie within the first disk block, so that a loss of power leaves either all of it or nothing.
  private static func turnFragmentsIntoMedia(_ file: BoxFile, from moov: Box, to end: Int) throws(MovieFileError) {
    let mdat =
      bigEndian(1, 4) + bigEndian(UInt64(FourCharacterCode.mdat.rawValue), 4)
      + bigEndian(UInt64(end - moov.start), 8)
    if moov.start + mdat.count <= 512, moov.start >= 20, moov.start % 4 == 0,
      let ftyp = try file.box(at: 0, within: file.size), ftyp.type == .ftyp, !ftyp.isLarge, ftyp.end == moov.start
    {
      let brands = ["isom", "iso2", "avc1", "mp41", "mp42"].map(FourCharacterCode.init)
      var payload = bigEndian(UInt64(FourCharacterCode.isom.rawValue), 4) + bigEndian(0x200, 4)
      for index in 0..<(ftyp.end - ftyp.start - 16) / 4 {
        payload += bigEndian(UInt64(brands[min(index, brands.count - 1)].rawValue), 4)
      }
      try BoxWriter.write(makeBox(.ftyp, payload) + mdat, to: file.descriptor, at: 0)
    } else {
      try BoxWriter.write(mdat, to: file.descriptor, at: moov.start)
    }
    try synchronize(file)
  }

  private static func synchronize(_ file: BoxFile) throws(MovieFileError) {
    guard fdatasync(file.descriptor) == 0 else { throw .system("can't write the movie to the disk", errno) }
  }
}

extension FinishedMovie {
  init(_ movie: MovieDescription, bytes: Int, alreadyFinished: Bool) {
    let video = movie.video.flatMap { $0.sampleCount > 0 ? $0 : nil }
    let isTurned = movie.metadata.rotation == .left || movie.metadata.rotation == .right
    self.init(
      duration: movie.duration, frames: video?.sampleCount ?? 0, bytes: bytes,
      hasAudio: (movie.audio?.sampleCount ?? 0) > 0, width: isTurned ? video?.height : video?.width,
      height: isTurned ? video?.width : video?.height, alreadyFinished: alreadyFinished)
  }
}
