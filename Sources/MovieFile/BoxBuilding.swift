/// A box of these bytes.
func makeBox(_ type: FourCharacterCode, _ payload: [UInt8]) -> [UInt8] {
  bigEndian(UInt64(payload.count + 8), 4) + bigEndian(UInt64(type.rawValue), 4) + payload
}

/// A box that is written: small ones as bytes, sample tables straight from where they are kept.
indirect enum BoxNode {
  case bytes([UInt8])
  case container(FourCharacterCode, [BoxNode])
  case timeToSample(RunLengths<UInt32>)
  case compositionOffsets(RunLengths<Int32>, shift: Int32)
  case syncSamples([UInt32])
  case sizes([UInt32])
  case sampleToChunk([SampleTable.Chunk])
  case chunkOffsets([SampleTable.Chunk], isLong: Bool)

  /// Bytes, the header included.
  var size: Int {
    switch self {
    case .bytes(let bytes): bytes.count
    case .container(_, let children): children.reduce(8) { $0 + $1.size }
    case .timeToSample(let runs): 16 + 8 * runs.runs.count
    case .compositionOffsets(let runs, _): 16 + 8 * runs.runs.count
    case .syncSamples(let numbers): 16 + 4 * numbers.count
    case .sizes(let sizes): 20 + (Self.areEqual(sizes) ? 0 : 4 * sizes.count)
    case .sampleToChunk(let chunks): 16 + 12 * Self.chunkRuns(chunks).count
    case .chunkOffsets(let chunks, let isLong): 16 + (isLong ? 8 : 4) * chunks.count
    }
  }

  /// Writes the box.
  func write(to writer: inout BoxWriter) throws(MovieFileError) {
    switch self {
    case .bytes(let bytes): try writer.append(bytes)
    case .container(let type, let children):
      try writer.header(type, size: size)
      for child in children { try child.write(to: &writer) }
    case .timeToSample(let runs):
      try writer.fullHeader(.stts, size: size, count: runs.runs.count)
      for run in runs.runs {
        try writer.uint32(run.count)
        try writer.uint32(run.value)
      }
    case .compositionOffsets(let runs, let shift):
      try writer.fullHeader(.ctts, size: size, count: runs.runs.count)
      for run in runs.runs {
        try writer.uint32(run.count)
        try writer.uint32(UInt32(bitPattern: run.value &+ shift))
      }
    case .syncSamples(let numbers):
      try writer.fullHeader(.stss, size: size, count: numbers.count)
      for number in numbers { try writer.uint32(number) }
    case .sizes(let sizes):
      let areEqual = Self.areEqual(sizes)
      try writer.header(.stsz, size: size)
      try writer.uint32(0)
      try writer.uint32(areEqual ? sizes.first ?? 0 : 0)
      try writer.uint32(UInt32(sizes.count))
      if !areEqual { for size in sizes { try writer.uint32(size) } }
    case .sampleToChunk(let chunks):
      let runs = Self.chunkRuns(chunks)
      try writer.fullHeader(.stsc, size: size, count: runs.count)
      for run in runs {
        try writer.uint32(UInt32(run + 1))
        try writer.uint32(chunks[run].samples)
        try writer.uint32(chunks[run].description)
      }
    case .chunkOffsets(let chunks, let isLong):
      try writer.fullHeader(isLong ? .co64 : .stco, size: size, count: chunks.count)
      for chunk in chunks { try writer.uint(UInt64(chunk.offset), isLong ? 8 : 4) }
    }
  }

  /// Sizes that are all 0 must be listed: a common size of 0 means 'see the list'.
  private static func areEqual(_ sizes: [UInt32]) -> Bool {
    guard let first = sizes.first, first > 0 else { return false }
    return !sizes.contains { $0 != first }
  }

  /// The first chunk of each run of chunks alike.
  private static func chunkRuns(_ chunks: [SampleTable.Chunk]) -> [Int] {
    chunks.indices.filter { index in
      index == 0 || chunks[index].samples != chunks[index - 1].samples
        || chunks[index].description != chunks[index - 1].description
    }
  }
}
