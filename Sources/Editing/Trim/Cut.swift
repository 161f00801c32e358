import CameraProtocol
import MovieFile

/// Pictures that are decoded and encoded anew.
struct Edge: Equatable {
  /// The samples that have to be decoded, in the order of the track; the first is a key frame.
  var decode: Range<Int>
  /// The samples among them that are kept, in the order of presentation.
  var frames: [Int]
}

/// What becomes of one track.
struct TrackCut {
  /// Where the bytes of a sample come from.
  enum Origin: Equatable {
    case copied(Int)
    /// A picture of an edge: which edge, and which of its pictures.
    case encoded(edge: Int, frame: Int)
  }

  /// The number of the track in the source.
  var source: Int
  var origins: [Origin]
  /// The samples of the result in the order of decoding. Where they lie is not known yet, and nor is the size of those
  /// that are encoded.
  var samples: [MovieSample]
  var edges: [Edge] = []
  /// As in `MovieComposition.Track`.
  var start: Int
  var duration: Int
  var delay: Double

  /// The sample descriptions of the result; those that edges use get more parameter sets.
  var entries: [SampleEntry] = []
}

/// A track as far as a cut has to know it: its samples in the order of decoding, and what of them is presented.
struct CutTrack: Sendable {
  var samples: [MovieSample]
  var presentation: MovieIndex.Presentation
  /// Ticks a second.
  var timescale: UInt32

  /// Ticks of the track at which its presentation ends.
  var end: Int {
    let last = samples.suffix(64).map { $0.presentationTime + Int($0.duration) }.max() ?? 0
    return presentation.end.map { samples.isEmpty ? $0 : min($0, max(last, 0)) } ?? last
  }

  /// Seconds of the movie at which it ends.
  var endTime: Double { seconds(end) }

  /// Seconds of the movie at a tick of the track.
  func seconds(_ ticks: Int) -> Double {
    presentation.delay + Double(ticks - presentation.start) / Double(timescale)
  }

  /// The tick of the track at seconds of the movie.
  func ticks(_ seconds: Double) -> Int {
    let ticks = ((seconds - presentation.delay) * Double(timescale)).rounded()
    let limit = Double(1 << 60)
    return presentation.start + Int(min(max(ticks, -limit), limit))
  }
}

extension MovieIndex.Track {
  /// The track as a cut sees it.
  var times: CutTrack { CutTrack(samples: samples, presentation: presentation, timescale: timescale) }
}

extension MovieIndex {
  /// Seconds from the start to the end of the longest track of pictures or sound.
  var duration: Double {
    tracks.filter { $0.kind != .other && !$0.samples.isEmpty }.map(\.times.endTime).max() ?? 0
  }
}
