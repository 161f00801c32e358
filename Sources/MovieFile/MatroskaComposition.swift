/// A Matroska or WebM file that is made of another's blocks: writes what stands around them.
public struct MatroskaComposition: Sendable {
  /// A track of the new file.
  public struct Track: Sendable {
    /// The number of the source's track in its list.
    public var source: Int
    /// What a decoder has to know beforehand.
    public var codecPrivate: [UInt8]
    /// Nanoseconds of sound that a decoder throws away at the beginning.
    public var codecDelay: Int

    /// A track of these values.
    public init(source: Int, codecPrivate: [UInt8], codecDelay: Int) {
      self.source = source
      self.codecPrivate = codecPrivate
      self.codecDelay = codecDelay
    }
  }

  private let index: MatroskaIndex
  private let tracks: [Track]
  private let seconds: Double

  /// A file of these tracks of a source that lasts so many seconds.
  public init(_ index: MatroskaIndex, tracks: [Track], seconds: Double) {
    self.index = index
    self.tracks = tracks
    self.seconds = seconds
  }

  /// Everything before the first cluster. `size`, `cues`: bytes of the segment and from its beginning to its index, where
  /// they are known; the length is the same with every value.
  public func head(size: Int? = nil, cues: Int = 0) -> [UInt8] {
    let info = MatroskaWriting.element(
      MatroskaID.info,
      MatroskaWriting.element(MatroskaID.timestampScale, UInt64(index.tick))
        + MatroskaWriting.element(MatroskaID.duration, bigEndian((seconds * 1e9 / Double(index.tick)).bitPattern, 8))
        + index.info)
    let entries = tracks.flatMap { MatroskaWriting.element(MatroskaID.track, entry($0)) }
    let body: [(id: UInt32, bytes: [UInt8])] = [
      (MatroskaID.info, info), (MatroskaID.tracks, MatroskaWriting.element(MatroskaID.tracks, entries)),
      (MatroskaID.tags, index.tags),
    ].filter { !$0.1.isEmpty }
    var seeks = seekHead(body.map { ($0.id, 0) } + [(MatroskaID.cues, 0)])
    var place = seeks.count
    var places: [(UInt32, Int)] = []
    for part in body {
      places.append((part.id, place))
      place += part.bytes.count
    }
    seeks = seekHead(places + [(MatroskaID.cues, cues)])
    let segment = bigEndian(UInt64(MatroskaID.segment), 4)
    let length = size.map { MatroskaWriting.size($0, width: 8) } ?? [0x01] + [UInt8](repeating: 0xFF, count: 7)
    return index.header + segment + length + seeks + body.flatMap(\.bytes)
  }

  /// Bytes from the file's beginning to the segment's payload.
  public var segmentStart: Int { index.header.count + 12 }

  /// The head of a cluster; its size is in the 8 bytes behind its name.
  public static func cluster(at ticks: Int) -> [UInt8] {
    bigEndian(UInt64(MatroskaID.cluster), 4) + [0x01] + [UInt8](repeating: 0xFF, count: 7)
      + MatroskaWriting.element(MatroskaID.timestamp, UInt64(max(0, ticks)))
  }

  /// The size of a cluster, for the 8 bytes behind its name. `count`: bytes behind those.
  public static func clusterSize(_ count: Int) -> [UInt8] { MatroskaWriting.size(count, width: 8) }

  /// What stands before the bytes of a sample. `ticks`: from the cluster's time. `padding`: nanoseconds of sound at its
  /// end that are thrown away.
  public func block(_ track: Track, ticks: Int16, _ sample: MovieSample, padding: Int = 0) -> [UInt8] {
    let size = Int(sample.size)
    let lacing = UInt8(sample.description & 0x06)
    let time = bigEndian(UInt64(UInt16(bitPattern: ticks)), 2)
    let number = [0x80 | UInt8(clamping: index.tracks[track.source].number)]
    guard padding > 0 else {
      return [UInt8(MatroskaID.simpleBlock)] + MatroskaWriting.size(size + 4, width: 4) + number + time
        + [lacing | (sample.isSync ? 0x80 : 0)]
    }
    // signed, and so one bit wider than its value
    let discard = MatroskaWriting.element(MatroskaID.discardPadding, bigEndian(UInt64(padding), 8))
    let block = [UInt8(MatroskaID.block)] + MatroskaWriting.size(size + 4, width: 4) + number + time + [lacing]
    return [UInt8(MatroskaID.blockGroup)] + MatroskaWriting.size(discard.count + block.count + size, width: 4) + discard
      + block
  }

  /// The index. Each cue: ticks, the track, and bytes from the segment's payload to its cluster.
  public func cues(_ cues: [(ticks: Int, track: Track, position: Int)]) -> [UInt8] {
    MatroskaWriting.element(
      MatroskaID.cues,
      cues.flatMap { cue in
        MatroskaWriting.element(
          MatroskaID.cuePoint,
          MatroskaWriting.element(MatroskaID.cueTime, UInt64(max(0, cue.ticks)))
            + MatroskaWriting.element(
              MatroskaID.cueTrackPositions,
              MatroskaWriting.element(MatroskaID.cueTrack, UInt64(index.tracks[cue.track.source].number))
                + MatroskaWriting.element(MatroskaID.cueClusterPosition, UInt64(cue.position))))
      })
  }

  private func seekHead(_ places: [(id: UInt32, place: Int)]) -> [UInt8] {
    MatroskaWriting.element(
      MatroskaID.seekHead,
      places.flatMap { id, place in
        MatroskaWriting.element(
          MatroskaID.seek,
          MatroskaWriting.element(MatroskaID.seekID, bigEndian(UInt64(id), 4))
            + MatroskaWriting.element(MatroskaID.seekPosition, bigEndian(UInt64(place), 8)))
      })
  }

  /// A track's description with its own private data and delay.
  private func entry(_ track: Track) -> [UInt8] {
    let source = index.tracks[track.source].entry
    var kept: [UInt8] = []
    var position = 0
    while position < source.count, source[position] >= 0x10 {
      let idWidth = source[position].leadingZeroBitCount + 1
      guard position + idWidth < source.count, source[position + idWidth] != 0 else { break }
      let sizeWidth = source[position + idWidth].leadingZeroBitCount + 1
      let payload = position + idWidth + sizeWidth
      guard payload <= source.count else { break }
      let id = source[position..<position + idWidth].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      let size =
        source[position + idWidth..<payload].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } & MatroskaReader.ones(sizeWidth)
      guard size <= UInt64(source.count - payload) else { break }
      let end = payload + Int(size)
      if id != MatroskaID.codecPrivate, id != MatroskaID.codecDelay { kept += source[position..<end] }
      position = end
    }
    if !track.codecPrivate.isEmpty { kept += MatroskaWriting.element(MatroskaID.codecPrivate, track.codecPrivate) }
    if track.codecDelay > 0 { kept += MatroskaWriting.element(MatroskaID.codecDelay, UInt64(track.codecDelay)) }
    return kept
  }
}
