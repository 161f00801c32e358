/// Reads one `traf`: its header, then run by run and sample by sample.
struct TrackFragmentReader {
  /// A run's number of samples, and where in the bytes of the `moof` it is written.
  struct Run {
    var count: UInt32
    var countPosition: Int
  }

  private var boxes: ByteCursor
  private var run: ByteCursor
  private let moof: Int
  private var base: Int
  private var defaults = FragmentDefaults()
  private var runFlags: UInt32 = 0
  private var runVersion: UInt8 = 0
  private var firstFlags: UInt32?

  private(set) var decodeTime: UInt64?
  /// Where the next sample lies, if no run says otherwise.
  private(set) var dataEnd: Int

  init(_ bytes: [UInt8], in range: Range<Int>, moof: Int, previousEnd: Int) {
    boxes = ByteCursor(bytes, in: range)
    run = boxes
    self.moof = moof
    base = previousEnd
    dataEnd = previousEnd
  }

  /// Reads `tfhd` and `tfdt`, which stand before the runs. Nil for a track that the movie doesn't have.
  mutating func readHeader(tracks: [UInt32: Int], header: MovieHeader) throws(MovieFileError) -> Int? {
    var track: Int?
    var ahead = boxes
    while let box = try ahead.nextBox(), box.type != .trun {
      var cursor = ByteCursor(boxes.bytes, in: box.range)
      if box.type == .tfhd {
        let flags = try cursor.versionAndFlags().flags
        guard let index = tracks[try cursor.uint32()] else { return nil }
        track = index
        defaults = header.tracks[index].defaults
        if flags & 0x02_0000 != 0 { base = moof }
        if flags & 0x1 != 0 { base = Int(clamping: min(try cursor.uint64(), 1 << 60)) }
        if flags & 0x2 != 0 { defaults.description = try cursor.uint32() }
        if flags & 0x8 != 0 { defaults.duration = try cursor.uint32() }
        if flags & 0x10 != 0 { defaults.size = try cursor.uint32() }
        if flags & 0x20 != 0 { defaults.flags = try cursor.uint32() }
        dataEnd = base
      } else if box.type == .tfdt {
        decodeTime = try cursor.uint(try cursor.versionAndFlags().version == 1 ? 8 : 4)
      }
      boxes = ahead
    }
    return track
  }

  /// The next run; nil behind the last.
  mutating func nextRun() throws(MovieFileError) -> Run? {
    while let box = try boxes.nextBox() {
      guard box.type == .trun else { continue }
      run = ByteCursor(boxes.bytes, in: box.range)
      (runVersion, runFlags) = try run.versionAndFlags()
      let position = run.position
      let count = try run.uint32()
      if runFlags & 0x1 != 0 { dataEnd = base + Int(Int32(bitPattern: try run.uint32())) }
      firstFlags = runFlags & 0x4 != 0 ? try run.uint32() : nil
      let width = [0x100, 0x200, 0x400, 0x800].reduce(0) { $0 + (runFlags & UInt32($1) != 0 ? 4 : 0) }
      guard Int(count) * width <= run.remaining else {
        throw MovieFileError(.damaged, "a run of samples is longer than its box")
      }
      return Run(count: count, countPosition: position)
    }
    return nil
  }

  /// The next sample of the run.
  mutating func nextSample() throws(MovieFileError) -> SampleTable.Sample {
    let duration = runFlags & 0x100 != 0 ? try run.uint32() : defaults.duration
    let size = runFlags & 0x200 != 0 ? try run.uint32() : defaults.size
    var flags = runFlags & 0x400 != 0 ? try run.uint32() : defaults.flags
    if let first = firstFlags {
      flags = first
      firstFlags = nil
    }
    // Version 0 says unsigned; writers that mean a negative offset all the same are read as they mean it.
    let offset = runFlags & 0x800 != 0 ? Int32(bitPattern: try run.uint32()) : 0
    defer { dataEnd += Int(size) }
    return SampleTable.Sample(
      offset: dataEnd, size: size, duration: duration, compositionOffset: offset, isSync: flags & 0x1_0000 == 0,
      description: defaults.description)
  }

  /// Steps over the samples of the run that are left; what follows them lies past the cut as well.
  mutating func skipRun() { dataEnd = Int.max / 2 }
}
