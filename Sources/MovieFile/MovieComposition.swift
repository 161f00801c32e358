/// A movie that is made of another's samples: lays out and writes what stands around them.
///
/// `ftyp`, `moov`, `free`, then one `mdat`, so that it can be played while it is still being read. Creation times, names,
/// languages, matrices and tags are those of the source.
public struct MovieComposition: Sendable {
  /// A track of the new movie.
  public struct Track: Sendable {
    /// The number of the source's track that it is made from.
    public var source: Int
    /// Its sample descriptions.
    public var entries: [SampleEntry]
    /// Its samples in the order of decoding; offsets in the new file, times from 0, composition offsets 0 or more.
    public var samples: [MovieSample]
    /// Ticks of the track at which its presentation begins.
    public var start: Int
    /// Ticks of the track that it is presented.
    public var duration: Int
    /// Seconds of the movie before it begins.
    public var delay: Double

    /// A track of these values.
    public init(
      source: Int, entries: [SampleEntry], samples: [MovieSample], start: Int, duration: Int, delay: Double
    ) {
      self.source = source
      self.entries = entries
      self.samples = samples
      self.start = start
      self.duration = duration
      self.delay = delay
    }
  }

  /// Bytes between the place for the index and the media: the header of `mdat`, and room for it to be a long one.
  private static let mediaHeaderSize = 16

  private let index: MovieIndex
  private let tracks: [Track]
  /// Ticks a second of the movie: those of the sound, so that its place is exact to the sample.
  private let timescale: UInt32

  /// A movie of these tracks of a source. The tracks' `source` must be numbers of the index.
  public init(_ index: MovieIndex, tracks: [Track]) {
    self.index = index
    self.tracks = tracks
    let lead = tracks.first { index.tracks[$0.source].kind == .audio } ?? tracks.first
    timescale = max(1000, lead.map { index.tracks[$0.source].timescale } ?? index.timescale)
  }

  /// Seconds from the start to the end of the longest track.
  public var duration: Double { Double(tracks.map(end).max() ?? 0) / Double(timescale) }

  /// Where the media can begin, so that the index finds room in front of it; some more than it needs now.
  public var mediaStart: Int {
    (fileType.count + movieBox.size + 4096 + Self.mediaHeaderSize + 4095) / 4096 * 4096
  }

  /// Writes everything but the media, which stands in the file already from one offset to another. `start`: what
  /// `mediaStart` said. Returns the size of the file.
  public func write(to descriptor: Int32, mediaFrom start: Int, to end: Int) throws(MovieFileError) -> Int {
    let box = movieBox
    let room = start - Self.mediaHeaderSize - fileType.count
    guard box.size <= Int(UInt32.max), room >= 8 else {
      throw MovieFileError(.tooLarge, "the movie's index is larger than 4 GiB")
    }
    var writer = BoxWriter(descriptor: descriptor, offset: 0)
    try writer.append(fileType)
    let isInFront = box.size == room || box.size <= room - 8
    if isInFront { try box.write(to: &writer) }
    let rest = room - (isInFront ? box.size : 0)
    if rest > 0 { try writer.append(makeBox(FourCharacterCode("free"), [UInt8](repeating: 0, count: rest - 8))) }
    let size = end - start
    if size + 8 <= Int(UInt32.max) {
      try writer.append(makeBox(FourCharacterCode("free"), []))
      try writer.header(.mdat, size: size + 8)
    } else {
      try writer.append(bigEndian(1, 4) + bigEndian(UInt64(FourCharacterCode.mdat.rawValue), 4))
      try writer.uint(UInt64(size + Self.mediaHeaderSize), 8)
    }
    try writer.flush()
    guard !isInFront else { return end }
    var behind = BoxWriter(descriptor: descriptor, offset: end)
    try box.write(to: &behind)
    try behind.flush()
    return end + box.size
  }

  // MARK: Boxes

  private var fileType: [UInt8] {
    let hasPicture = tracks.contains { index.tracks[$0.source].kind == .video }
    let brands =
      index.isQuickTime
      ? ["qt  ", "qt  "]
      : hasPicture
        ? ["isom", "isom", "iso2", "avc1", "mp41", "mp42"] : ["M4A ", "M4A ", "isom", "iso2", "mp42"]
    let codes: [[UInt8]] = brands.map { bigEndian(UInt64(FourCharacterCode($0).rawValue), 4) }
    let compatible: [UInt8] = Array(codes.dropFirst().joined())
    return makeBox(.ftyp, codes[0] + bigEndian(0x200, 4) + compatible)
  }

  private var movieBox: BoxNode {
    let duration = tracks.map(end).max() ?? 0
    let header = timed(
      .mvhd, index.movieHeader, between: 4, duration: duration, replacing: bigEndian(UInt64(timescale), 4))
    return .container(.moov, [.bytes(header)] + tracks.map(trackBox) + index.userBoxes.map { .bytes($0) })
  }

