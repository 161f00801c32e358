#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Ends a Matroska or WebM recording in order where its muxer couldn't: an index behind the last whole block, and
/// duration and sizes in the places that are kept for them. The file plays at every moment between.
enum MatroskaFinisher {
  /// Nanoseconds from 1970 to 2001, where Matroska's dates begin.
  private static let epoch = 978_307_200

  static func finish(_ file: BoxFile, metadata: MovieMetadata) throws(MovieFileError) -> FinishedMovie {
    let scanner = try MatroskaScanner(file)
    guard scanner.tracks.contains(where: { $0.blocks > 0 }), let lastCluster = scanner.lastCluster else {
      throw MovieFileError(.noSamples, "the recording ended before its first picture was written")
    }
    if let date = scanner.date, date.end == date.payload + 8, let time = metadata.creationTime {
      let nanoseconds = UInt64(bitPattern: Int64(time - epoch) * 1_000_000_000)
      try BoxWriter.write(bigEndian(nanoseconds, 8), to: file.descriptor, at: date.payload)
    }
    let hasTags = scanner.metadata.camera != nil || scanner.metadata.localDate != nil
    let tags = hasTags ? nil : MatroskaTags.element(metadata)
    guard !scanner.isFinished else {
      return try FinishedMovie(finished: scanner, bytes: try add(tags, to: file, scanner))
    }
    guard ftruncate(file.descriptor, off_t(scanner.clustersEnd)) == 0 else {
      throw .system("can't cut the movie's end", errno)
    }
    let index = MatroskaWriting.element(MatroskaID.cues, scanner.keyPoints.flatMap(cuePoint))
    let tagsStart = scanner.clustersEnd + index.count
    let size = tagsStart + (tags?.count ?? 0)
    try append(index + (tags ?? []), to: file, at: scanner.clustersEnd)
    for change in changes(scanner, lastCluster, tags: tags == nil ? nil : tagsStart, size: size) {
      try BoxWriter.write(change.bytes, to: file.descriptor, at: change.offset)
    }
    try synchronize(file)
    return FinishedMovie(scanner, bytes: size, alreadyFinished: false)
  }

  static func describe(_ file: BoxFile) throws(MovieFileError) -> FinishedMovie {
    let scanner = try MatroskaScanner(file)
    guard scanner.tracks.contains(where: { $0.blocks > 0 }) else {
      throw MovieFileError(.noSamples, "the movie holds neither picture nor sound")
    }
    guard !scanner.isFinished else { return try FinishedMovie(finished: scanner, bytes: file.size) }
    return FinishedMovie(scanner, bytes: file.size, alreadyFinished: false)
  }

  /// Puts tags behind all else of a whole file. Returns its size in bytes then.
  private static func add(
    _ tags: [UInt8]?, to file: BoxFile, _ scanner: MatroskaScanner
  ) throws(MovieFileError) -> Int {
    guard let tags, scanner.segment.end == file.size, scanner.segment.sizeWidth == 8 else {
      try synchronize(file)
      return file.size
    }
    try append(tags, to: file, at: file.size)
    var changes = [
      (scanner.segment.sizeOffset, MatroskaWriting.size(file.size + tags.count - scanner.segment.payload, width: 8))
    ]
    if let seek = seek(to: file.size, scanner) { changes.append(seek) }
    for (offset, bytes) in changes { try BoxWriter.write(bytes, to: file.descriptor, at: offset) }
    try synchronize(file)
    return file.size + tags.count
  }

  /// The entry of the seek head for tags, where that has room.
  private static func seek(to offset: Int, _ scanner: MatroskaScanner) -> (offset: Int, bytes: [UInt8])? {
    let entry = MatroskaTags.seek(to: offset - scanner.segment.payload)
    guard let room = scanner.freeSeek, let end = room.end else { return nil }
    let rest = end - room.start - entry.count
    guard rest == 0 || (2...128).contains(rest) else { return nil }
    return (room.start, entry + (rest == 0 ? [] : MatroskaWriting.void(rest)))
  }

