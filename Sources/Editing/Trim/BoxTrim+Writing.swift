import CameraProtocol
import GStreamer
import MovieFile

extension BoxTrim {
  /// An edge's picture costs about as long as copying this many bytes.
  private static let weight = 400_000

  /// Writes the result; returns its size.
  func write(
    from file: SourceFile, to target: Int32, encoders: [String], progress: (Double) -> Void, isCancelled: () -> Bool
  ) throws(CameraError) -> Int {
    var cuts = cuts
    let map = CopyMap(cuts, index)
    let total = Double(max(1, map.size + reencodedFrames * Self.weight))
    var done = 0
    func step(_ amount: Int) throws(CameraError) {
      if isCancelled() { throw CameraError(.cancelled, "the edit was cancelled") }
      done += amount
      progress(min(1, Double(done) / total))
    }
    place(&cuts, map, at: map.size)  // as far away as they may come to lie
    let start = composition(cuts).mediaStart
    var writer = MediaWriter(source: file.descriptor, target: target, at: start)
    let isPicture = { (cut: Int) in index.tracks[cuts[cut].source].kind == .video }
    let video = cuts.indices.first(where: isPicture)
    func encode(isFirst: Bool) throws(CameraError) {
      guard let video else { return }
      try self.encode(
        &cuts[video], isFirst: isFirst, file, &writer, encoders: encoders,
        step: { () throws(CameraError) in try step(Self.weight) }, isCancelled: isCancelled)
    }
    try encode(isFirst: true)
    let base = writer.position
    for range in map.ranges { try writer.copy(range) { count throws(CameraError) in try step(count) } }
    place(&cuts, map, at: base)
    try encode(isFirst: false)
    do throws(MovieFileError) {
      return try composition(cuts).write(to: target, mediaFrom: start, to: writer.position)
    } catch {
      throw CameraError(error, writing: true)
    }
  }

  /// Says of the copied samples where they lie.
  private func place(_ cuts: inout [TrackCut], _ map: CopyMap, at base: Int) {
    for cut in cuts.indices {
      let samples = index.tracks[cuts[cut].source].samples
      for (position, origin) in cuts[cut].origins.enumerated() {
        if case .copied(let number) = origin {
          cuts[cut].samples[position].offset = base + map.place(of: samples[number])
        }
      }
    }
  }

  /// Encodes the edge before the copied samples, or the one behind them, where there is one.
  private func encode(
    _ cut: inout TrackCut, isFirst: Bool, _ file: SourceFile, _ writer: inout MediaWriter,
    encoders: [String], step: () throws(CameraError) -> Void, isCancelled: () -> Bool
  ) throws(CameraError) {
    var leading: Int?
    if case .encoded(let edge, _)? = cut.origins.first { leading = edge }
    let samples = index.tracks[cut.source].samples
    for edge in cut.edges.indices where (edge == leading) == isFirst {
      let first = samples[cut.edges[edge].decode.lowerBound]
      let entry = cut.entries[Int(first.description) - 1]
      let name = entry.payload(of: "hvcC", in: .video) == nil ? "avcC" : "hvcC"
      let kind = try edgeKind(
        entry.payload(of: name, in: .video) ?? [], isHEVC: name == "hvcC", first: try file.bytes(of: first),
        encoders: encoders)
      var made: [UInt8]?
      var position = cut.origins.firstIndex(of: .encoded(edge: edge, frame: 0)) ?? 0
      var count = 0
      try EdgeEncoder(codec: kind.codec, clock: SystemClock()).encode(
        cut.edges[edge], of: samples, sample: { number throws(CameraError) in try file.bytes(of: samples[number]) },
        isCancelled: isCancelled
      ) { frame, caps throws(CameraError) in
        var sets: [[UInt8]] = []
        if made == nil {
          made = try kind.configuration(with: caps)
          // where parameter sets stand among the pictures, they are looked for there
          if ["avc3", "hev1"].contains(entry.codec) { sets = try kind.sets(of: caps) }
        }
        count += 1
        let bytes = try kind.sample(frame, with: sets, isLast: count == cut.edges[edge].frames.count)
        cut.samples[position].offset = writer.position
        cut.samples[position].size = UInt32(clamping: bytes.count)
        position += 1
        try writer.append(bytes)
        try step()
      }
      guard let made else { continue }
      cut.entries[Int(first.description) - 1] = entry.replacing(name, in: .video, with: made)
    }
  }
}

/// How edges are encoded. `configuration`: the payload of `avcC` or `hvcC`; `first`: the first sample that is decoded.
func edgeKind(
  _ configuration: [UInt8], isHEVC: Bool, first: [UInt8], encoders: [String]
) throws(CameraError) -> any NumberedEdge {
  if isHEVC, let configuration = HEVCConfiguration(configuration) { return try HEVCEdge(configuration) }
  guard !isHEVC, let configuration = AVCConfiguration(configuration) else {
    throw .damaged("the description of its pictures contradicts itself")
  }
  return try H264Edge(configuration, first: first, encoders: encoders)
}
