/// Lays out the `moov` of an ordinary movie from the tables of its fragments.
struct MovieBuilder {
  /// Where a track stands in the movie.
  struct Placement {
    /// Ticks of the movie before the track is shown.
    var empty: Int
    /// Ticks of the media at which showing begins.
    var mediaTime: Int
    /// Ticks of the movie that it is shown.
    var duration: Int
    var needsEdit: Bool { empty > 0 || mediaTime > 0 }
  }

  let header: MovieHeader
  let tables: [SampleTable]
  let metadata: MovieMetadata
  /// Ticks a second of the movie: those of the sound, so that its place is exact to the sample.
  let timescale: UInt32
  private(set) var placements: [Placement] = []

  init(header: MovieHeader, tables: [SampleTable], metadata: MovieMetadata) {
    self.header = header
    self.tables = tables
    self.metadata = metadata
    let present = header.tracks.indices.filter { tables[$0].count > 0 }
    let lead = present.first { header.tracks[$0].kind == .audio } ?? present.first
    timescale = max(1000, lead.map { header.tracks[$0].timescale } ?? header.timescale)
    let base = present.first { header.tracks[$0].kind == .video } ?? present.first
    for index in header.tracks.indices { placements.append(placement(of: index, base: base)) }
  }

  /// Ticks of the movie to the end of the longest track.
  var duration: Int { placements.map { $0.empty + $0.duration }.max() ?? 0 }

  /// The whole box.
  var box: BoxNode {
    var children: [BoxNode] = [.bytes(movieHeader)]
    for index in header.tracks.indices where tables[index].count > 0 {
      children.append(trackBox(index))
    }
    if let box = metadata.userDataBox { children.append(.bytes(box)) }
    if let box = metadata.keysBox { children.append(.bytes(box)) }
    return .container(.moov, children)
  }

  // MARK: Time

  /// The moment, in ticks of the media, at which the track's first sample is shown.
  private func start(of index: Int) -> Int {
    let track = header.tracks[index]
    let table = tables[index]
    guard let mediaTime = track.edits.mediaTime else { return table.start }
    return table.start + Int(table.firstCompositionOffset) - mediaTime
      + rescale(track.edits.empty, from: header.timescale, to: track.timescale)
  }

  /// The picture begins at 0; every other track stands where it stood relative to the first picture.
  private func placement(of index: Int, base: Int?) -> Placement {
    let track = header.tracks[index]
    let table = tables[index]
    guard table.count > 0, let base else { return Placement(empty: 0, mediaTime: 0, duration: 0) }
    let baseTrack = header.tracks[base]
    var offset = 0
    if index != base {
      if let seconds = metadata.audioOffset, track.kind == .audio, seconds.isFinite, abs(seconds) < 1e9 {
        let dropped = tables[base].start - (tables[base].writtenStart ?? 0)
        offset =
          Int((seconds * Double(track.timescale)).rounded())
          - rescale(dropped, from: baseTrack.timescale, to: track.timescale)
      } else {
        offset = start(of: index) - rescale(start(of: base), from: baseTrack.timescale, to: track.timescale)
      }
    }
    let priming = track.kind == .audio ? max(0, min(metadata.audioPriming, 1 << 20)) : 0
    // Something of the track is always shown, however much of its beginning is to be skipped.
    let skip = min(priming + max(0, -offset), max(0, table.duration - 1))
    return Placement(
      empty: rescale(max(0, offset), from: track.timescale, to: timescale),
      mediaTime: max(0, skip + Int(table.firstCompositionOffset) + Int(compositionShift(table))),
      duration: rescale(table.duration - skip, from: track.timescale, to: timescale))
  }

  /// What is added to all composition offsets, so that none is below 0 and version 0 of `ctts` will do.
  private func compositionShift(_ table: SampleTable) -> Int32 {
    table.leastCompositionOffset < 0 ? 0 &- table.leastCompositionOffset : 0
  }

  /// Seconds since 1904.
  private var creationTime: Int {
    guard let time = metadata.creationTime else { return header.creationTime }
    return max(0, min(time, 1 << 50) + MovieTime.epoch)
  }

  // MARK: Boxes

  /// Version, creation and modification time, what stands between, and a duration: in 64 bits where 32 won't do.
  private func timed(_ type: FourCharacterCode, flags: UInt64 = 0, _ between: [UInt8], duration: Int, _ rest: [UInt8])
    -> [UInt8]
  {
    let isLong = max(creationTime, duration) >= Int(UInt32.max)
    let width = isLong ? 8 : 4
    let time = bigEndian(UInt64(creationTime), width)
    return makeBox(
      type,
      bigEndian(isLong ? 1 : 0, 1) + bigEndian(flags, 3) + time + time + between
        + bigEndian(UInt64(max(0, duration)), width) + rest)
  }

