import CameraProtocol
import GStreamer
import MovieFile

/// The cut of an MP4 or QuickTime file.
struct BoxTrim: Sendable {
  /// An edge's picture costs about as long as copying this many bytes.
  private static let weight = 400_000

  let index: MovieIndex
  let cuts: [TrackCut]
  /// Seconds of the source at which it begins.
  let start: Double

  /// Plans it.
  init(_ file: SourceFile, _ wanted: CutRange) throws(CameraError) {
    let index: MovieIndex
    do throws(MovieFileError) {
      index = try MovieIndex.read(descriptor: file.descriptor)
    } catch {
      throw CameraError(error)
    }
    try wanted.check(duration: index.duration)
    var range = wanted
    var cuts: [TrackCut] = []
    let pictures = index.tracks.indices.filter { index.tracks[$0].kind == .video && !index.tracks[$0].samples.isEmpty }
    guard pictures.count <= 1 else { throw .uncut("it has \(pictures.count) tracks of pictures") }
    if let number = pictures.first {
      let track = index.tracks[number]
      let video = VideoCut(track.times, keys: KeyFrames(file, track.samples, KeyFrames.Kind(track)))
      var (cut, settled) = try video.cut(range, source: number)
      cut.entries = track.entries
      try Self.check(cut, video, index.tracks[number], range)
      cuts.append(cut)
      range = settled
    }
    for (number, track) in index.tracks.enumerated() where !track.samples.isEmpty {
      guard track.kind == .audio || ["text", "sbtl", "subt", "clcp"].contains(track.handler) else { continue }
      if let cut = SoundCut(track: track).cut(range, source: number) { cuts.append(cut) }
    }
    guard !cuts.isEmpty else { throw CameraError(.valueOutOfRange, "there is nothing between these times") }
    // the tracks keep the order that they had
    self.cuts = cuts.sorted { $0.source < $1.source }
    self.index = index
    start = range.start
  }

  /// Edges need an encoder of the same kind.
  private static func check(
    _ cut: TrackCut, _ video: VideoCut, _ track: MovieIndex.Track, _ range: CutRange
  ) throws(CameraError) {
    for edge in cut.edges { try check(edge, cut, video, track, range) }
  }

  private static func check(
    _ edge: Edge, _ cut: TrackCut, _ video: VideoCut, _ track: MovieIndex.Track, _ range: CutRange
  ) throws(CameraError) {
    let description = Int(track.samples[edge.decode.lowerBound].description) - 1
    guard track.entries.indices.contains(description) else { throw .damaged("a picture has no description") }
    let entry = track.entries[description]
    if ["avc1", "avc3"].contains(entry.codec), entry.payload(of: "avcC", in: .video) != nil { return }
    throw try CameraError.onlyAtKeyFrames(entry.codec, edge, cut, video, range)
  }

  var frames: Int { cuts.first { index.tracks[$0.source].kind == .video }?.origins.count ?? 0 }
  var reencodedFrames: Int { cuts.flatMap(\.edges).reduce(0) { $0 + $1.frames.count } }

  /// Seconds that the result lasts.
  var duration: Double { composition(cuts).duration }

  var format: String {
    index.isQuickTime ? "mov" : cuts.contains { index.tracks[$0.source].kind == .video } ? "mp4" : "m4a"
  }

  /// Pixels as shown, after rotation; nil without picture.
  var size: (width: Int, height: Int)? {
    cuts.lazy.compactMap { index.tracks[$0.source].size }.first.map { size in
      index.rotation == .left || index.rotation == .right ? (size.height, size.width) : size
    }
  }

  private func composition(_ cuts: [TrackCut]) -> MovieComposition {
    MovieComposition(
      index,
      tracks: cuts.map { cut in
        MovieComposition.Track(
          source: cut.source, entries: cut.entries, samples: cut.samples, start: cut.start, duration: cut.duration,
          delay: cut.delay)
      })
  }

  // MARK: Writing

  /// Writes the result; returns its size.
  func write(
    from file: SourceFile, to target: Int32, progress: (Double) -> Void, isCancelled: () -> Bool
  ) throws(CameraError) -> Int {
    var cuts = cuts
    let map = CopyMap(cuts, index)
    let total = Double(max(1, map.size + reencodedFrames * Self.weight))
    var done = 0
    func step(_ amount: Int) throws(CameraError) {
      if isCancelled() { throw CameraError(.cancelled, "the edit was cancelled") }
      done += amount
      progress(min(1, Double(done) / total))
    }
    place(&cuts, map, at: map.size)  // as far away as they may come to lie
    let start = composition(cuts).mediaStart
    var writer = MediaWriter(source: file.descriptor, target: target, at: start)
    let isPicture = { (cut: Int) in index.tracks[cuts[cut].source].kind == .video }
    let video = cuts.indices.first(where: isPicture)
    if let video {
      try encode(
        &cuts[video], isFirst: true, file, &writer, step: { () throws(CameraError) in try step(Self.weight) },
        isCancelled: isCancelled)
    }
    let base = writer.position
    for range in map.ranges { try writer.copy(range) { count throws(CameraError) in try step(count) } }
    place(&cuts, map, at: base)
    if let video {
      try encode(
        &cuts[video], isFirst: false, file, &writer, step: { () throws(CameraError) in try step(Self.weight) },
        isCancelled: isCancelled)
    }
    do throws(MovieFileError) {
      return try composition(cuts).write(to: target, mediaFrom: start, to: writer.position)
    } catch {
      throw CameraError(error, writing: true)
    }
  }

