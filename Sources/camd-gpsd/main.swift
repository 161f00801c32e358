import CameraProtocol
import Glibc

/// Says something on standard error.
func tell(_ text: String) {
  let line = Array("camd-gpsd: \(text)\n".utf8)
  // Nobody can be told where even that fails.
  _ = write(STDERR_FILENO, line, line.count)
}

/// Feeds until a signal ends the program.
func feed(_ arguments: Arguments) -> Never {
  // What stays as it is is told once.
  var last = ""
  func note(_ text: String) {
    if text != last { tell(text) }
    last = text
  }
  let feed = PositionFeed(socket: arguments.socket, note: note)
  var wait: UInt32 = 1
  while true {
    do throws(GPSDConnection.Failure) {
      let gpsd = try GPSDConnection(host: arguments.host, port: arguments.port)
      while true {
        let line = try gpsd.line()
        wait = 1
        if let location = PositionReport(line: line)?.location(now: .now) { feed.take(location) }
      }
    } catch {
      note("gpsd: \(error)")
    }
    sleep(wait)
    wait = min(wait * 2, 30)
  }
}

signal(SIGPIPE, SIG_IGN)
switch Result(catching: { () throws(Arguments.UsageError) in
  try Arguments.parse(Array(CommandLine.arguments.dropFirst()))
}) {
case .failure(let error):
  tell("\(error)\n\(Arguments.usage)")
  exit(2)
case .success(.help): print(Arguments.help, terminator: "")
case .success(.version): print("camd-gpsd \(CameraInterface.version)")
case .success(.run(let arguments)): feed(arguments)
}
