import Camera
import Glibc
import Testing

@testable import camd

@Suite struct LogTests {
  /// What the body makes a log write.
  private func lines(
    level: Log.Level, style: Log.Style? = nil, stream: (stat) -> String? = { _ in nil }, _ body: (Log) -> Void
  ) throws -> String {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    defer { close(ends[0]) }
    var status = stat()
    try #require(fstat(ends[1], &status) == 0)
    let variables = stream(status).map { ["JOURNAL_STREAM": $0] } ?? [:]
    let environment = Environment(variables: variables, userID: 1000)
    body(Log(level: level, descriptor: ends[1], style: style, environment: environment))
    close(ends[1])
    var bytes = [UInt8](repeating: 0, count: 65536)
    let count = read(ends[0], &bytes, bytes.count)
    return String(decoding: bytes[..<max(count, 0)], as: UTF8.self)
  }

  @Test func onePlainLineForEachMessageOfTheLevelAndAbove() throws {
    let text = try lines(level: .info, style: .plain) { log in
      log.error("gone")
      log.warning("late")
      log.info("here")
      log.debug("not shown")
    }
    #expect(text == "camd: error: gone\ncamd: warning: late\ncamd: here\n")
  }

  @Test func theJournalGetsPriorities() throws {
    let text = try lines(level: .debug, style: .journal) { log in
      for level in Log.Level.allCases { log.write(level, level.rawValue) }
    }
    #expect(text == "<3>error\n<4>warning\n<6>info\n<7>debug\n")
  }

  @Test func theStyleFollowsJournalStream() throws {
    #expect(try lines(level: .info, stream: { "\($0.st_dev):\($0.st_ino)" }) { $0.info("x") } == "<6>x\n")
    #expect(try lines(level: .info, stream: { "\($0.st_dev):\($0.st_ino + 1)" }) { $0.info("x") } == "camd: x\n")
    #expect(try lines(level: .info) { $0.info("x") } == "camd: x\n")
  }

  @Test func aMessageIsOneLine() throws {
    #expect(Log.escaping("a\nb\r\n\tc\u{1B}[31m\u{0}é\u{2028}") == #"a\nb\r\n\tc\u{1b}[31m\u{0}é\u{2028}"#)
    #expect(try lines(level: .info, style: .plain) { $0.info("a\n<3>b") } == "camd: a\\n<3>b\n")
  }

  @Test func aMessageThatIsNotShownIsNotMade() throws {
    var made = 0
    func message() -> String {
      made += 1
      return "x"
    }
    _ = try lines(level: .warning, style: .plain) { log in
      log.debug(message())
      log.error(message())
    }
    #expect(made == 1)
  }

  @Test func linesOfManyThreadsStayWhole() async throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    let (input, output) = (ends[0], ends[1])
    defer { close(input) }
    let log = Log(level: .info, descriptor: output, style: .plain)
    let long = String(repeating: "x", count: 3 * 4096)  // more than a pipe takes in one piece
    let reading = Task.detached {
      var text: [UInt8] = []
      var chunk = [UInt8](repeating: 0, count: 4096)
      while case let count = read(input, &chunk, chunk.count), count > 0 { text += chunk[..<count] }
      return text
    }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<20 { group.addTask { log.info(long) } }
    }
    close(output)
    let lines = await reading.value.split(separator: UInt8(ascii: "\n"))
    #expect(lines.count == 20)
    #expect(lines.allSatisfy { $0.count == "camd: ".utf8.count + long.utf8.count })
  }
}
