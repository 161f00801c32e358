import CameraProtocol
import GStreamer
import MovieFile

/// The cut of a Matroska or WebM file.
struct MatroskaTrim: Sendable {
  /// Bytes of encoded pictures that are kept in memory at most.
  private static let largestEdge = 512 << 20

  /// A block of the result.
  private struct Block {
    /// Which track of the result.
    var track: Int
    /// Where it stood in the source, or what it stands for; blocks keep the order that they had.
    var order: Int
    /// Ticks of the result.
    var time: Int
    var sample: MovieSample
    var origin: TrackCut.Origin
    var padding = 0
  }

  let index: MatroskaIndex
  let start: Double
  let duration: Double
  private let video: TrackCut?
  private let sounds: [(source: Int, cut: MatroskaSound)]

  /// Plans it.
  init(_ file: SourceFile, _ wanted: CutRange) throws(CameraError) {
    let index: MatroskaIndex
    do throws(MovieFileError) {
      index = try MatroskaIndex.read(descriptor: file.descriptor)
    } catch {
      throw CameraError(error)
    }
    let present = index.tracks.indices.filter { index.tracks[$0].kind != .other && !index.tracks[$0].samples.isEmpty }
    guard !present.contains(where: { index.tracks[$0].isEncoded || index.tracks[$0].number > 126 }) else {
      throw .uncut("its tracks are packed or encrypted")
    }
    guard 1_000_000_000 % index.tick == 0 else { throw .uncut("its clock has no whole number of ticks a second") }
    let pictures = present.filter { index.tracks[$0].kind == .video }
    guard pictures.count <= 1 else { throw .uncut("it has \(pictures.count) tracks of pictures") }
    var duration = 0.0
    for number in present {
      let track = index.tracks[number]
      let end =
        try track.kind == .video
        ? index.times(number).endTime : MatroskaSound.end(of: track, file, tick: index.tick)
      duration = max(duration, end)
    }
    try wanted.check(duration: duration)
    var range = wanted
    var video: TrackCut?
    var end = 0.0
    if let number = pictures.first {
      let track = index.tracks[number]
      let cut = VideoCut(
        index.times(number), keys: KeyFrames(file, index.times(number).samples, KeyFrames.Kind(track)),
        hidden: try Self.hidden(track, file))
      let (made, settled) = try cut.cut(range, source: number)
      if let edge = made.edges.first, !["V_MPEG4/ISO/AVC", "V_VP8", "V_VP9"].contains(track.codec) {
        throw try CameraError.onlyAtKeyFrames(track.codec, edge, made, cut, range)
      }
      video = made
      range = settled
      end = made.delay + Double(made.duration) / Double(index.times(number).timescale)
    }
    var sounds: [(source: Int, cut: MatroskaSound)] = []
    for number in present where index.tracks[number].kind == .audio {
      guard let cut = try MatroskaSound(index.tracks[number], range, file, tick: index.tick) else { continue }
      sounds.append((number, cut))
      end = max(end, Double(cut.end) / 1e9)
    }
    guard video != nil || !sounds.isEmpty else {
      throw CameraError(.valueOutOfRange, "there is nothing between these times")
    }
    self.index = index
    self.video = video
    self.sounds = sounds
    self.duration = end
    start = range.start
  }

  /// Pictures of VP8 that are only there for others to go back to.
  private static func hidden(_ track: MatroskaIndex.Track, _ file: SourceFile) throws(CameraError) -> Set<Int> {
    guard track.codec == "V_VP8" else { return [] }
    var hidden: Set<Int> = []
    for (number, sample) in track.samples.enumerated() where sample.size > 0 {
      if try file.bytes(at: sample.offset, count: 1)[0] & 0x10 == 0 { hidden.insert(number) }
    }
    return hidden
  }

  var frames: Int {
    guard let video else { return 0 }
    return video.origins.count
  }
  var reencodedFrames: Int { video?.edges.reduce(0) { $0 + $1.frames.count } ?? 0 }
  var format: String { index.isWebM ? "webm" : video == nil ? "mka" : "mkv" }

  /// Pixels; nil without picture.
  var size: (width: Int, height: Int)? {
    video.map { (index.tracks[$0.source].width, index.tracks[$0.source].height) }
  }

  // MARK: Writing

  /// Writes the result; returns its size.
  func write(
    from file: SourceFile, to target: Int32, encoders: [String], progress: (Double) -> Void, isCancelled: () -> Bool
  ) throws(CameraError) -> Int {
    var tracks = sounds.map { sound in
      MatroskaComposition.Track(
        source: sound.source, codecPrivate: Self.codecPrivate(index.tracks[sound.source], sound.cut.codecDelay),
        codecDelay: sound.cut.codecDelay)
    }
    var encoded: [[[UInt8]]] = []
    var encodedSoFar = 0
    let blocks = blocks()
    if let video {
      var privateData = index.tracks[video.source].codecPrivate
      for edge in video.edges {
        var frames: [[UInt8]] = []
        try encode(edge, video.source, &privateData, file, encoders, isCancelled) { bytes throws(CameraError) in
          frames.append(bytes)
          encodedSoFar += bytes.count
          guard encodedSoFar <= Self.largestEdge else { throw .uncut("too much of it would have to be encoded anew") }
          progress(0.5 * Double(frames.count) / Double(max(1, reencodedFrames)))
        }
        encoded.append(frames)
      }
      tracks.insert(
        MatroskaComposition.Track(
          source: video.source, codecPrivate: privateData, codecDelay: index.tracks[video.source].codecDelay), at: 0)
    }
    let composition = MatroskaComposition(index, tracks: tracks, seconds: duration)
    var clusters = MatroskaClusters(
      composition, tracks, writer: MediaWriter(source: file.descriptor, target: target, at: 0), tick: index.tick)
    try clusters.begin()
    for (position, block) in blocks.enumerated() {
      var sample = block.sample
      var bytes: [UInt8]?
      if case .encoded(let edge, let frame) = block.origin {
        bytes = encoded[edge][frame]
        sample.size = UInt32(clamping: encoded[edge][frame].count)
      }
      try clusters.append(sample, bytes, track: block.track, time: block.time, padding: block.padding)
      guard position % 64 == 0 else { continue }
      if isCancelled() { throw CameraError(.cancelled, "the edit was cancelled") }
      progress(0.5 + 0.5 * Double(position) / Double(blocks.count))
    }
    let size = try clusters.end()
    progress(1)
    return size
  }

