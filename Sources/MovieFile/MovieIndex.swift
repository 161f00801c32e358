/// One picture or packet of a track, as the tables of its movie describe it.
public struct MovieSample: Sendable, Equatable {
  /// Where its bytes begin in the file.
  public var offset: Int
  /// Bytes.
  public var size: UInt32
  /// Ticks of the track until the next sample is decoded.
  public var duration: UInt32
  /// Ticks of the track at which it is decoded.
  public var decodeTime: Int
  /// Ticks from its decoding to its presentation.
  public var compositionOffset: Int32
  /// Whether the file says that decoding can begin with it.
  public var isSync: Bool
  /// Which of the track's sample descriptions it has, from 1.
  public var description: UInt16

  /// A sample of these values.
  public init(
    offset: Int, size: UInt32, duration: UInt32, decodeTime: Int, compositionOffset: Int32, isSync: Bool,
    description: UInt16
  ) {
    self.offset = offset
    self.size = size
    self.duration = duration
    self.decodeTime = decodeTime
    self.compositionOffset = compositionOffset
    self.isSync = isSync
    self.description = description
  }

  /// Ticks of the track at which it is presented, before the edit list.
  public var presentationTime: Int { decodeTime + Int(compositionOffset) }
}

/// All that an editor has to know of an MP4 or QuickTime file, finished or not: every sample, and what goes into another
/// movie as it is. Trusts nothing that the file claims.
public struct MovieIndex: Sendable {
  /// A track with its samples in the order of decoding.
  public struct Track: Sendable {
    /// What it holds.
    public let kind: MovieTrack.Kind
    /// The four letters of its handler, such as `vide` or `tmcd`.
    public let handler: String
    /// Ticks a second, above 0.
    public let timescale: UInt32
    /// Its sample descriptions, at least one.
    public let entries: [SampleEntry]
    /// The samples. All of them lie within the file.
    public let samples: [MovieSample]
    /// What of them is presented, and when.
    public let presentation: Presentation
    let boxes: TrackBoxes

    /// Pixels as coded, before rotation; nil for what is no picture.
    public var size: (width: Int, height: Int)? {
      guard kind == .video, boxes.trackHeader.count >= 84 else { return nil }
      func pixels(_ bytes: ArraySlice<UInt8>) -> Int { bytes.prefix(2).reduce(0) { $0 << 8 | Int($1) } }
      return (pixels(boxes.trackHeader.suffix(8)), pixels(boxes.trackHeader.suffix(4)))
    }
  }

  /// The part of a track that is presented.
  public struct Presentation: Sendable, Equatable {
    /// Seconds of the movie before it begins, 0 or more.
    public var delay: Double
    /// Ticks of the track at which it begins.
    public var start: Int
    /// Ticks of the track at which it ends; nil: with the last sample.
    public var end: Int?

    /// A presentation of these values.
    public init(delay: Double = 0, start: Int = 0, end: Int? = nil) {
      self.delay = delay
      self.start = start
      self.end = end
    }
  }

  /// Ticks a second of the movie.
  public let timescale: UInt32
  /// True for a QuickTime file, which differs from MP4 in small things.
  public let isQuickTime: Bool
  /// The tracks in the order of the file, those without a sample too.
  public let tracks: [Track]
  /// The turn with which players show the picture upright.
  public let rotation: Rotation
  let movieHeader: [UInt8]
  let userBoxes: [[UInt8]]

  /// What stands in the file behind a descriptor, which must be readable; its position is neither used nor moved.
  /// Blocks while it reads the tables.
  public static func read(descriptor: Int32) throws(MovieFileError) -> MovieIndex {
    let file = try BoxFile(descriptor: descriptor)
    let moov = try MovieFile.movieBox(in: file)
    let header = try MovieHeader(file, moov: moov)
    let brand = try file.read(at: 8, count: 4)
    var boxes: [TrackBoxes] = []
    var movieHeader: [UInt8] = []
    var userBoxes: [[UInt8]] = []
    for box in try file.children(of: moov) {
      switch box.type {
      case .mvhd: movieHeader = try file.read(at: box.payload, count: min(box.end - box.payload, 128))
      case .trak: boxes.append(try TrackBoxes(file, trak: box, timescale: header.timescale))
      case .udta, .meta: userBoxes.append(try keptUserBox(file, box))
      default: break
      }
    }
    guard movieHeader.count >= 100 else { throw MovieFileError(.damaged, "the movie header is cut") }
    let samples =
      try header.isFragmented
      ? fragmentSamples(file, header: header, moov: moov) : tableSamples(file, boxes)
    var tracks: [Track] = []
    for (index, boxes) in boxes.enumerated() {
      let track = header.tracks[index]
      tracks.append(
        Track(
          kind: track.kind, handler: track.handler.text, timescale: track.timescale,
          entries: try SampleEntry.read(track.sampleDescription), samples: samples[index],
          presentation: boxes.presentation(timescale: track.timescale, movie: header.timescale), boxes: boxes))
    }
    if header.isFragmented { tracks = aligned(tracks) }
    return MovieIndex(
      timescale: header.timescale, isQuickTime: brand == Array("qt  ".utf8), tracks: tracks,
      rotation: header.metadata.rotation, movieHeader: movieHeader, userBoxes: userBoxes.filter { !$0.isEmpty })
  }

  /// The metadata of a movie as it is, without chapters, whose times would be wrong. Empty for a box that is too large.
  private static func keptUserBox(_ file: BoxFile, _ box: Box) throws(MovieFileError) -> [UInt8] {
    guard box.end - box.start <= 16 << 20 else { return [] }
    guard box.type == .udta else { return try file.read(at: box.start, count: box.end - box.start) }
    let bytes = try file.read(at: box.payload, count: box.end - box.payload)
    var cursor = ByteCursor(bytes)
    var kept: [UInt8] = []
    var start = 0
    do throws(MovieFileError) {
      while let child = try cursor.nextBox() {
        if child.type != FourCharacterCode("chpl") { kept += bytes[start..<child.range.upperBound] }
        start = child.range.upperBound
      }
    } catch {
      // metadata of other programs may look odd; what could be read is kept
      guard error.kind == .damaged else { throw error }
    }
    return kept.isEmpty ? [] : makeBox(.udta, kept)
  }

  /// The fragments of a recording may begin at any time: its picture begins at 0.
  private static func aligned(_ tracks: [Track]) -> [Track] {
    func start(_ track: Track) -> Double? {
      guard let first = track.samples.first, track.presentation.start == 0, track.presentation.end == nil else {
        return nil
      }
      let least = track.samples.prefix(64).map(\.presentationTime).min() ?? first.presentationTime
      return track.presentation.delay + Double(least) / Double(track.timescale)
    }
    let base = tracks.first { $0.kind == .video && !$0.samples.isEmpty } ?? tracks.first { !$0.samples.isEmpty }
    guard let base, let zero = start(base), zero > 0.5 else { return tracks }
    return tracks.map { track in
      var presentation = track.presentation
      let shift = presentation.delay - zero
      presentation.delay = max(0, shift)
      presentation.start += shift < 0 ? Int(min(-shift * Double(track.timescale), Double(1 << 60)).rounded()) : 0
      return Track(
        kind: track.kind, handler: track.handler, timescale: track.timescale, entries: track.entries,
        samples: track.samples, presentation: presentation, boxes: track.boxes)
    }
  }
}
