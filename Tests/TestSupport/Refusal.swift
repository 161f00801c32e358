/// The error of a kind that the body throws; another error, or none, fails the test.
public func refusal<Refused: Error>(_ kind: Refused.Type, _ body: () throws -> Void) throws -> Refused {
  do {
    try body()
  } catch let error as Refused {
    return error
  }
  throw MakerError(description: "a \(kind) was expected, and nothing was refused")
}

/// The same for what takes its time.
public func refusal<Refused: Error>(
  _ kind: Refused.Type, _ body: @Sendable () async throws -> Void
) async throws -> Refused {
  do {
    try await body()
  } catch let error as Refused {
    return error
  }
  throw MakerError(description: "a \(kind) was expected, and nothing was refused")
}
