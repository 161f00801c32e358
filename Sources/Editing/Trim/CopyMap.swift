import MovieFile

/// Which ranges of the source are copied, and where each sample comes to lie.
struct CopyMap {
  /// Bytes of the source that lie one behind the other.
  private(set) var ranges: [Range<Int>] = []
  /// Where each range begins, counted from the first.
  private var starts: [Int] = []

  /// Gathers the copied samples of all tracks. Nothing but their bytes is copied.
  init(_ cuts: [TrackCut], _ index: MovieIndex) {
    var pieces: [Range<Int>] = []
    for cut in cuts {
      let samples = index.tracks[cut.source].samples
      for case .copied(let number) in cut.origins {
        let sample = samples[number]
        if let last = pieces.last, last.upperBound == sample.offset {
          pieces[pieces.count - 1] = last.lowerBound..<sample.offset + Int(sample.size)
        } else {
          pieces.append(sample.offset..<sample.offset + Int(sample.size))
        }
      }
    }
    pieces.sort { $0.lowerBound < $1.lowerBound }
    var size = 0
    for piece in pieces {
      if let last = ranges.last, piece.lowerBound <= last.upperBound {
        let end = max(last.upperBound, piece.upperBound)
        size += end - last.upperBound
        ranges[ranges.count - 1] = last.lowerBound..<end
      } else {
        starts.append(size)
        ranges.append(piece)
        size += piece.count
      }
    }
  }

  /// Bytes of all ranges.
  var size: Int { zip(starts.suffix(1), ranges.suffix(1)).reduce(0) { $1.0 + $1.1.count } }

  /// Where a sample of the source comes to lie, counted from the first copied byte.
  func place(of sample: MovieSample) -> Int {
    let range = max(0, ranges.partitioningIndex { $0.lowerBound > sample.offset } - 1)
    guard ranges.indices.contains(range) else { return 0 }
    return starts[range] + sample.offset - ranges[range].lowerBound
  }
}
