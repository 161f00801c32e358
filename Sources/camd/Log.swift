import Camera
import Glibc
import Synchronization

/// The daemon's messages, one line each on a descriptor (standard error). Any thread may write.
final class Log: Sendable {
  typealias Level = LogLevel

  /// How a line looks.
  enum Style: Sendable {
    /// `camd: warning: ...`, for people.
    case plain
    /// `<4>...`, for the journal, which takes the priority from it.
    case journal
  }

  /// Messages below it are left out.
  let level: Level
  private let style: Style
  private let descriptor: Int32
  // Keeps the parts of a line that needs several writes together.
  private let writing = Mutex(())

  /// A log on the descriptor, which stays the caller's. Without a style it is the journal's where `JOURNAL_STREAM`
  /// names the descriptor, and plain elsewhere.
  init(
    level: Level, descriptor: Int32 = STDERR_FILENO, style: Style? = nil,
    environment: Environment = .current
  ) {
    self.level = level
    self.descriptor = descriptor
    self.style = style ?? (Self.isJournal(descriptor, environment: environment) ? .journal : .plain)
  }

  /// Writes the message unless its level is below the log's; only then is it made.
  func write(_ level: Level, _ message: @autoclosure () -> String) {
    guard level.priority <= self.level.priority else { return }
    let text = Self.escaping(message())
    let line =
      switch style {
      case .journal: "<\(level.priority)>\(text)\n"
      case .plain: level == .info ? "camd: \(text)\n" : "camd: \(level): \(text)\n"
      }
    writing.withLock { _ in
      // There is nobody left to tell about a standard error that can't be written to.
      _ = writeAll(Array(line.utf8), to: descriptor)
    }
  }

  func error(_ message: @autoclosure () -> String) { write(.error, message()) }
  func warning(_ message: @autoclosure () -> String) { write(.warning, message()) }
  func info(_ message: @autoclosure () -> String) { write(.info, message()) }
  func debug(_ message: @autoclosure () -> String) { write(.debug, message()) }

  /// The text with what would start another line, or command a terminal, written as an escape.
  static func escaping(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.properties.generalCategory == .control, "\u{2028}", "\u{2029}":
        result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Whether `JOURNAL_STREAM` (`device:inode`) names the file behind the descriptor: a service may have been given
  /// another standard error after the variable was set.
  private static func isJournal(_ descriptor: Int32, environment: Environment) -> Bool {
    var status = stat()
    guard let stream = environment["JOURNAL_STREAM"], fstat(descriptor, &status) == 0 else { return false }
    return stream == "\(status.st_dev):\(status.st_ino)"
  }
}

extension LogLevel {
  /// sd-daemon(3)'s number, which is syslog's.
  var priority: Int {
    switch self {
    case .error: 3
    case .warning: 4
    case .info: 6
    case .debug: 7
    }
  }
}
