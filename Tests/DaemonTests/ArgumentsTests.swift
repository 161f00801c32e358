import Camera
import Testing

@testable import camd

@Suite struct ArgumentsTests {
  @Test func everyOptionIsRead() throws {
    let words = ["--socket", "/run/x", "--config=/etc/a=b", "--library", "dir", "--log-level", "debug"]
    let expected = Arguments(socket: "/run/x", config: "/etc/a=b", library: "dir", logLevel: .debug)
    #expect(try Arguments.parse(words) == .run(expected))
    #expect(try Arguments.parse([]) == .run(Arguments()))
    #expect(try Arguments.parse(["--socket", "/a", "--socket", "/b"]) == .run(Arguments(socket: "/b")))
  }

  @Test func helpAndVersionAreCommands() throws {
    #expect(try Arguments.parse(["--help"]) == .help)
    #expect(try Arguments.parse(["--socket", "/run/x", "--version"]) == .version)
  }

  @Test(arguments: [
    (["--sokcet", "/x"], "unknown option '--sokcet'"), (["--sokcet=/x"], "unknown option '--sokcet'"),
    (["-v"], "unknown option '-v'"), (["start"], "unexpected argument 'start'"),
    (["--socket"], "'--socket' needs a value"), (["--library="], "the value of '--library' is empty"),
    (["--help=x"], "'--help' takes no value"),
    (["--log-level", "loud"], "'loud' is no log level; known levels: error, warning, info, debug"),
  ])
  func mistakesAreNamed(words: [String], message: String) {
    #expect(throws: Arguments.UsageError(description: message)) { try Arguments.parse(words) }
  }

  @Test func helpFitsATerminalAndNamesEveryOption() {
    let lines = Arguments.help.split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= 80 })
    for option in ["--socket", "--config", "--library", "--log-level", "--help", "--version"] {
      #expect(Arguments.help.contains("  \(option)"))
    }
    #expect(Arguments.help.hasSuffix(".\n"))
  }
}
