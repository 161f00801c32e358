import CameraProtocol
import Editing
import Glibc

if CommandLine.arguments.dropFirst() == [EditWorker.word] { EditWorker.serve() }

// Before there are other threads: from here on no signal ends the process by surprise.
let signals = Signals()

switch Result(catching: { () throws(Arguments.UsageError) in
  try Arguments.parse(Array(CommandLine.arguments.dropFirst()))
}) {
case .failure(let error):
  _ = writeAll(Array("camd: \(error)\n\(Arguments.usage)".utf8), to: STDERR_FILENO)
  exit(Arguments.usageExitStatus)
case .success(.help):
  _ = writeAll(Array(Arguments.help.utf8), to: STDOUT_FILENO)
case .success(.version):
  _ = writeAll(Array("camd \(CameraInterface.version)\n".utf8), to: STDOUT_FILENO)
case .success(.run(let arguments)):
  let log = Log(level: arguments.logLevel)
  do {
    try await Daemon(arguments, log: log).run(signals)
  } catch let error as ConfigurationError {
    for problem in error.problems { log.error("\(problem)") }
    exit(1)
  } catch {
    log.error("\(error)")
    exit(1)
  }
}
