extension MovieIndex {
  /// What all tracks together may hold: a movie of ten hours at 60 frames a second with its sound.
  static let largestSampleCount = 4 << 20

  /// The samples of each track, gathered from the fragments.
  static func fragmentSamples(_ file: BoxFile, header: MovieHeader, moov: Box) throws(MovieFileError)
    -> [[MovieSample]]
  {
    let scanner = try FragmentScanner(file, header: header, moov: moov)
    guard scanner.tables.reduce(0, { $0 + $1.count }) <= largestSampleCount else { throw tooMany }
    return scanner.tables.enumerated().map { index, table in
      var table = table
      let track = header.tracks[index]
      table.settleLastDuration(fallback: track.kind == .audio ? 1024 : max(1, track.timescale / 30))
      return table.samples
    }
  }

  /// The samples of each track, as the tables of a finished movie say.
  static func tableSamples(_ file: BoxFile, _ tracks: [TrackBoxes]) throws(MovieFileError) -> [[MovieSample]] {
    var total = 0
    var result: [[MovieSample]] = []
    for track in tracks {
      var reader = try SampleTableReader(file, track.tables)
      total += reader.count
      guard total <= largestSampleCount else { throw tooMany }
      result.append(try reader.read())
    }
    return result
  }

  private static var tooMany: MovieFileError {
    MovieFileError(.tooLarge, "the movie claims more than \(largestSampleCount) samples")
  }
}

extension SampleTable {
  /// The samples one by one.
  var samples: [MovieSample] {
    var samples: [MovieSample] = []
    samples.reserveCapacity(count)
    for chunk in chunks {
      var offset = chunk.offset
      for _ in 0..<chunk.samples where samples.count < count {
        let size = sizes[samples.count]
        samples.append(
          MovieSample(
            offset: offset, size: size, duration: 0, decodeTime: 0, compositionOffset: 0, isSync: false,
            description: UInt16(clamping: chunk.description)))
        offset += Int(size)
      }
    }
    var index = 0
    var time = start
    for run in durations.runs {
      for _ in 0..<run.count where index < samples.count {
        samples[index].duration = run.value
        samples[index].decodeTime = time
        time += Int(run.value)
        index += 1
      }
    }
    index = 0
    for run in compositionOffsets.runs {
      for _ in 0..<run.count where index < samples.count {
        samples[index].compositionOffset = run.value
        index += 1
      }
    }
    for number in syncSamples { samples[Int(number) - 1].isSync = true }
    return samples
  }
}

/// Reads the tables of one track of a finished movie.
struct SampleTableReader {
  /// The number of samples.
  let count: Int
  private let file: BoxFile
  private let tables: [FourCharacterCode: Box]

  init(_ file: BoxFile, _ tables: [FourCharacterCode: Box]) throws(MovieFileError) {
    self.file = file
    self.tables = tables
    guard let box = tables[.stsz] ?? tables[.stz2] else {
      count = 0
      return
    }
    var cursor = try file.payload(of: box, limit: 12)
    try cursor.skip(8)
    count = Int(try cursor.uint32())
  }

  /// The samples in the order of decoding.
  mutating func read() throws(MovieFileError) -> [MovieSample] {
    guard count > 0 else { return [] }
    var samples = try sizes().map { size in
      MovieSample(
        offset: 0, size: size, duration: 0, decodeTime: 0, compositionOffset: 0, isSync: tables[.stss] == nil,
        description: 1)
    }
    try readTimes(&samples)
    try readSyncs(&samples)
    try readPlaces(&samples)
    return samples
  }

  private func sizes() throws(MovieFileError) -> [UInt32] {
    let isCompact = tables[.stsz] == nil
    guard let box = tables[.stsz] ?? tables[.stz2] else { return [] }
    var cursor = try file.payload(of: box)
    try cursor.skip(4)
    let common = try cursor.uint32()
    try cursor.skip(4)
    if !isCompact, common > 0 { return [UInt32](repeating: common, count: count) }
    let bits = isCompact ? Int(common & 0xFF) : 32
    guard [4, 8, 16, 32].contains(bits), cursor.remaining * 8 >= count * bits else { throw Self.damaged(box) }
    var sizes: [UInt32] = []
    sizes.reserveCapacity(count)
    while sizes.count < count {
      guard bits == 4 else {
        sizes.append(UInt32(truncatingIfNeeded: try cursor.uint(bits / 8)))
        continue
      }
      let pair = UInt32(truncatingIfNeeded: try cursor.uint(1))
      sizes.append(pair >> 4)
      if sizes.count < count { sizes.append(pair & 0xF) }
    }
    return sizes
  }

