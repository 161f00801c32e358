/// A sequence of values kept as runs of equal ones, as `stts` and `ctts` are.
struct RunLengths<Value: Equatable> {
  struct Run {
    var count: UInt32
    var value: Value
  }

  private(set) var runs: [Run] = []

  var last: Value? { runs.last?.value }

  mutating func append(_ value: Value) {
    if let index = runs.indices.last, runs[index].value == value, runs[index].count < .max {
      runs[index].count += 1
    } else {
      runs.append(Run(count: 1, value: value))
    }
  }

  mutating func replaceLast(with value: Value) {
    guard let index = runs.indices.last, runs[index].value != value else { return }
    if runs[index].count == 1 { runs.removeLast() } else { runs[index].count -= 1 }
    append(value)
  }
}
