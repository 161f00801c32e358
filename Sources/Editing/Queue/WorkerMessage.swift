import CameraProtocol

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A line that a worker writes: JSON, one value in it.
struct WorkerMessage: Codable, Sendable {
  /// What a worker failed with.
  struct Failure: Codable, Sendable {
    var kind: String
    var detail: CameraError.Detail
  }

  var progress: Double?
  var outcome: EditOutcome?
  var failure: Failure?

  init(progress: Double? = nil, outcome: EditOutcome? = nil, error: CameraError? = nil) {
    self.progress = progress
    self.outcome = outcome
    failure = error.map { Failure(kind: $0.kind.rawValue, detail: $0.detail) }
  }

  var error: CameraError? {
    failure.map { CameraError(CameraError.Kind(rawValue: $0.kind) ?? .internalError, detail: $0.detail) }
  }

  static func line(_ value: some Encodable) throws -> [UInt8] {
    Array(try JSONEncoder().encode(value)) + [UInt8(ascii: "\n")]
  }

  static func read<Value: Decodable>(_ type: Value.Type, _ line: [UInt8]) throws -> Value {
    try JSONDecoder().decode(type, from: Data(line))
  }
}

/// Splits a stream into lines.
struct LineReader {
  private var rest: [UInt8] = []

  /// Takes what came and hands out the lines that are complete.
  mutating func take(_ bytes: some Sequence<UInt8>) -> [[UInt8]] {
    rest += bytes
    var lines: [[UInt8]] = []
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      lines.append(Array(rest[..<end]))
      rest.removeFirst(end + 1)
    }
    return lines
  }
}
