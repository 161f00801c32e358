/// What a `moov` says about its tracks, without the sample tables.
struct MovieHeader {
  struct Track {
    var id: UInt32
    var kind: MovieTrack.Kind
    var handler: FourCharacterCode
    var timescale: UInt32
    /// Ticks.
    var mediaDuration: Int
    var sampleCount: Int
    var language: UInt16
    /// Width and height as 16.16.
    var size: (width: UInt32, height: UInt32)
    var matrix: [UInt32]
    var edits: Edits
    /// Boxes that go into the finished movie as they are.
    var mediaHeader: [UInt8]
    var sampleDescription: [UInt8]
    var codec: String
    var defaults = FragmentDefaults()
  }

  /// The part of an edit list that recordings have: how long nothing is shown, then where in the media to begin.
  struct Edits {
    /// In ticks of the movie.
    var empty = 0
    /// In ticks of the media; nil where there is no edit.
    var mediaTime: Int?
    /// In ticks of the movie; nil where the edit doesn't say it.
    var duration: Int?
  }

  var timescale: UInt32
  /// Since 1904.
  var creationTime: Int
  var isFragmented: Bool
  var tracks: [Track]
  var metadata: MovieMetadata
}

/// What a `trex` says for the samples of a track that say nothing themselves.
struct FragmentDefaults {
  var description: UInt32 = 1
  var duration: UInt32 = 0
  var size: UInt32 = 0
  var flags: UInt32 = 0
}

extension MovieHeader {
  /// More tracks than this is not a recording.
  static let largestTrackCount = 32

  init(_ file: BoxFile, moov: Box) throws(MovieFileError) {
    timescale = 0
    creationTime = 0
    isFragmented = false
    tracks = []
    metadata = MovieMetadata()
    var defaults: [UInt32: FragmentDefaults] = [:]
    for box in try file.children(of: moov) {
      switch box.type {
      case .mvhd: try readMovieHeader(file, box)
      case .trak:
        guard tracks.count < Self.largestTrackCount else {
          throw MovieFileError(.tooLarge, "the movie claims more than \(Self.largestTrackCount) tracks")
        }
        tracks.append(try Track(file, trak: box))
      case .mvex:
        isFragmented = true
        for child in try file.children(of: box) where child.type == .trex {
          var cursor = try file.payload(of: child, limit: 64)
          try cursor.skip(4)
          let id = try cursor.uint32()
          defaults[id] = FragmentDefaults(
            description: try cursor.uint32(), duration: try cursor.uint32(), size: try cursor.uint32(),
            flags: try cursor.uint32())
        }
      case .meta, .udta: try metadata.read(file, box)
      default: break
      }
    }
    guard timescale > 0 else { throw MovieFileError(.damaged, "the movie header is missing or has no time scale") }
    for index in tracks.indices {
      tracks[index].defaults = defaults[tracks[index].id] ?? FragmentDefaults()
    }
    if creationTime > MovieTime.epoch { metadata.creationTime = creationTime - MovieTime.epoch }
    if let video = tracks.first(where: { $0.kind == .video }) { metadata.rotation = Rotation(matrix: video.matrix) }
  }

  private mutating func readMovieHeader(_ file: BoxFile, _ box: Box) throws(MovieFileError) {
    var cursor = try file.payload(of: box, limit: 128)
    let isLong = try cursor.versionAndFlags().version == 1
    creationTime = Int(clamping: try cursor.uint(isLong ? 8 : 4))
    try cursor.skip(isLong ? 8 : 4)
    timescale = try cursor.uint32()
  }
}

extension MovieHeader.Track {
  init(_ file: BoxFile, trak: Box) throws(MovieFileError) {
    self.init(
      id: 0, kind: .other, handler: FourCharacterCode(rawValue: 0), timescale: 0, mediaDuration: 0, sampleCount: 0,
      language: 0x55C4, size: (0, 0), matrix: [], edits: MovieHeader.Edits(), mediaHeader: [], sampleDescription: [],
      codec: "")
    for box in try file.children(of: trak) {
      switch box.type {
      case .tkhd:
        var cursor = try file.payload(of: box, limit: 128)
        let isLong = try cursor.versionAndFlags().version == 1
        try cursor.skip(isLong ? 16 : 8)
        id = try cursor.uint32()
        try cursor.skip(4 + (isLong ? 8 : 4) + 16)
        for _ in 0..<9 { matrix.append(try cursor.uint32()) }
        size = (try cursor.uint32(), try cursor.uint32())
      case .edts:
        for child in try file.children(of: box) where child.type == .elst {
          edits = try MovieHeader.Edits(file, child)
        }
      case .mdia: try readMedia(file, box)
      default: break
      }
    }
    guard timescale > 0, !sampleDescription.isEmpty else {
      throw MovieFileError(.damaged, "track \(id) has no time scale or no sample description")
    }
  }

  private mutating func readMedia(_ file: BoxFile, _ mdia: Box) throws(MovieFileError) {
    for box in try file.children(of: mdia) {
      switch box.type {
      case .mdhd:
        var cursor = try file.payload(of: box, limit: 64)
        let isLong = try cursor.versionAndFlags().version == 1
        try cursor.skip(isLong ? 16 : 8)
        timescale = try cursor.uint32()
        mediaDuration = Int(clamping: try cursor.uint(isLong ? 8 : 4))
        language = try cursor.uint16()
      case .hdlr:
        var cursor = try file.payload(of: box, limit: 64)
        try cursor.skip(8)
        handler = try cursor.code()
        kind = handler == .vide ? .video : handler == .soun ? .audio : .other
      case .minf:
        for child in try file.children(of: box) {
          switch child.type {
          case .vmhd, .smhd, .nmhd, .sthd:
            guard child.end - child.start <= 64 else { continue }
            mediaHeader = try file.read(at: child.start, count: child.end - child.start)
          case .stbl: try readTable(file, child)
          default: break
          }
        }
      default: break
      }
    }
  }

  private mutating func readTable(_ file: BoxFile, _ stbl: Box) throws(MovieFileError) {
    for box in try file.children(of: stbl) {
      switch box.type {
      case .stsd:
        guard box.end - box.start <= 1 << 20 else {
          throw MovieFileError(.tooLarge, "a sample description of \(box.end - box.start) bytes is not plausible")
        }
        sampleDescription = try file.read(at: box.start, count: box.end - box.start)
        var cursor = ByteCursor(sampleDescription)
        try cursor.skip(box.payload - box.start + 12)
        codec = try cursor.code().text
      case .stsz, .stz2:
        var cursor = try file.payload(of: box, limit: 16)
        try cursor.skip(8)
        sampleCount = Int(try cursor.uint32())
      default: break
      }
    }
  }
}

extension MovieHeader.Edits {
  init(_ file: BoxFile, _ elst: Box) throws(MovieFileError) {
    var cursor = try file.payload(of: elst, limit: 8 + 20 * 16)
    let width = try cursor.versionAndFlags().version == 1 ? 8 : 4
    let count = min(Int(try cursor.uint32()), 16)
    for _ in 0..<count {
      let segment = Int(clamping: try cursor.uint(width))
      let raw = try cursor.uint(width)
      let time = width == 8 ? Int(Int64(bitPattern: raw)) : Int(Int32(truncatingIfNeeded: raw))
      try cursor.skip(4)
      if time < 0 {
        empty = min(empty + min(segment, 1 << 50), 1 << 50)
      } else {
        mediaTime = min(time, 1 << 60)
        duration = segment > 0 ? segment : nil
        return
      }
    }
  }
}
