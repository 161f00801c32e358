import MovieFile

/// Finds the packets of a range in a track of sound, or of text. The cut is exact to the sample: what the first packet
/// holds too much, and what a decoder needs before it, is skipped by the edit list.
struct SoundCut {
  /// Samples that a decoder of Opus has to hear before it is right, at 48 kHz (RFC 7845, 4.6).
  private static let opusLead = 3840.0 / 48_000

  let track: MovieIndex.Track

  /// The cut; nil where the track has nothing in the range.
  func cut(_ range: CutRange, source: Int) -> TrackCut? {
    let samples = track.samples
    let presentation = track.presentation
    let times = track.times
    let wantedStart = times.ticks(range.start)
    let start = max(wantedStart, presentation.start, samples.first?.decodeTime ?? 0)
    let end = min(range.end.map(times.ticks) ?? .max, times.end)
    let first = samples.partitioningIndex { $0.decodeTime > start } - 1
    let last = samples.partitioningIndex { $0.decodeTime >= end } - 1
    guard start < end, first >= 0, last >= first else { return nil }
    var from = lead(before: first)
    // where packets depend on each other, decoding begins at one that doesn't
    while from > 0, !samples[from].isSync { from -= 1 }
    let base = samples[from].decodeTime
    var kept = Array(samples[from...last])
    if track.kind == .audio, let final = kept.indices.last {
      kept[final].duration = UInt32(clamping: max(1, min(Int(kept[final].duration), end - kept[final].decodeTime)))
    }
    for index in kept.indices { kept[index].decodeTime -= base }
    return TrackCut(
      source: source, origins: (from...last).map { .copied($0) }, samples: kept, start: start - base,
      duration: end - start, delay: Double(max(0, start - wantedStart)) / Double(track.timescale),
      entries: entries(skipping: start - base))
  }

  /// The first packet that the decoder needs so that another one is right.
  private func lead(before packet: Int) -> Int {
    guard track.kind == .audio else { return packet }
    switch track.entries[0].codec {
    case "Opus":
      let ticks = Int(Self.opusLead * Double(track.timescale))
      return max(
        0,
        min(
          packet,
          track.samples.partitioningIndex {
            $0.decodeTime > track.samples[packet].decodeTime - ticks
          } - 1))
    case "mp4a", "ac-3", "ec-3": return max(0, packet - 1)
    default: return packet
    }
  }

  /// A decoder of Opus is also told by its own header how much to skip.
  private func entries(skipping ticks: Int) -> [SampleEntry] {
    track.entries.map { entry in
      guard entry.codec == "Opus", var header = entry.payload(of: "dOps", in: .audio), header.count >= 4 else {
        return entry
      }
      let skip = UInt16(min(Double(ticks) * 48_000 / Double(track.timescale), 65_535))
      header.replaceSubrange(2..<4, with: [UInt8(skip >> 8), UInt8(skip & 0xFF)])
      return entry.replacing("dOps", in: .audio, with: header)
    }
  }
}
