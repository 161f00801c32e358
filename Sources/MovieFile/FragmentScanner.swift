/// Reads a fragmented movie from its `moov` on: every fragment's samples, up to where the file was cut.
struct FragmentScanner {
  /// A change of a few bytes that makes a fragment cut in two a shorter whole one.
  struct Repair {
    var offset: Int
    var bytes: [UInt8]
  }

  let file: BoxFile
  let header: MovieHeader
  private(set) var tables: [SampleTable]
  /// Behind the last fragment kept.
  private(set) var end: Int
  /// For the last fragment, where the file ends within it.
  private(set) var repairs: [Repair] = []

  private var trackIndex: [UInt32: Int] = [:]
  private var sampleCount = 0

  init(_ file: BoxFile, header: MovieHeader, moov: Box) throws(MovieFileError) {
    self.file = file
    self.header = header
    tables = header.tracks.map { _ in SampleTable() }
    end = moov.end
    for (index, track) in header.tracks.enumerated() { trackIndex[track.id] = index }
    var offset = moov.end
    var others = 0
    while let box = try file.box(at: offset, within: file.size) {
      if box.type == .moof {
        guard box.end <= file.size, let next = try readFragment(box) else { return }
        offset = next
        end = next
        others = 0
      } else {
        // An index, or a 'moov' that an interrupted finish left: behind the last fragment nothing is needed.
        others += 1
        guard box.end <= file.size, others < 1024 else { return }
        offset = box.end
      }
    }
  }

  /// Takes up one fragment and says where it ends; nil where nothing of it is whole.
  private mutating func readFragment(_ moof: Box) throws(MovieFileError) -> Int? {
    guard let mdat = try mediaBox(after: moof) else { return nil }
    let available = mdat.payload..<min(mdat.end, file.size)
    let bytes = try file.read(at: moof.start, count: moof.end - moof.start)
    var cursor = ByteCursor(bytes)
    try cursor.skip(moof.payload - moof.start)
    var kept = 0
    var keptEnd = available.lowerBound
    var counts: [Repair] = []
    var dataEnd = moof.start
    var isDamaged = false
    do throws(MovieFileError) {
      while let box = try cursor.nextBox() {
        guard box.type == .traf else { continue }
        var reader = TrackFragmentReader(bytes, in: box.range, moof: moof.start, previousEnd: dataEnd)
        guard let index = try reader.readHeader(tracks: trackIndex, header: header) else { continue }
        if let time = reader.decodeTime { tables[index].seek(to: time) }
        while let run = try reader.nextRun() {
          guard sampleCount + Int(run.count) <= SampleTable.largestCount else {
            throw MovieFileError(.tooLarge, "the movie claims more than \(SampleTable.largestCount) samples")
          }
          tables[index].beginChunk()
          var taken: UInt32 = 0
          while taken < run.count {
            let sample = try reader.nextSample()
            guard available.lowerBound <= sample.offset, sample.offset + Int(sample.size) <= available.upperBound
            else { break }
            tables[index].append(sample, needsSync: header.tracks[index].kind == .video)
            keptEnd = max(keptEnd, sample.offset + Int(sample.size))
            taken += 1
          }
          kept += Int(taken)
          sampleCount += Int(taken)
          if taken < run.count {
            counts.append(Repair(offset: moof.start + run.countPosition, bytes: bigEndian(UInt64(taken), 4)))
            reader.skipRun()
          }
        }
        dataEnd = reader.dataEnd
      }
    } catch {
      guard error.kind == .damaged else { throw error }
      isDamaged = true
    }
    guard mdat.end > file.size || mdat.isOpenEnded else { return isDamaged && kept == 0 ? nil : mdat.end }
    let size = UInt64(keptEnd - mdat.start)
    guard kept > 0, mdat.isLarge || size <= UInt32.max else { return nil }
    repairs = counts
    repairs.append(
      mdat.isLarge
        ? Repair(offset: mdat.start + 8, bytes: bigEndian(size, 8))
        : Repair(offset: mdat.start, bytes: bigEndian(size, 4)))
    return keptEnd
  }

  /// The media of a fragment: the first `mdat` before the next `moof`.
  private func mediaBox(after moof: Box) throws(MovieFileError) -> Box? {
    var offset = moof.end
    for _ in 0..<16 {
      guard let box = try file.box(at: offset, within: file.size), box.type != .moof else { return nil }
      if box.type == .mdat { return box }
      offset = box.end
    }
    return nil
  }
}

/// A number's lowest bytes, the highest first.
func bigEndian(_ value: UInt64, _ width: Int) -> [UInt8] {
  (0..<width).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * (width - 1 - $0))) }
}
