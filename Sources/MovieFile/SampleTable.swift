/// The samples of one track, gathered fragment by fragment in the shape in which `stbl` holds them.
struct SampleTable {
  /// One sample as a fragment describes it.
  struct Sample {
    var offset: Int
    var size: UInt32
    var duration: UInt32
    var compositionOffset: Int32
    var isSync: Bool
    var description: UInt32
  }

  /// Samples that lie one behind the other.
  struct Chunk {
    var offset: Int
    var samples: UInt32
    var description: UInt32
  }

  /// What all tracks together may hold: four times a recording of 26 hours at 60 frames a second.
  static let largestCount = 16 << 20

  private(set) var sizes: [UInt32] = []
  private(set) var durations = RunLengths<UInt32>()
  private(set) var compositionOffsets = RunLengths<Int32>()
  private(set) var syncSamples: [UInt32] = []
  private(set) var chunks: [Chunk] = []
  /// Ticks of all durations together.
  private(set) var duration = 0
  /// The decode time at which the track as written began, kept or not.
  private(set) var writtenStart: Int?
  /// The decode time of the first sample kept.
  private(set) var start = 0
  private(set) var firstCompositionOffset: Int32 = 0
  private(set) var leastCompositionOffset: Int32 = 0

  private var decodeTime = 0
  private var chunkEnd = -1

  var count: Int { sizes.count }
  var isAllSync: Bool { syncSamples.count == sizes.count }

  /// The next fragment says at which time it begins.
  mutating func seek(to time: UInt64) {
    let time = Int(clamping: min(time, 1 << 60))
    if writtenStart == nil { writtenStart = time }
    if let last = durations.last, time != decodeTime {
      // A gap, or an overlap, goes into the sample before it: that is how the fragments play.
      let corrected = Int(last) + time - decodeTime
      guard corrected > 0, corrected <= Int(UInt32.max) else { return }
      durations.replaceLast(with: UInt32(corrected))
      duration += corrected - Int(last)
    }
    decodeTime = time
  }

  /// The next samples are no neighbours of the last ones.
  mutating func beginChunk() { chunkEnd = -1 }

  /// Adds a sample. A picture track begins with a key frame; what comes before it can't be decoded and is left out.
  mutating func append(_ sample: Sample, needsSync: Bool) {
    if writtenStart == nil { writtenStart = decodeTime }
    defer { decodeTime += Int(sample.duration) }
    if sizes.isEmpty {
      guard sample.isSync || !needsSync else { return }
      start = decodeTime
      firstCompositionOffset = sample.compositionOffset
      leastCompositionOffset = sample.compositionOffset
    }
    sizes.append(sample.size)
    durations.append(sample.duration)
    compositionOffsets.append(sample.compositionOffset)
    leastCompositionOffset = min(leastCompositionOffset, sample.compositionOffset)
    duration += Int(sample.duration)
    if sample.isSync { syncSamples.append(UInt32(sizes.count)) }
    if chunkEnd == sample.offset, let last = chunks.indices.last, chunks[last].description == sample.description {
      chunks[last].samples += 1
    } else {
      chunks.append(Chunk(offset: sample.offset, samples: 1, description: sample.description))
    }
    chunkEnd = sample.offset + Int(sample.size)
  }

  /// Gives the last sample a duration like its neighbour's where it has none or one out of all proportion.
  mutating func settleLastDuration(fallback: UInt32) {
    guard let last = durations.last else { return }
    var before = fallback
    if let run = durations.runs.last, run.count == 1, durations.runs.count > 1 {
      before = durations.runs[durations.runs.count - 2].value
    } else if last > 0, let run = durations.runs.last, run.count > 1 {
      return
    }
    guard last == 0 || (count > 1 && Int(last) > 10 * Int(max(before, 1))) else { return }
    durations.replaceLast(with: max(before, 1))
    duration += Int(max(before, 1)) - Int(last)
  }
}
