import CameraProtocol
import MovieFile

/// Finds the blocks of a range in a track of sound. Matroska has no edit lists: what the first blocks hold too much is
/// the delay of the codec, what the last one holds too much is padding, and decoders throw both away.
struct MatroskaSound: Sendable {
  /// Samples that a decoder of Opus has to hear before it is right, in nanoseconds (RFC 7845, 4.6).
  private static let opusLead = 80_000_000

  /// The blocks that are kept.
  let blocks: Range<Int>
  /// Nanoseconds of the result at which each of them begins, before the codec's delay.
  let times: [Int]
  /// Nanoseconds that a decoder throws away.
  let codecDelay: Int
  /// Nanoseconds that it throws away of the last block.
  let padding: Int
  /// Nanoseconds of the result at which it ends.
  let end: Int

  /// Seconds of the source at which a track ends.
  static func end(of track: MatroskaIndex.Track, _ file: SourceFile, tick: Int) throws(CameraError) -> Double {
    guard let last = try starts(of: track, file, tick: tick).last else { return 0 }
    let duration = try duration(of: track, file) ?? Int(track.samples.last?.duration ?? 0) * tick
    return Double(last + duration - track.codecDelay - track.endPadding) / 1e9
  }

  /// nil where the track has nothing in the range.
  init?(_ track: MatroskaIndex.Track, _ range: CutRange, _ file: SourceFile, tick: Int) throws(CameraError) {
    let starts = try Self.starts(of: track, file, tick: tick)
    guard let final = starts.last, let first = starts.first else { return nil }
    let duration = try Self.duration(of: track, file)
    let from = Int((range.start * 1e9).rounded()) + track.codecDelay
    let whole = final + (duration ?? Int(track.samples.last?.duration ?? 0) * tick) - track.endPadding
    let to = range.end.map { min(Int(($0 * 1e9).rounded()) + track.codecDelay, whole) } ?? whole
    let begin = max(from, first)
    let last = starts.partitioningIndex { $0 >= to } - 1
    let packet = starts.partitioningIndex { $0 > begin } - 1
    guard begin < to, packet >= 0, last >= packet else { return nil }
    let lead = track.codec == "A_OPUS" ? starts.partitioningIndex { $0 > begin - Self.opusLead } - 1 : packet - 1
    let kept = max(0, min(lead, packet))
    blocks = kept..<last + 1
    // sound that begins later than the cut keeps the delay that it had
    let zero = from < first ? from - track.codecDelay : starts[kept]
    times = starts[blocks].map { $0 - zero }
    codecDelay = from < first ? track.codecDelay : from - starts[kept]
    let blockEnd = last + 1 < starts.count ? starts[last + 1] : final + (duration ?? whole - final)
    padding = max(0, min(blockEnd - to, blockEnd - starts[last] - 1))
    end = to - from
  }

  /// Nanoseconds at which each block begins, finer than the ticks of the file where blocks are all of a length.
  private static func starts(of track: MatroskaIndex.Track, _ file: SourceFile, tick: Int) throws(CameraError) -> [Int]
  {
    let duration = try duration(of: track, file)
    var starts: [Int] = []
    starts.reserveCapacity(track.samples.count)
    var (anchor, count) = (0, 0)
    for sample in track.samples {
      let time = sample.decodeTime * tick
      if let duration, !starts.isEmpty, abs(anchor + count * duration - time) <= tick {
        starts.append(anchor + count * duration)
      } else {
        (anchor, count) = (time, 0)
        starts.append(max(time, starts.last ?? time))
      }
      count += 1
    }
    return starts
  }

  /// Nanoseconds that each block lasts; nil where they differ or nobody knows.
  private static func duration(of track: MatroskaIndex.Track, _ file: SourceFile) throws(CameraError) -> Int? {
    guard let sample = track.samples.first, sample.description == 0 else { return nil }
    if track.codec == "A_OPUS", sample.size > 1 {
      let head = try file.bytes(at: sample.offset, count: 2)
      let configuration = Int(head[0] >> 3)
      let tens =
        configuration < 12
        ? [100, 200, 400, 600][configuration & 3]
        : configuration < 16 ? [100, 200][configuration & 1] : [25, 50, 100, 200][configuration & 3]
      let frames = [1, 2, 2, Int(head[1] & 63)][Int(head[0] & 3)]
      return tens * 100_000 * frames
    }
    if track.codec.hasPrefix("A_AAC"), track.rate >= 8000 {
      // a half of a second's fraction more would add up: the rate divides it to the nanosecond
      return Int((1024e9 / track.rate).rounded())
    }
    return nil
  }
}
