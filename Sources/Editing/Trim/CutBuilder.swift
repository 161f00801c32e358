import CameraProtocol
import MovieFile

/// Gives the samples of a cut track of pictures their times.
///
/// Copied samples keep the distances that they had. An edge holds no picture that is shown in another order than
/// decoded; what is encoded before copied samples is decoded as long before its presentation as they are, what is
/// encoded behind them takes the moments of decoding of the samples that it stands for.
struct CutBuilder {
  private let track: CutTrack
  private let start: Int
  private let stop: Int
  private var origins: [TrackCut.Origin] = []
  private var samples: [MovieSample] = []
  private var times: [Int] = []
  private var edges: [Edge] = []

  /// `start`, `stop`: ticks of the track between which its pictures are shown.
  init(track: CutTrack, layout: CutLayout, start: Int, stop: Int) throws(CameraError) {
    self.track = track
    self.start = start
    self.stop = stop
    let source = track.samples
    var lead = 0
    if let first = layout.copied.first { lead = source[first].presentationTime - source[first].decodeTime }
    if let edge = layout.before { try add(edge) { _, time in time - lead } }
    for (position, index) in layout.copied.enumerated() {
      let (time, decodeTime) = (source[index].presentationTime, source[index].decodeTime)
      // a picture that is shown later than it was is decoded later too, as far as the next one lets it
      let late = max(0, start - time)
      let next = position + 1 < layout.copied.count ? source[layout.copied[position + 1]].decodeTime : .max
      add(
        .copied(index), source[index], time: time, decodeTime: late > 0 ? min(decodeTime + late, next - 1) : decodeTime)
    }
    if let edge = layout.after {
      let next = (layout.copied.last ?? -1) + 1
      try add(edge) { position, time in
        source.indices.contains(next + position) ? source[next + position].decodeTime : time
      }
    }
  }

  private mutating func add(_ edge: Edge, decodeTime: (_ position: Int, _ time: Int) -> Int) throws(CameraError) {
    let description = track.samples[edge.decode.lowerBound].description
    guard track.samples[edge.decode].allSatisfy({ $0.description == description }) else {
      throw .uncut("its encoding changes at the place of the cut")
    }
    edges.append(edge)
    for (position, index) in edge.frames.enumerated() {
      var sample = track.samples[index]
      sample.isSync = position == 0
      sample.size = 0
      let time = max(sample.presentationTime, start)
      add(
        .encoded(edge: edges.count - 1, frame: position), sample, time: time, decodeTime: decodeTime(position, time))
    }
  }

  private mutating func add(_ origin: TrackCut.Origin, _ sample: MovieSample, time: Int, decodeTime: Int) {
    var sample = sample
    // time doesn't go back, whatever a file says
    sample.decodeTime = max(decodeTime, samples.last?.decodeTime ?? decodeTime)
    origins.append(origin)
    samples.append(sample)
    times.append(max(time, start))
  }

  /// Sees to it that the last picture is decoded before the track ends: some readers stop there. Only where pictures last
  /// unequally long is it ever otherwise.
  private mutating func tighten(duration: Int) {
    guard samples.count > 1, let last = samples.last else { return }
    let excess = last.decodeTime - samples[0].decodeTime - duration + 1
    guard excess > 0 else { return }
    let room = min(times[0], samples[1].decodeTime - 1) - samples[0].decodeTime
    samples[0].decodeTime += max(0, min(excess, room))
    let end = samples[0].decodeTime + duration - 1
    guard last.decodeTime > end, let copied = origins.lastIndex(where: { if case .copied = $0 { true } else { false } })
    else { return }
    let count = samples.count - copied - 1
    let step = count > 0 ? (end - samples[copied].decodeTime) / count : 0
    guard step > 0 else { return }
    for index in samples.indices.dropFirst(copied + 1) {
      samples[index].decodeTime = min(samples[index].decodeTime, samples[index - 1].decodeTime + step)
    }
  }

  /// The cut.
  func cut(source: Int) -> TrackCut {
    var copy = self
    let first = times.min() ?? start
    copy.tighten(duration: max(1, stop - max(first, start)))
    var samples = copy.samples
    let base = samples.first?.decodeTime ?? 0
    let least = zip(times, samples).map { $0 - $1.decodeTime }.min() ?? 0
    let shift = max(0, -least)
    for index in samples.indices {
      let next = index + 1 < samples.count ? samples[index + 1].decodeTime : nil
      if let next {
        samples[index].duration = UInt32(clamping: next - samples[index].decodeTime)
      } else if times[index] == times.max() {
        samples[index].duration = UInt32(clamping: max(1, stop - times[index]))
      }
      samples[index].compositionOffset = Int32(clamping: times[index] - samples[index].decodeTime + shift)
    }
    for index in samples.indices { samples[index].decodeTime -= base }
    return TrackCut(
      source: source, origins: origins, samples: samples, edges: edges, start: first - base + shift,
      duration: max(1, stop - max(first, start)), delay: Double(max(0, first - start)) / Double(track.timescale))
  }
}
