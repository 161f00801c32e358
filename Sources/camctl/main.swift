import CameraProtocol
import Glibc

/// Does what the words say; the status to exit with.
func run(_ words: [String]) -> ExitStatus {
  do {
    let words = try CommandLineWords(words)
    if words.has("--version") {
      try Output.line("camctl \(CameraInterface.version)")
    } else if words.has("--help") {
      try Output.line(words.command.map(Help.text) ?? Help.overview)
    } else if let command = words.command {
      try command.make(words).run(try Context(words))
    }
    return .done
  } catch is Refusal {
    return .refused
  } catch {
    let (status, message) = ExitStatus.of(error)
    Output.note(message)
    return status
  }
}

exit(run(Array(CommandLine.arguments.dropFirst())).rawValue)