  private static func cuePoint(_ cue: MatroskaScanner.Cue) -> [UInt8] {
    let place =
      MatroskaWriting.element(MatroskaID.cueTrack, cue.track)
      + MatroskaWriting.element(MatroskaID.cueClusterPosition, UInt64(cue.position))
    return MatroskaWriting.element(
      MatroskaID.cuePoint,
      MatroskaWriting.element(MatroskaID.cueTime, UInt64(max(0, cue.ticks)))
        + MatroskaWriting.element(MatroskaID.cueTrackPositions, place))
  }

  /// Writes the index, and takes it back where there is no room for it.
  private static func append(_ index: [UInt8], to file: BoxFile, at offset: Int) throws(MovieFileError) {
    do throws(MovieFileError) {
      try BoxWriter.write(index, to: file.descriptor, at: offset)
      try synchronize(file)
    } catch {
      guard ftruncate(file.descriptor, off_t(offset)) == 0 else {
        throw .system("\(error.message); and can't take back the part that was written", errno)
      }
      throw error
    }
  }

  /// What is to be written over what the muxer left open; the size of the whole comes last.
  private static func changes(
    _ scanner: MatroskaScanner, _ lastCluster: MatroskaElement, tags: Int?, size: Int
  ) -> [(offset: Int, bytes: [UInt8])] {
    var changes: [(offset: Int, bytes: [UInt8])] = []
    let base = scanner.segment.payload
    let places = [
      MatroskaID.info: scanner.info?.start, MatroskaID.tracks: scanner.tracksElement?.start,
      MatroskaID.cues: scanner.clustersEnd, MatroskaID.tags: tags,
    ]
    if let tags, !scanner.seeks.contains(where: { $0.id == MatroskaID.tags }), let seek = seek(to: tags, scanner) {
      changes.append(seek)
    }
    for seek in scanner.seeks {
      if case .some(.some(let place)) = places[seek.id], seek.position.end == seek.position.payload + 8 {
        changes.append((seek.position.payload, bigEndian(UInt64(place - base), 8)))
      } else if let end = seek.element.end, (2...128).contains(end - seek.element.start) {
        changes.append((seek.element.start, MatroskaWriting.void(end - seek.element.start)))
      }
    }
    if let duration = scanner.duration {
      let ticks = scanner.seconds * scanner.ticksPerSecond
      switch duration.end {
      case duration.payload + 8: changes.append((duration.payload, bigEndian(ticks.bitPattern, 8)))
      case duration.payload + 4: changes.append((duration.payload, bigEndian(UInt64(Float(ticks).bitPattern), 4)))
      default: break
      }
    }
    for (element, end) in [(lastCluster, scanner.clustersEnd), (scanner.segment, size)] where element.sizeWidth == 8 {
      changes.append((element.sizeOffset, MatroskaWriting.size(end - element.payload, width: 8)))
    }
    return changes
  }

  private static func synchronize(_ file: BoxFile) throws(MovieFileError) {
    guard fdatasync(file.descriptor) == 0 else { throw .system("can't write the movie to the disk", errno) }
  }
}

extension FinishedMovie {
  /// One that lasts as long as it says.
  fileprivate init(finished scanner: MatroskaScanner, bytes: Int) throws(MovieFileError) {
    self.init(scanner, bytes: bytes, alreadyFinished: true)
    duration = try scanner.toldSeconds() ?? duration
  }

  fileprivate init(_ scanner: MatroskaScanner, bytes: Int, alreadyFinished: Bool) {
    let video = scanner.tracks.first { $0.isVideo && $0.blocks > 0 }
    self.init(
      duration: scanner.seconds, frames: video?.blocks ?? 0, bytes: bytes,
      hasAudio: scanner.tracks.contains { !$0.isVideo && $0.blocks > 0 }, width: video?.width, height: video?.height,
      alreadyFinished: alreadyFinished)
  }
}