  /// Ticks of the movie.
  private func delay(_ track: Track) -> Int {
    Int(min(max(0, track.delay) * Double(timescale), Double(1 << 50)).rounded())
  }

  private func shown(_ track: Track) -> Int {
    rescale(track.duration, from: index.tracks[track.source].timescale, to: timescale)
  }

  private func end(_ track: Track) -> Int { delay(track) + shown(track) }

  /// A header of the source with another duration, in 64 bits where 32 won't do. `between`: bytes between its times and
  /// its duration; `replacing`: what to put there.
  private func timed(
    _ type: FourCharacterCode, _ payload: [UInt8], between: Int, duration: Int, replacing: [UInt8]? = nil
  ) -> [UInt8] {
    let wasLong = payload.first == 1
    let width = wasLong ? 8 : 4
    let times = payload.dropFirst(4).prefix(2 * width)
    let middle = Array(payload.dropFirst(4 + 2 * width).prefix(between))
    let rest = payload.dropFirst(4 + 2 * width + between + width)
    let isLong = wasLong || duration >= Int(UInt32.max)
    let filling: [UInt8] = isLong && !wasLong ? [0, 0, 0, 0] : []
    var bytes: [UInt8] = [isLong ? 1 : 0]
    bytes += payload.dropFirst().prefix(3)
    for time in [times.prefix(width), times.dropFirst(width)] {
      bytes += filling
      bytes += time
    }
    bytes += replacing ?? middle
    bytes += bigEndian(UInt64(max(0, duration)), isLong ? 8 : 4)
    bytes += rest
    return makeBox(type, bytes)
  }

  private func trackBox(_ track: Track) -> BoxNode {
    let source = index.tracks[track.source]
    let boxes = source.boxes
    let ticks = track.samples.reduce(0) { $0 + Int($1.duration) }
    let header = timed(.tkhd, boxes.trackHeader, between: 8, duration: end(track))
    let mediaHeader = timed(
      .mdhd, boxes.mediaHeader, between: 4, duration: ticks, replacing: bigEndian(UInt64(source.timescale), 4))
    return .container(
      .trak,
      [
        .bytes(header), .bytes(editBox(track)),
        .container(
          .mdia,
          [
            .bytes(mediaHeader), .bytes(makeBox(.hdlr, boxes.handler)), .bytes(boxes.mediaOthers),
            .container(.minf, [.bytes(boxes.informationOthers), tableBox(track)]),
          ]),
        .bytes(boxes.trackOthers),
      ])
  }

  private func editBox(_ track: Track) -> [UInt8] {
    let delay = delay(track)
    let duration = shown(track)
    let isLong = max(delay, track.start, duration) > Int(Int32.max)
    let width = isLong ? 8 : 4
    var edits: [UInt8] = []
    if delay > 0 { edits += bigEndian(UInt64(delay), width) + bigEndian(.max, width) + bigEndian(0x1_0000, 4) }
    edits +=
      bigEndian(UInt64(duration), width) + bigEndian(UInt64(max(0, track.start)), width) + bigEndian(0x1_0000, 4)
    return makeBox(
      .edts,
      makeBox(.elst, bigEndian(isLong ? 1 : 0, 1) + bigEndian(0, 3) + bigEndian(delay > 0 ? 2 : 1, 4) + edits))
  }

  private func tableBox(_ track: Track) -> BoxNode {
    var table = SampleTable()
    for (number, sample) in track.samples.enumerated() {
      // players read a chunk at a time
      if number % 64 == 0 { table.beginChunk() }
      table.append(
        SampleTable.Sample(
          offset: sample.offset, size: sample.size, duration: sample.duration,
          compositionOffset: sample.compositionOffset, isSync: sample.isSync, description: UInt32(sample.description)),
        needsSync: false)
    }
    let entries = track.entries.flatMap(\.bytes)
    var children: [BoxNode] = [
      .bytes(makeBox(.stsd, bigEndian(0, 4) + bigEndian(UInt64(track.entries.count), 4) + entries)),
      .timeToSample(table.durations),
    ]
    if table.compositionOffsets.runs.contains(where: { $0.value != 0 }) {
      children.append(.compositionOffsets(table.compositionOffsets, shift: 0))
    }
    if !table.isAllSync { children.append(.syncSamples(table.syncSamples)) }
    let isLong = table.chunks.contains { $0.offset > Int(UInt32.max) }
    children += [.sampleToChunk(table.chunks), .sizes(table.sizes), .chunkOffsets(table.chunks, isLong: isLong)]
    let roll = index.tracks[track.source].boxes.rollGroups
    if !roll.isEmpty {
      let group = bigEndian(0, 4) + Array("roll".utf8) + bigEndian(1, 4) + bigEndian(UInt64(table.count), 4)
      children += [.bytes(roll), .bytes(makeBox(FourCharacterCode("sbgp"), group + bigEndian(1, 4)))]
    }
    return .container(.stbl, children)
  }
}
