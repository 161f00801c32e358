import GStreamer
import Synchronization

/// Makes one unbroken track of what a microphone delivers: sound that is missing becomes silence, sound that comes
/// twice or too late is left out, so that it stays in step with the picture whatever the microphone does.
///
/// Positions are samples since the recording's origin. Not thread-safe: the feed calls it under its lock.
struct SoundTrack {
  /// Timestamps jitter by less; a larger step is a real gap.
  static let tolerance = SoundFormat.rate / 50
  /// How far the sound may lag behind the picture before silence is put in its place: more than any sound server's
  /// buffer, less than what a kill may cost.
  static let patience = SoundFormat.rate / 2

  /// A piece of what the track does.
  enum Piece: Equatable {
    /// So many samples of silence.
    case silence(Int)
    /// These samples of the buffer at hand.
    case sound(Range<Int>)
  }

  /// Samples in the track so far.
  private(set) var length = 0
  /// Samples that were silence because nothing came.
  private(set) var silent = 0
  /// Where the track ends; nil while it is open.
  var end: Int?
  /// Where the next sound is to stand exactly, since nothing lies before it that could jitter: at the beginning, and where
  /// a pause was.
  private var exactFrom: Int? = 0

  /// The sound goes on at a position after a pause.
  mutating func resume(at position: Int) { exactFrom = position }

  /// Places a buffer of so many samples that begins at a position, which may lie before the origin.
  mutating func place(_ count: Int, at position: Int) -> [Piece] {
    var pieces: [Piece] = []
    var skip = 0
    let isExact = exactFrom.map { $0 == 0 || position + count > $0 } ?? false
    let tolerance = isExact ? 0 : Self.tolerance
    if position > length + tolerance {
      pieces += fill(to: position)
    } else if position < length - tolerance {
      skip = min(count, max(0, length - position))
    }
    var take = count - skip
    if let end { take = min(take, end - length) }
    guard take > 0 else { return pieces }
    if isExact { exactFrom = nil }
    pieces.append(.sound(skip..<skip + take))
    length += take
    return pieces
  }

  /// Silence up to a position, which the end limits.
  mutating func fill(to position: Int) -> [Piece] {
    let missing = min(position, end ?? position) - length
    guard missing > 0 else { return [] }
    length += missing
    silent += missing
    return [.silence(missing)]
  }

  /// The picture is at a position: silence where the sound lags too far behind.
  mutating func pictureReached(_ position: Int) -> [Piece] {
    length < position - Self.patience ? fill(to: position - Self.patience / 2) : []
  }

  /// Whether all is there up to the end.
  var isComplete: Bool { end.map { length >= $0 } ?? false }
}
