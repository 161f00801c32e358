/// All that an editor has to know of a Matroska or WebM file: every block, and what goes into another file as it is.
/// Trusts nothing that the file claims.
public struct MatroskaIndex: Sendable {
  /// A track with its blocks in the order of the file.
  public struct Track: Sendable {
    /// How the file names it, 1 ... 126.
    public var number = 0
    /// What it holds.
    public var kind = MovieTrack.Kind.other
    /// Such as `V_VP9` or `A_OPUS`.
    public var codec = ""
    /// What a decoder has to know beforehand.
    public var codecPrivate: [UInt8] = []
    /// Nanoseconds of sound that a decoder throws away at the beginning.
    public var codecDelay = 0
    /// Nanoseconds that a block lasts; nil where the file doesn't say.
    public var defaultDuration: Int?
    /// Samples of sound a second.
    public var rate = 0.0
    /// Pixels, before any turn.
    public var width = 0
    /// Pixels, before any turn.
    public var height = 0
    /// The blocks. A sample's bytes begin behind the block's header; its `description` holds the bits that say how it is
    /// laced, its times are ticks of the file, its decode times only say the order.
    public internal(set) var samples: [MovieSample] = []
    /// Nanoseconds of sound at the end of the last block that are thrown away.
    public internal(set) var endPadding = 0
    /// Whether its blocks are packed or encrypted as a whole.
    public var isEncoded = false
    var entry: [UInt8] = []
  }

  /// Nanoseconds of a tick.
  public private(set) var tick = 1_000_000
  /// True for WebM.
  public private(set) var isWebM = false
  /// The tracks in the order of the file.
  public private(set) var tracks: [Track] = []
  /// Elements that go into another file as they are: the header, title and date, tags.
  private(set) var header: [UInt8] = []
  private(set) var info: [UInt8] = []
  private(set) var tags: [UInt8] = []
  private var reader: MatroskaReader

  /// Whether the file behind a descriptor begins as Matroska does.
  public static func isMatroska(descriptor: Int32) throws(MovieFileError) -> Bool {
    try MatroskaScanner.isMatroska(BoxFile(descriptor: descriptor))
  }

  /// What stands in the file behind a descriptor, up to the last whole block; its position is neither used nor moved.
  /// Blocks while it reads the head of each block.
  public static func read(descriptor: Int32) throws(MovieFileError) -> MatroskaIndex {
    try MatroskaIndex(BoxFile(descriptor: descriptor))
  }

  private init(_ file: BoxFile) throws(MovieFileError) {
    // little at once: what lies between the heads of blocks is not needed
    reader = MatroskaReader(file, window: 128)
    guard let head = try reader.element(at: 0, within: file.size), head.id == MatroskaID.header, let end = head.end,
      end < 4096, let segment = try reader.element(at: end, within: file.size), segment.id == MatroskaID.segment
    else { throw MovieFileError(.noSamples, "the file ends before its first picture") }
    header = try file.read(at: 0, count: end)
    isWebM = header.contains(0x77) && String(decoding: header, as: UTF8.self).contains("webm")
    let limit = min(segment.end ?? file.size, file.size)
    var offset = segment.payload
    while offset < limit, let element = try reader.element(at: offset, within: limit) {
      if element.id == MatroskaID.cluster {
        offset = try readCluster(element, limit)
        continue
      }
      guard let end = element.end, end <= limit else { break }
      try read(element, end)
      offset = end
    }
    guard tracks.contains(where: { !$0.samples.isEmpty }) else {
      throw MovieFileError(.noSamples, "the movie holds neither picture nor sound")
    }
    for index in tracks.indices { settleTimes(&tracks[index]) }
  }

  private mutating func read(_ element: MatroskaElement, _ end: Int) throws(MovieFileError) {
    switch element.id {
    case MatroskaID.info:
      for part in try reader.children(of: element) {
        guard let partEnd = part.end, partEnd - part.start <= 4096 else { continue }
        switch part.id {
        case MatroskaID.timestampScale: tick = min(max(1, Int(clamping: try reader.number(part))), 1_000_000_000)
        case MatroskaID.title, MatroskaID.date, MatroskaID.muxer, MatroskaID.writer:
          info += try reader.file.read(at: part.start, count: partEnd - part.start)
        default: break
        }
      }
    case MatroskaID.tracks:
      for entry in try reader.children(of: element) where entry.id == MatroskaID.track {
        guard tracks.count < MovieHeader.largestTrackCount else {
          throw MovieFileError(.tooLarge, "the movie claims more than \(MovieHeader.largestTrackCount) tracks")
        }
        tracks.append(try readTrack(entry))
      }
    case MatroskaID.tags where end - element.start <= 1 << 20 && tags.isEmpty:
      tags = try reader.file.read(at: element.start, count: end - element.start)
    default: break
    }
  }