  private static func words(_ values: [UInt32]) -> [UInt8] { values.flatMap { bigEndian(UInt64($0), 4) } }

  private var movieHeader: [UInt8] {
    let next = UInt64(min((header.tracks.map(\.id).max() ?? 0), .max - 1)) + 1
    let rest =
      bigEndian(0x1_0000, 4) + bigEndian(0x100, 2) + bigEndian(0, 2) + bigEndian(0, 8)
      + Self.words(Rotation.none.matrix(width: 0, height: 0)) + [UInt8](repeating: 0, count: 24)
    return timed(.mvhd, bigEndian(UInt64(timescale), 4), duration: duration, rest + bigEndian(next, 4))
  }

  private func trackBox(_ index: Int) -> BoxNode {
    let track = header.tracks[index]
    let placement = placements[index]
    var children: [BoxNode] = [.bytes(trackHeader(track, duration: placement.empty + placement.duration))]
    if placement.needsEdit { children.append(.bytes(editBox(placement))) }
    let table = tables[index]
    children.append(
      .container(
        .mdia,
        [
          .bytes(
            timed(
              .mdhd, bigEndian(UInt64(track.timescale), 4), duration: table.duration,
              bigEndian(UInt64(track.language), 2) + bigEndian(0, 2))),
          .bytes(
            makeBox(
              .hdlr,
              bigEndian(0, 8) + bigEndian(UInt64(track.handler.rawValue), 4) + bigEndian(0, 8) + bigEndian(0, 4)
                + handlerName(track.kind))),
          .container(.minf, [.bytes(mediaHeader(track)), .bytes(dataReference), sampleTableBox(track, table)]),
        ]))
    return .container(.trak, children)
  }

  private func trackHeader(_ track: MovieHeader.Track, duration: Int) -> [UInt8] {
    let isVideo = track.kind == .video
    let matrix = (isVideo ? metadata.rotation : .none).matrix(width: track.size.width, height: track.size.height)
    let rest =
      bigEndian(0, 8) + bigEndian(0, 4) + bigEndian(track.kind == .audio ? 0x100 : 0, 2) + bigEndian(0, 2)
      + Self.words(matrix) + Self.words([track.size.width, track.size.height])
    return timed(.tkhd, flags: 7, bigEndian(UInt64(track.id), 4) + bigEndian(0, 4), duration: duration, rest)
  }

  private func editBox(_ placement: Placement) -> [UInt8] {
    let isLong = max(placement.empty, placement.mediaTime, placement.duration) > Int(Int32.max)
    let width = isLong ? 8 : 4
    var edits: [UInt8] = []
    if placement.empty > 0 {
      edits += bigEndian(UInt64(placement.empty), width) + bigEndian(.max, width) + bigEndian(0x1_0000, 4)
    }
    edits +=
      bigEndian(UInt64(placement.duration), width) + bigEndian(UInt64(placement.mediaTime), width)
      + bigEndian(0x1_0000, 4)
    let list = bigEndian(isLong ? 1 : 0, 1) + bigEndian(0, 3) + bigEndian(placement.empty > 0 ? 2 : 1, 4) + edits
    return makeBox(.edts, makeBox(.elst, list))
  }

  private func handlerName(_ kind: MovieTrack.Kind) -> [UInt8] {
    let name =
      switch kind {
      case .video: "VideoHandler"
      case .audio: "SoundHandler"
      case .other: "DataHandler"
      }
    return Array(name.utf8) + [0]
  }

  private func mediaHeader(_ track: MovieHeader.Track) -> [UInt8] {
    guard track.mediaHeader.isEmpty else { return track.mediaHeader }
    return switch track.kind {
    case .video: makeBox(.vmhd, bigEndian(1, 4) + bigEndian(0, 8))
    case .audio: makeBox(.smhd, bigEndian(0, 8))
    case .other: makeBox(.nmhd, bigEndian(0, 4))
    }
  }

  /// The media lies in this same file.
  private var dataReference: [UInt8] {
    makeBox(.dinf, makeBox(.dref, bigEndian(0, 4) + bigEndian(1, 4) + makeBox(.url, bigEndian(1, 4))))
  }

  private func sampleTableBox(_ track: MovieHeader.Track, _ table: SampleTable) -> BoxNode {
    var children: [BoxNode] = [.bytes(track.sampleDescription), .timeToSample(table.durations)]
    if table.compositionOffsets.runs.contains(where: { $0.value != 0 }) {
      children.append(.compositionOffsets(table.compositionOffsets, shift: compositionShift(table)))
    }
    if track.kind == .video, !table.isAllSync { children.append(.syncSamples(table.syncSamples)) }
    let isLong = table.chunks.contains { $0.offset > Int(UInt32.max) }
    children += [
      .sampleToChunk(table.chunks), .sizes(table.sizes), .chunkOffsets(table.chunks, isLong: isLong),
    ]
    return .container(.stbl, children)
  }
}