  /// Says of the copied samples where they lie.
  private func place(_ cuts: inout [TrackCut], _ map: CopyMap, at base: Int) {
    for cut in cuts.indices {
      let samples = index.tracks[cuts[cut].source].samples
      for (position, origin) in cuts[cut].origins.enumerated() {
        if case .copied(let number) = origin {
          cuts[cut].samples[position].offset = base + map.place(of: samples[number])
        }
      }
    }
  }

  /// Encodes the edge before the copied samples, or the one behind them, where there is one.
  private func encode(
    _ cut: inout TrackCut, isFirst: Bool, _ file: SourceFile, _ writer: inout MediaWriter,
    step: () throws(CameraError) -> Void, isCancelled: () -> Bool
  ) throws(CameraError) {
    var leading: Int?
    if case .encoded(let edge, _)? = cut.origins.first { leading = edge }
    let samples = index.tracks[cut.source].samples
    for edge in cut.edges.indices where (edge == leading) == isFirst {
      let first = samples[cut.edges[edge].decode.lowerBound]
      let entry = cut.entries[Int(first.description) - 1]
      guard let configuration = entry.payload(of: "avcC", in: .video).flatMap({ AVCConfiguration($0) }) else {
        throw .damaged("the description of its pictures contradicts itself")
      }
      let h264 = try H264Edge(configuration, first: try file.bytes(of: first))
      var made: AVCConfiguration?
      var position = cut.origins.firstIndex(of: .encoded(edge: edge, frame: 0)) ?? 0
      try EdgeEncoder(codec: h264.codec, clock: SystemClock()).encode(
        cut.edges[edge], of: samples, sample: { number throws(CameraError) in try file.bytes(of: samples[number]) },
        isCancelled: isCancelled
      ) { frame, caps throws(CameraError) in
        var sets: [[UInt8]] = []
        if made == nil {
          let configuration = try h264.configuration(of: caps)
          made = configuration
          // where parameter sets stand among the pictures, they are looked for there
          if entry.codec == "avc3" { sets = configuration.sequenceSets + configuration.pictureSets }
        }
        let bytes = try h264.sample(frame, with: sets)
        cut.samples[position].offset = writer.position
        cut.samples[position].size = UInt32(clamping: bytes.count)
        position += 1
        try writer.append(bytes)
        try step()
      }
      guard let made else { continue }
      cut.entries[Int(first.description) - 1] = entry.replacing(
        "avcC", in: .video, with: configuration.merging(made).bytes)
    }
  }
}

extension TrackCut {
  /// The number of the first picture in the source.
  var firstFrame: Int? {
    switch origins.first {
    case .copied(let number): number
    case .encoded(let edge, let frame): edges[edge].frames[frame]
    case nil: nil
    }
  }
}

extension CameraError {
  /// Nobody here encodes what an edge needs; says where a cut needs no edge.
  static func onlyAtKeyFrames(
    _ codec: String, _ edge: Edge, _ cut: TrackCut, _ video: VideoCut, _ range: CutRange
  ) throws(CameraError) -> CameraError {
    let isStart = edge.frames.first == cut.firstFrame
    let time = isStart ? range.start : range.end ?? range.start
    let places = try isStart ? video.starts(near: time) : video.ends(near: time)
    let list = places.map { "\($0.rounded(toPlaces: 3)) s" }.joined(separator: " or ")
    return .uncut(
      "its pictures are '\(codec)', which can't be encoded here; near \(time.rounded(toPlaces: 3)) s it can "
        + "\(isStart ? "begin" : "end") at \(list.isEmpty ? "no other time" : list)")
  }
}

extension CutRange {
  /// Throws where it isn't one of a movie that lasts so many seconds.
  func check(duration: Double) throws(CameraError) {
    let slack = 0.01
    func refusal(_ reason: String) -> CameraError {
      CameraError(.valueOutOfRange, "\(reason); the movie lasts \(duration.rounded(toPlaces: 3)) s")
    }
    guard start.isFinite, start >= 0 else { throw refusal("the start can't be \(start)") }
    guard start < duration else { throw refusal("the start at \(start) s is behind the end of the movie") }
    guard let end else { return }
    guard end.isFinite, end > start else { throw refusal("the end at \(end) s is not behind the start at \(start) s") }
    guard end <= duration + slack else { throw refusal("the end at \(end) s is behind the end of the movie") }
  }
}
