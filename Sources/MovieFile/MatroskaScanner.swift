/// What stands in a Matroska file, up to the last whole block. Trusts nothing that the file claims.
struct MatroskaScanner {
  struct Track {
    var number: UInt64
    var isVideo: Bool
    /// Nanoseconds that a block lasts; nil where the file doesn't say.
    var defaultDuration: Int?
    var width: Int?
    var height: Int?
    var blocks = 0
    /// Ticks of the last block, and of the one before it.
    var last = 0
    var beforeLast: Int?
  }

  /// A place to seek to.
  struct Cue {
    var ticks: Int
    var track: UInt64
    /// Bytes from the segment's payload to the cluster.
    var position: Int
  }

  let segment: MatroskaElement
  private(set) var seeks: [(element: MatroskaElement, id: UInt32, position: MatroskaElement)] = []
  /// Room in the seek head.
  private(set) var freeSeek: MatroskaElement?
  private(set) var info: MatroskaElement?
  private(set) var tracksElement: MatroskaElement?
  private(set) var duration: MatroskaElement?
  private(set) var date: MatroskaElement?
  private(set) var cues: MatroskaElement?
  private(set) var ticksPerSecond = 1000.0
  private(set) var tracks: [Track] = []
  private(set) var keyPoints: [Cue] = []
  /// What the tags say that were come by.
  private(set) var metadata = MovieMetadata()
  /// Where the last cluster begins, and where the last whole block ends.
  private(set) var lastCluster: MatroskaElement?
  private(set) var clustersEnd = 0
  private var reader: MatroskaReader

  static func isMatroska(_ file: BoxFile) throws(MovieFileError) -> Bool {
    try file.read(at: 0, count: 4) == bigEndian(UInt64(MatroskaID.header), 4)
  }

  /// `headersOnly`: nothing from the first cluster on.
  init(_ file: BoxFile, headersOnly: Bool = false) throws(MovieFileError) {
    reader = MatroskaReader(file)
    guard let header = try reader.element(at: 0, within: file.size), header.id == MatroskaID.header,
      let end = header.end, let segment = try reader.element(at: end, within: file.size),
      segment.id == MatroskaID.segment
    else { throw MovieFileError(.noSamples, "the file ends before its first picture") }
    self.segment = segment
    var offset = segment.payload
    let limit = min(segment.end ?? file.size, file.size)
    while offset < limit, let element = try reader.element(at: offset, within: limit) {
      if element.id == MatroskaID.cluster {
        if headersOnly { break }
        offset = try readCluster(element, limit)
        if element.end != offset { break }
        continue
      }
      guard let end = element.end, end <= limit else { break }
      try read(element)
      offset = end
    }
  }

  /// True where the file was ended in order.
  var isFinished: Bool {
    guard let end = segment.end else { return false }
    return end <= reader.file.size && cues != nil
  }

  /// Seconds that the file says it lasts; nil where it says nothing.
  func toldSeconds() throws(MovieFileError) -> Double? {
    guard let duration, let end = duration.end else { return nil }
    let number = try reader.file.read(at: duration.payload, count: min(8, end - duration.payload))
    let bits = number.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let ticks: Double? =
      switch number.count {
      case 8: Double(bitPattern: bits)
      case 4: Double(Float(bitPattern: UInt32(bits)))
      default: nil
      }
    guard let ticks, ticks > 0, ticks.isFinite else { return nil }
    return ticks / ticksPerSecond
  }

