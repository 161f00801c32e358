/// How a light shines.
public enum Lighting: Sendable, Equatable {
  case off
  /// Steadily.
  case torch
  /// As brightly as it can, long enough for a frame.
  case flash
}

/// Why a light doesn't do what it should.
public struct LightError: Error, Equatable, CustomStringConvertible {
  /// For people: what failed, and the system's reason.
  public var description: String
  /// A failure of that description.
  public init(_ description: String) { self.description = description }
}

/// A lamp beside a camera. Called by one thread at a time.
public protocol Light: Sendable {
  /// Returns when it shines that way. May block for as long as its driver does.
  func set(_ lighting: Lighting) throws(LightError)
}
