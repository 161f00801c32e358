import CameraProtocol
import MovieFile

/// Writes the blocks of a Matroska file into clusters, and the index behind them.
struct MatroskaClusters {
  /// Nanoseconds and bytes after which a new cluster begins.
  private static let longest = 5_000_000_000
  private static let largest = 5 << 20

  private let composition: MatroskaComposition
  private let tracks: [MatroskaComposition.Track]
  private let tick: Int
  private var writer: MediaWriter
  private var start: Int?
  private var time = 0
  private var cues: [(ticks: Int, track: MatroskaComposition.Track, position: Int)] = []

  init(_ composition: MatroskaComposition, _ tracks: [MatroskaComposition.Track], writer: MediaWriter, tick: Int) {
    self.composition = composition
    self.tracks = tracks
    self.tick = tick
    self.writer = writer
  }

  /// Keeps the place of what stands in front.
  mutating func begin() throws(CameraError) { try writer.append(composition.head()) }

  /// Writes a block: bytes, or those of a sample of the source. `time`: ticks. The first track's key frames begin a
  /// cluster.
  mutating func append(
    _ sample: MovieSample, _ bytes: [UInt8]?, track: Int, time: Int, padding: Int
  ) throws(CameraError) {
    let isFull = start.map { start in
      let distance = time - self.time
      return writer.position - start > Self.largest || distance * tick > Self.longest
        || abs(distance) > Int(Int16.max) || track == 0 && sample.isSync && distance * tick > 500_000_000
    }
    if isFull ?? true {
      try endCluster()
      start = writer.position
      self.time = time
      cues.append((time, tracks[track], writer.position - composition.segmentStart))
      try writer.append(MatroskaComposition.cluster(at: time))
    }
    let ticks = Int16(clamping: time - self.time)
    try writer.append(composition.block(tracks[track], ticks: ticks, sample, padding: padding))
    if let bytes {
      try writer.append(bytes)
    } else {
      try writer.copy(sample.offset..<sample.offset + Int(sample.size)) { _ in }
    }
  }

  /// Ends the file; returns its size.
  mutating func end() throws(CameraError) -> Int {
    try endCluster()
    let position = writer.position - composition.segmentStart
    try writer.append(composition.cues(cues))
    let size = writer.position
    try writer.write(composition.head(size: size - composition.segmentStart, cues: position), at: 0)
    return size
  }

  private mutating func endCluster() throws(CameraError) {
    guard let start else { return }
    try writer.write(MatroskaComposition.clusterSize(writer.position - start - 12), at: start + 4)
    self.start = nil
  }
}