  private func readTimes(_ samples: inout [MovieSample]) throws(MovieFileError) {
    guard let stts = tables[.stts] else { throw MovieFileError(.damaged, "a track has no times") }
    var index = 0
    var time = 0
    try forEachRun(of: stts) { run, value in
      for _ in 0..<min(run, samples.count - index) {
        samples[index].duration = value
        samples[index].decodeTime = time
        time += Int(value)
        index += 1
      }
    }
    guard index == samples.count else { throw Self.damaged(stts) }
    guard let ctts = tables[.ctts] else { return }
    index = 0
    try forEachRun(of: ctts) { run, value in
      for _ in 0..<min(run, samples.count - index) {
        // Version 0 says unsigned; writers that mean a negative offset all the same are read as they mean it.
        samples[index].compositionOffset = Int32(bitPattern: value)
        index += 1
      }
    }
  }

  private func forEachRun(of box: Box, _ body: (Int, UInt32) -> Void) throws(MovieFileError) {
    var cursor = try file.payload(of: box)
    try cursor.skip(4)
    let count = Int(try cursor.uint32())
    guard cursor.remaining >= count * 8 else { throw Self.damaged(box) }
    for _ in 0..<count { body(Int(try cursor.uint32()), try cursor.uint32()) }
  }

  private func readSyncs(_ samples: inout [MovieSample]) throws(MovieFileError) {
    guard let stss = tables[.stss] else { return }
    var cursor = try file.payload(of: stss)
    try cursor.skip(4)
    for _ in 0..<Int(try cursor.uint32()) {
      let number = Int(try cursor.uint32())
      guard (1...samples.count).contains(number) else { throw Self.damaged(stss) }
      samples[number - 1].isSync = true
    }
  }

  private func readPlaces(_ samples: inout [MovieSample]) throws(MovieFileError) {
    guard let stsc = tables[.stsc], let places = tables[.stco] ?? tables[.co64] else {
      throw MovieFileError(.damaged, "a track doesn't say where its samples lie")
    }
    let width = tables[.stco] == nil ? 8 : 4
    var offsets = try file.payload(of: places)
    try offsets.skip(4)
    let chunks = Int(try offsets.uint32())
    guard offsets.remaining >= chunks * width else { throw Self.damaged(places) }
    var runs = try file.payload(of: stsc)
    try runs.skip(4)
    var left = Int(try runs.uint32())
    guard left > 0, runs.remaining >= left * 12 else { throw Self.damaged(stsc) }
    var (first, count, description) = (Int(try runs.uint32()), Int(try runs.uint32()), try runs.uint32())
    var next = first
    var nextValues = (count, description)
    left -= 1
    func advance() throws(MovieFileError) {
      next = .max
      if left > 0 {
        next = Int(try runs.uint32())
        nextValues = (Int(try runs.uint32()), try runs.uint32())
        left -= 1
      }
    }
    guard first == 1 else { throw Self.damaged(stsc) }
    try advance()
    var index = 0
    for chunk in 1...max(chunks, 1) where index < samples.count && chunk <= chunks {
      if chunk == next {
        (count, description) = nextValues
        first = next
        try advance()
        guard next > first else { throw Self.damaged(stsc) }
      }
      var offset = Int(clamping: try offsets.uint(width))
      for _ in 0..<min(count, samples.count - index) {
        guard offset <= file.size - Int(samples[index].size) else {
          throw MovieFileError(.damaged, "the file ends before its last picture or sound")
        }
        samples[index].offset = offset
        samples[index].description = UInt16(clamping: description)
        offset += Int(samples[index].size)
        index += 1
      }
    }
    guard index == samples.count else { throw Self.damaged(stsc) }
  }

  private static func damaged(_ box: Box) -> MovieFileError {
    MovieFileError(.damaged, "the table '\(box.type.text)' of the movie contradicts the others")
  }
}
