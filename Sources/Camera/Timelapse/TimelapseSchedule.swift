/// When the pictures of a time-lapse are due: the n-th one, from 0, n intervals after the start, however late the others
/// are. Running times in nanoseconds.
struct TimelapseSchedule: Sendable, Equatable {
  /// The start.
  var start: UInt64
  /// Above 0.
  var interval: UInt64
  /// Pictures that are due in all; nil for no end.
  var count: Int?
  /// The picture that is waited for.
  private(set) var number = 0

  init(start: UInt64, interval: UInt64, count: Int? = nil) {
    self.start = start
    self.interval = interval
    self.count = count
  }

  /// When the next picture is due; nil after the last one.
  var due: UInt64? {
    if let count, number >= count { return nil }
    return start + UInt64(number) * interval
  }

  /// The next picture was taken, or could not be.
  mutating func advance() { number += 1 }

  /// Passes over those whose successors are due as well at a running time; how many that are.
  mutating func passOver(at now: UInt64) -> Int {
    guard let due, now >= due + interval else { return 0 }
    let late = Int((now - due) / interval)
    let passed = count.map { min(late, $0 - number) } ?? late
    number += passed
    return passed
  }
}
