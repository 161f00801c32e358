import CameraProtocol
import MovieFile

/// Finds the pictures of a range, and which of them can be copied.
struct VideoCut {
  /// Pictures that are shown for longer than this many seconds are cut within.
  private static let longestWhole = 0.1
  /// Seconds within which a time means the picture next to it.
  private static let tolerance = 0.001

  let track: CutTrack
  private let keys: KeyFrames
  /// What is presented, in that order.
  private let shown: [(time: Int, index: Int)]

  /// `hidden`: samples that are decoded but never shown.
  init(_ track: CutTrack, keys: KeyFrames, hidden: Set<Int> = []) {
    self.track = track
    self.keys = keys
    shown = Self.shown(track).filter { !hidden.contains($0.index) }
  }

  /// The samples that the edit list lets be seen. One that has begun before is seen if what is left of it is long.
  private static func shown(_ track: CutTrack) -> [(time: Int, index: Int)] {
    let (start, end) = (track.presentation.start, track.presentation.end ?? .max)
    let slack = Int(tolerance * Double(track.timescale))
    let all = track.samples.indices.map { (time: track.samples[$0].presentationTime, index: $0) }
      .sorted { ($0.time, $0.index) < ($1.time, $1.index) }
    var shown = all.filter { $0.time >= start - slack && $0.time < end }
    if let first = shown.first?.time ?? all.last.map({ _ in end }), first != .max,
      Double(first - start) > longestWhole * Double(track.timescale),
      let hidden = all.last(where: { $0.time < start - slack })
    {
      shown.insert((start, hidden.index), at: 0)
    }
    return shown
  }

  private func end(of position: Int) -> Int {
    guard position + 1 < shown.count else { return max(track.end, shown[position].time + 1) }
    return shown[position + 1].time
  }

  /// Ticks within which a time means a picture.
  private func slack(_ position: Int) -> Int {
    min(Int(Self.tolerance * Double(track.timescale)), (end(of: position) - shown[position].time) / 4)
  }

  private func isLong(_ position: Int) -> Bool {
    Double(end(of: position) - shown[position].time) > Self.longestWhole * Double(track.timescale)
  }

  /// The range in ticks of the track, moved to whole pictures where those are short, and the pictures in it.
  private func settle(_ range: CutRange) -> (start: Int, end: Int?, pictures: Range<Int>) {
    var start = track.ticks(range.start)
    var first = shown.partitioningIndex { $0.time > start } - 1
    // a moment before a picture means that picture
    if first + 1 < shown.count, shown[first + 1].time - start <= slack(first + 1) { first += 1 }
    if first >= 0, first < shown.count {
      if first == shown.count - 1, start >= end(of: first) - slack(first) { return (start, nil, 0..<0) }
      if abs(start - shown[first].time) <= slack(first) || !isLong(first) { start = shown[first].time }
    }
    first = max(first, 0)
    guard first < shown.count else { return (start, nil, 0..<0) }
    guard let seconds = range.end else { return (start, nil, first..<shown.count) }
    var end = track.ticks(seconds)
    var last = shown.partitioningIndex { $0.time >= end }
    guard last > first || shown[first].time < end else { return (start, nil, 0..<0) }
    if last > first + 1, end - shown[last - 1].time <= slack(last - 1) { last -= 1 }
    let next = self.end(of: last - 1)
    if abs(next - end) <= slack(last - 1) || end < next && !isLong(last - 1) { end = next }
    return (start, end, first..<last)
  }

  /// The cut, and the range that it settled on. Throws `valueOutOfRange` where no picture lies in it.
  func cut(_ range: CutRange, source: Int) throws(CameraError) -> (cut: TrackCut, range: CutRange) {
    let (start, end, pictures) = settle(range)
    guard !pictures.isEmpty else {
      throw CameraError(
        .valueOutOfRange,
        "there is no picture between these times; the last one is shown until \(track.endTime.rounded(toPlaces: 3)) s")
    }
    let wanted = shown[pictures].map(\.index)
    let stop = min(end ?? .max, self.end(of: pictures.upperBound - 1))
    let layout = try layout(wanted)
    // a time that was not moved stays as it was given, however coarse the ticks of the track are
    var settled = range
    if start != track.ticks(range.start) { settled.start = track.seconds(start) }
    if let end, end != range.end.map(track.ticks) { settled.end = track.seconds(end) }
    var cut = try CutBuilder(track: track, layout: layout, start: start, stop: stop).cut(source: source)
    if cut.delay > 0 { cut.delay = max(0, track.seconds(shown[pictures.lowerBound].time) - settled.start) }
    return (cut, settled)
  }