  private mutating func readTrack(_ entry: MatroskaElement) throws(MovieFileError) -> Track {
    var track = Track()
    guard let end = entry.end, end - entry.start <= 1 << 20 else {
      throw MovieFileError(.tooLarge, "a track's description is larger than is plausible")
    }
    track.entry = try reader.file.read(at: entry.payload, count: end - entry.payload)
    for part in try reader.children(of: entry) {
      func bytes() throws(MovieFileError) -> [UInt8] {
        try reader.file.read(at: part.payload, count: (part.end ?? part.payload) - part.payload)
      }
      switch part.id {
      case MatroskaID.trackNumber: track.number = Int(clamping: try reader.number(part))
      case MatroskaID.trackType:
        let type = try reader.number(part)
        track.kind = type == 1 ? .video : type == 2 ? .audio : .other
      case MatroskaID.codec: track.codec = String(decoding: try bytes(), as: UTF8.self)
      case MatroskaID.codecPrivate: track.codecPrivate = try bytes()
      case MatroskaID.codecDelay: track.codecDelay = Int(clamping: min(try reader.number(part), 10_000_000_000))
      case MatroskaID.defaultDuration:
        track.defaultDuration = Int(clamping: min(try reader.number(part), 1_000_000_000_000))
      case MatroskaID.contentEncodings: track.isEncoded = true
      case MatroskaID.video, MatroskaID.audio:
        for field in try reader.children(of: part) {
          switch field.id {
          case MatroskaID.width: track.width = Int(clamping: min(try reader.number(field), 1 << 20))
          case MatroskaID.height: track.height = Int(clamping: min(try reader.number(field), 1 << 20))
          case MatroskaID.samplingFrequency:
            let bits = try reader.number(field)
            let isLong = (field.end ?? 0) - field.payload == 8
            track.rate = isLong ? Double(bitPattern: bits) : Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
          default: break
          }
        }
      default: break
      }
    }
    return track
  }

  /// Reads the heads of the blocks of a cluster. Returns where it ends.
  private mutating func readCluster(_ cluster: MatroskaElement, _ limit: Int) throws(MovieFileError) -> Int {
    var offset = cluster.payload
    var ticks = 0
    let end = min(cluster.end ?? limit, limit)
    while offset < end, let element = try reader.element(at: offset, within: end) {
      // names of the level above have four bytes
      if cluster.end == nil, element.id > 0xFF_FFFF { return offset }
      guard let next = element.end, next <= end else { return limit }
      switch element.id {
      case MatroskaID.timestamp: ticks = Int(clamping: min(try reader.number(element), 1 << 50))
      case MatroskaID.simpleBlock: try readBlock(element, next, ticks, isKey: nil, duration: nil)
      case MatroskaID.blockGroup:
        let parts = try reader.children(of: element)
        guard let block = parts.first(where: { $0.id == MatroskaID.block }), let blockEnd = block.end else { break }
        var duration: UInt64?
        var padding = 0
        for part in parts {
          if part.id == MatroskaID.blockDuration { duration = try reader.number(part) }
          if part.id == MatroskaID.discardPadding {
            // a signed number of as many bytes as it takes; below 0 it adds silence, which cuts nothing off
            let shift = UInt64(64 - 8 * min(8, max(1, (part.end ?? part.payload) - part.payload)))
            let number = Int64(bitPattern: try reader.number(part) << shift) >> shift
            padding = Int(min(max(0, number), 10_000_000_000))
          }
        }
        try readBlock(
          block, blockEnd, ticks, isKey: !parts.contains { $0.id == MatroskaID.reference }, duration: duration,
          padding: padding)
      default: break
      }
      offset = next
    }
    return offset < end ? limit : end
  }

  private mutating func readBlock(
    _ block: MatroskaElement, _ end: Int, _ cluster: Int, isKey: Bool?, duration: UInt64?, padding: Int = 0
  ) throws(MovieFileError) {
    let head = Array(try reader.bytes(at: block.payload, count: 4))
    guard head.count == 4, head[0] & 0x80 != 0, end - block.payload > 4,
      let index = tracks.firstIndex(where: { $0.number == Int(head[0] & 0x7F) })
    else { return }
    // more does not fit into the four bytes that a size has in what is written of it
    guard end - block.payload < (1 << 28) - 64 else {
      throw MovieFileError(.tooLarge, "a block of \(end - block.payload) bytes is not plausible")
    }
    guard tracks.reduce(0, { $0 + $1.samples.count }) < MovieIndex.largestSampleCount else {
      throw MovieFileError(.tooLarge, "the movie claims more than \(MovieIndex.largestSampleCount) samples")
    }
    tracks[index].endPadding = padding
    let time = cluster + Int(Int16(bitPattern: UInt16(head[1]) << 8 | UInt16(head[2])))
    tracks[index].samples.append(
      MovieSample(
        offset: block.payload + 4, size: UInt32(clamping: end - block.payload - 4),
        duration: UInt32(clamping: duration ?? 0), decodeTime: time, compositionOffset: 0,
        isSync: isKey ?? (head[3] & 0x80 != 0), description: UInt16(head[3] & 0x06)))
  }

  /// Gives blocks that don't say it a duration, and times of decoding, which the file doesn't know.
  private func settleTimes(_ track: inout Track) {
    // so that no time is too large in nanoseconds
    let limit = (1 << 60) / tick
    for index in track.samples.indices {
      track.samples[index].decodeTime = min(max(track.samples[index].decodeTime, -limit), limit)
    }
    let order = track.samples.map(\.decodeTime).sorted()
    var last = max(1, track.defaultDuration.map { $0 / tick } ?? 1)
    if order.count > 1 { last = max(1, order[order.count - 1] - order[order.count - 2]) }
    if let duration = track.defaultDuration { last = max(1, (duration + tick / 2) / tick) }
    for index in track.samples.indices {
      let time = track.samples[index].decodeTime
      track.samples[index].compositionOffset = Int32(clamping: time - order[index])
      track.samples[index].decodeTime = order[index]
      guard track.samples[index].duration == 0 else { continue }
      let next = index + 1 < order.count ? order[index + 1] - order[index] : last
      track.samples[index].duration = UInt32(clamping: next)
    }
  }
}