  /// All blocks in the order in which they are written.
  private func blocks() -> [Block] {
    var blocks: [Block] = []
    let first = video == nil ? 0 : 1
    if let video {
      let source = index.tracks[video.source].samples
      // in the order of presentation, but in the places of the blocks that they stand for
      let places = video.edges.map { edge in edge.frames.map { source[$0].offset }.sorted() }
      let shift = Int((video.delay * Double(index.times(video.source).timescale)).rounded()) - video.start
      for (origin, sample) in zip(video.origins, video.samples) {
        var sample = sample
        var order = sample.offset
        sample.description = 0
        if case .encoded(let edge, let frame) = origin { order = places[edge][frame] }
        blocks.append(
          Block(track: 0, order: order, time: max(0, sample.presentationTime + shift), sample: sample, origin: origin))
      }
    }
    // whatever it stands for, a picture comes before those that are decoded behind it
    for position in blocks.indices.dropLast().reversed() {
      blocks[position].order = min(blocks[position].order, blocks[position + 1].order)
    }
    for (position, sound) in sounds.enumerated() {
      let samples = index.tracks[sound.source].samples
      for (number, time) in zip(sound.cut.blocks, sound.cut.times) {
        blocks.append(
          Block(
            track: first + position, order: samples[number].offset, time: (time + index.tick / 2) / index.tick,
            sample: samples[number], origin: .copied(number),
            padding: number == sound.cut.blocks.upperBound - 1 ? sound.cut.padding : 0))
      }
    }
    return blocks.enumerated().sorted { ($0.element.order, $0.offset) < ($1.element.order, $1.offset) }.map(\.element)
  }

  /// The header of Opus says the delay too, at 48 kHz.
  private static func codecPrivate(_ track: MatroskaIndex.Track, _ delay: Int) -> [UInt8] {
    var bytes = track.codecPrivate
    guard track.codec == "A_OPUS", bytes.count >= 12 else { return bytes }
    let skip = UInt16(clamping: (min(delay, 10_000_000_000) * 48 + 500_000) / 1_000_000)
    bytes.replaceSubrange(10..<12, with: [UInt8(skip & 0xFF), UInt8(skip >> 8)])
    return bytes
  }

  private func encode(
    _ edge: Edge, _ source: Int, _ privateData: inout [UInt8], _ file: SourceFile, _ encoders: [String],
    _ isCancelled: () -> Bool, onFrame: ([UInt8]) throws(CameraError) -> Void
  ) throws(CameraError) {
    let track = index.tracks[source]
    let samples = index.times(source).samples
    let read = { (number: Int) throws(CameraError) -> [UInt8] in try file.bytes(of: samples[number]) }
    guard track.codec.hasPrefix("V_MPEG") else {
      let codec = try EdgeCodec(webM: track)
      try EdgeEncoder(codec: codec, clock: SystemClock()).encode(
        edge, of: samples, sample: read, isCancelled: isCancelled
      ) { bytes, _ throws(CameraError) in try onFrame(bytes) }
      return
    }
    let kind = try edgeKind(
      privateData, isHEVC: track.codec == "V_MPEGH/ISO/HEVC", first: try read(edge.decode.lowerBound),
      encoders: encoders)
    var made: [UInt8]?
    var count = 0
    try EdgeEncoder(codec: kind.codec, clock: SystemClock()).encode(
      edge, of: samples, sample: read, isCancelled: isCancelled
    ) { bytes, caps throws(CameraError) in
      if made == nil { made = try kind.configuration(with: caps) }
      count += 1
      try onFrame(try kind.sample(bytes, with: [], isLast: count == edge.frames.count))
    }
    if let made { privateData = made }
  }
}

extension MatroskaIndex {
  /// A track of pictures as a cut sees it.
  func times(_ number: Int) -> CutTrack {
    var samples = tracks[number].samples
    for position in samples.indices { samples[position].description = 1 }
    return CutTrack(
      samples: samples, presentation: MovieIndex.Presentation(), timescale: UInt32(max(1, 1_000_000_000 / tick)))
  }
}

extension KeyFrames.Kind {
  /// How they are told in a track of a Matroska file.
  init(_ track: MatroskaIndex.Track) {
    if track.codec == "V_MPEG4/ISO/AVC", let configuration = AVCConfiguration(track.codecPrivate) {
      self = .h264(lengthSizes: [configuration.lengthSize])
    } else if track.codec == "V_MPEGH/ISO/HEVC", track.codecPrivate.count > 21 {
      self = .hevc(lengthSizes: [Int(track.codecPrivate[21] & 3) + 1])
    } else {
      self = .asMarked
    }
  }
}
