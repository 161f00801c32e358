/// How much a message matters; the most important first.
public enum LogLevel: String, Sendable, CaseIterable {
  case error, warning, info, debug
}

/// Takes a message for the log; it is made only where the level is logged. From any thread.
public typealias Logger = @Sendable (LogLevel, @autoclosure () -> String) -> Void
