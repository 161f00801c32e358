import CameraProtocol
import MovieFile

/// The cut of an MP4 or QuickTime file.
struct BoxTrim: Sendable {
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
    if ["hvc1", "hev1"].contains(entry.codec), entry.payload(of: "hvcC", in: .video) != nil,
      HEVCEdge.missingElement == nil
    {
      return
    }
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

  func composition(_ cuts: [TrackCut]) -> MovieComposition {
    MovieComposition(
      index,
      tracks: cuts.map { cut in
        MovieComposition.Track(
          source: cut.source, entries: cut.entries, samples: cut.samples, start: cut.start, duration: cut.duration,
          delay: cut.delay)
      })
  }
}