  // MARK: Copied and encoded

  /// Divides pictures, in the order of presentation, into an edge, what is copied, and another edge.
  private func layout(_ wanted: [Int]) throws(CameraError) -> CutLayout {
    let samples = track.samples
    let latest = wanted.last.map { samples[$0].presentationTime } ?? .max
    let times = wanted.map { samples[$0].presentationTime }
    // the first of all that are shown from there on
    var first = wanted
    for position in first.indices.dropLast().reversed() { first[position] = min(first[position], first[position + 1]) }
    for (position, key) in wanted.enumerated() where samples[key].isSync {
      // what is decoded later is shown later, or the picture is no place to begin
      guard first[position] == key, try keys.contains(key) else { continue }
      let inside = wanted[position...]
      let copied = copiedEnd(from: key, inside, latest: latest)
      guard copied > key else { break }
      let behind = inside.filter { $0 >= copied }
      return CutLayout(
        before: try edge(Array(wanted[..<position])), copied: copiedSamples(key..<copied, from: times[position]),
        after: try edge(behind))
    }
    return CutLayout(before: try edge(wanted), copied: [], after: nil)
  }

  /// Where copying from a key frame has to end in the order of decoding: before the first sample that isn't wanted, and
  /// so that what is shown before that end has also been decoded before it.
  private func copiedEnd(from key: Int, _ inside: ArraySlice<Int>, latest: Int) -> Int {
    let samples = track.samples
    guard let last = inside.max() else { return key }
    var end = (key...last).first { samples[$0].presentationTime > latest } ?? last + 1
    var least = inside.lazy.filter { $0 >= end }.map { samples[$0].presentationTime }.min() ?? .max
    guard least < .max else { return end }
    var highest: [Int] = []
    for index in key..<end { highest.append(max(highest.last ?? .min, samples[index].presentationTime)) }
    while end > key, highest[end - key - 1] > least {
      end -= 1
      least = min(least, samples[end].presentationTime)
    }
    return end
  }

  /// Without those that would be shown before the key frame: they go back to what isn't there.
  private func copiedSamples(_ range: Range<Int>, from time: Int) -> [Int] {
    range.filter { track.samples[$0].presentationTime >= time }
  }

  private func edge(_ frames: [Int]) throws(CameraError) -> Edge? {
    guard let least = frames.min(), let greatest = frames.max() else { return nil }
    let earliest = frames.lazy.map { track.samples[$0].presentationTime }.min() ?? 0
    var first = try keys.last(upTo: least)
    // what is shown before a key frame goes back to what was before it, though it is decoded behind it
    while first > 0, track.samples[first].presentationTime > earliest { first = try keys.last(upTo: first - 1) }
    return Edge(decode: first..<greatest + 1, frames: frames)
  }

  /// Seconds of the nearest times at or before and behind a time at which a cut can begin without an encoder.
  func starts(near seconds: Double) throws(CameraError) -> [Double] {
    var nearest: [Double] = []
    let place = shown.partitioningIndex { track.seconds($0.time) > seconds }
    for position in stride(from: place - 1, through: 0, by: -1) {
      guard try keys.contains(shown[position].index) else { continue }
      nearest.append(track.seconds(shown[position].time))
      break
    }
    for position in place..<shown.count {
      guard try keys.contains(shown[position].index) else { continue }
      nearest.append(track.seconds(shown[position].time))
      break
    }
    return nearest
  }

  /// Seconds of the nearest times before and behind a time at which a cut can end without an encoder: where all that is
  /// shown before has been decoded before all that is shown behind.
  func ends(near seconds: Double) -> [Double] {
    var least = Int.max
    var rest = [Int](repeating: .max, count: shown.count + 1)
    for position in shown.indices.reversed() {
      least = min(least, shown[position].index)
      rest[position] = least
    }
    var highest = -1
    var before: Double?
    for position in shown.indices {
      highest = max(highest, shown[position].index)
      guard highest < rest[position + 1] else { continue }
      let time = track.seconds(end(of: position))
      if time > seconds { return [before, time].compactMap { $0 } }
      before = time
    }
    return [before].compactMap { $0 }
  }
}

/// Which samples of a track of pictures are copied, and what has to be encoded around them.
struct CutLayout {
  var before: Edge?
  var copied: [Int]
  var after: Edge?
}

extension Array {
  /// The first index whose element fulfils what all after it fulfil too.
  func partitioningIndex(where isBehind: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

extension Double {
  /// Rounded for people.
  func rounded(toPlaces places: Int) -> Double {
    let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
    return (self * scale).rounded() / scale
  }
}
