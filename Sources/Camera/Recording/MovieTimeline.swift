/// The time of a movie: running time from its first frame on, without its pauses.
///
/// Nanoseconds of running time outside, samples of the movie's sound inside. Not thread-safe: the feed calls it under its
/// lock.
struct MovieTimeline {
  private struct Pause {
    var from: UInt64
    var to: UInt64
  }

  /// Running time of the first frame; nil before that.
  private(set) var origin: UInt64?
  /// Nanoseconds of the pauses that are over.
  private(set) var paused: UInt64 = 0
  private var pauses: [Pause] = []

  /// Whether a pause lasts.
  var isPaused: Bool { pauses.last?.to == .max }

  /// The movie begins.
  mutating func begin(at runningTime: UInt64) { origin = runningTime }

  /// A pause begins where the last frame ended.
  mutating func pause(at end: UInt64) {
    if !isPaused { pauses.append(Pause(from: end, to: .max)) }
  }

  /// The movie goes on with a frame.
  mutating func resume(at runningTime: UInt64) {
    guard isPaused, let from = pauses.last?.from else { return }
    pauses[pauses.count - 1].to = max(from, runningTime)
    paused += max(from, runningTime) - from
  }

  /// Nanoseconds into the movie of a frame, or of the end of one, that is not before the last pause.
  func position(of runningTime: UInt64) -> UInt64 { runningTime - (origin ?? runningTime) - paused }

  /// A piece of a buffer of sound and where it belongs.
  struct Piece: Equatable {
    /// Samples of the buffer.
    var range: Range<Int>
    /// Samples from the movie's beginning; negative before it.
    var position: Int
  }

  /// What is left of a buffer of so many samples that begins at a running time.
  func pieces(of count: Int, at runningTime: UInt64) -> [Piece] {
    guard let origin else { return [] }
    let start = samples(runningTime, origin)
    let end = start + count
    var pieces: [Piece] = []
    var (cursor, skipped) = (start, 0)
    for pause in pauses {
      let (from, to) = (samples(pause.from, origin), pause.to == .max ? Int.max : samples(pause.to, origin))
      guard from < end else { break }
      if from > cursor { pieces.append(Piece(range: cursor - start..<from - start, position: cursor - skipped)) }
      guard to < end else { return pieces }
      cursor = max(cursor, to)
      skipped += to - from
    }
    if cursor < end { pieces.append(Piece(range: cursor - start..<count, position: cursor - skipped)) }
    return pieces
  }

  private func samples(_ runningTime: UInt64, _ origin: UInt64) -> Int {
    SoundFormat.samples(in: Int64(clamping: runningTime) - Int64(clamping: origin))
  }
}