  /// When it was made, in nanoseconds since 2001; nil where it doesn't say.
  func toldDate() throws(MovieFileError) -> Int? {
    guard let date, date.end == date.payload + 8 else { return nil }
    let bytes = try reader.file.read(at: date.payload, count: 8)
    guard bytes.count == 8 else { return nil }
    return Int(Int64(bitPattern: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }))
  }

  /// Reads the tags that the seek head names.
  mutating func readTags() throws(MovieFileError) {
    for seek in seeks where seek.id == MatroskaID.tags {
      let position = Int(clamping: try reader.number(seek.position))
      let (offset, isTooFar) = segment.payload.addingReportingOverflow(position)
      guard !isTooFar, let element = try reader.element(at: offset, within: reader.file.size),
        element.id == MatroskaID.tags
      else { continue }
      try MatroskaTags.read(element, &reader, into: &metadata)
    }
  }

  /// Seconds to the end of the longest track.
  var seconds: Double {
    tracks.filter { $0.blocks > 0 }.map { track in
      let gap = track.beforeLast.map { (Double(track.last) - Double($0)) / ticksPerSecond } ?? 0
      return Double(track.last) / ticksPerSecond + (track.defaultDuration.map { Double($0) / 1e9 } ?? gap)
    }.max() ?? 0
  }

  private mutating func read(_ element: MatroskaElement) throws(MovieFileError) {
    switch element.id {
    case MatroskaID.seekHead:
      let entries = try reader.children(of: element)
      freeSeek = entries.first { $0.id == MatroskaID.void }
      for seek in entries where seek.id == MatroskaID.seek {
        let parts = try reader.children(of: seek)
        guard let id = parts.first(where: { $0.id == MatroskaID.seekID }),
          let position = parts.first(where: { $0.id == MatroskaID.seekPosition })
        else { continue }
        seeks.append((seek, UInt32(truncatingIfNeeded: try reader.number(id)), position))
      }
    case MatroskaID.info:
      info = element
      for part in try reader.children(of: element) {
        switch part.id {
        case MatroskaID.timestampScale: ticksPerSecond = 1e9 / Double(max(1, try reader.number(part)))
        case MatroskaID.duration: duration = part
        case MatroskaID.date: date = part
        default: break
        }
      }
    case MatroskaID.tracks:
      tracksElement = element
      for entry in try reader.children(of: element) where entry.id == MatroskaID.track {
        tracks.append(try readTrack(entry))
      }
    case MatroskaID.cues: cues = element
    case MatroskaID.tags: try MatroskaTags.read(element, &reader, into: &metadata)
    default: break
    }
  }

  private mutating func readTrack(_ entry: MatroskaElement) throws(MovieFileError) -> Track {
    var track = Track(number: 0, isVideo: false)
    for part in try reader.children(of: entry) {
      switch part.id {
      case MatroskaID.trackNumber: track.number = try reader.number(part)
      case MatroskaID.trackType: track.isVideo = try reader.number(part) == 1
      case MatroskaID.defaultDuration: track.defaultDuration = Int(clamping: try reader.number(part))
      case MatroskaID.video:
        for size in try reader.children(of: part) {
          if size.id == MatroskaID.width { track.width = Int(clamping: try reader.number(size)) }
          if size.id == MatroskaID.height { track.height = Int(clamping: try reader.number(size)) }
        }
      default: break
      }
    }
    return track
  }

  /// Reads the blocks of a cluster. Returns where it ends: at its size, at the next element of its parent's level, or
  /// behind the last whole block.
  private mutating func readCluster(_ cluster: MatroskaElement, _ limit: Int) throws(MovieFileError) -> Int {
    var offset = cluster.payload
    var ticks = 0
    var hasBlock = false
    let end = min(cluster.end ?? limit, limit)
    while offset < end, let element = try reader.element(at: offset, within: end) {
      // names of the level above have four bytes
      if cluster.end == nil, element.id > 0xFF_FFFF { break }
      guard let next = element.end, next <= end else { break }
      switch element.id {
      case MatroskaID.timestamp: ticks = Int(clamping: try reader.number(element))
      case MatroskaID.simpleBlock:
        let flags = try reader.bytes(at: element.payload + 3, count: 1).first ?? 0
        try readBlock(element, ticks, isKey: flags & 0x80 != 0, cluster, &hasBlock)
      case MatroskaID.blockGroup:
        let parts = try reader.children(of: element)
        let isKey = !parts.contains { $0.id == MatroskaID.reference }
        if let block = parts.first(where: { $0.id == MatroskaID.block }) {
          try readBlock(block, ticks, isKey: isKey, cluster, &hasBlock)
        }
      default: break
      }
      offset = next
    }
    guard hasBlock else { return cluster.end == offset ? offset : cluster.start }
    lastCluster = cluster
    clustersEnd = offset
    return offset
  }

  private mutating func readBlock(
    _ block: MatroskaElement, _ clusterTicks: Int, isKey: Bool, _ cluster: MatroskaElement, _ hasBlock: inout Bool
  ) throws(MovieFileError) {
    let head = Array(try reader.bytes(at: block.payload, count: 4))
    // the number of a track is one byte as far as a recording goes
    guard head.count == 4, head[0] & 0x80 != 0,
      let index = tracks.firstIndex(where: { $0.number == UInt64(head[0] & 0x7F) })
    else { return }
    let ticks = clusterTicks &+ Int(Int16(bitPattern: UInt16(head[1]) << 8 | UInt16(head[2])))
    hasBlock = true
    tracks[index].blocks += 1
    if tracks[index].blocks > 1 { tracks[index].beforeLast = tracks[index].last }
    tracks[index].last = ticks
    let hasVideo = tracks.contains { $0.isVideo }
    let position = cluster.start - segment.payload
    guard isKey, tracks[index].isVideo == hasVideo, keyPoints.last?.position != position else { return }
    keyPoints.append(Cue(ticks: ticks, track: tracks[index].number, position: position))
  }
}
