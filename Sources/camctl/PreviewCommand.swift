import CameraClient
import CameraProtocol
import Glibc
import Varlink

/// `camctl preview`
struct PreviewCommand: Command {
  static let words = ["preview"]
  static let usage = "[--format matroska|mjpeg|raw]"
  static let summary = "stream the live picture to standard output"
  static let details = """
    Ends when the reader goes or on Ctrl-C. For example:
      camctl preview | mpv -
      camctl preview | ffplay -
    """
  static let options = [
    Option(
      "--format", value: "F",
      "matroska: Motion-JPEG in Matroska (the default)\nmjpeg: JPEG pictures one after the other\nraw: frames as I420")
  ]

  private let format: PreviewFormat?

  init(_ words: CommandLineWords) throws(UsageError) {
    format = try words.value("--format", expected: "matroska, mjpeg or raw", PreviewFormat.init(rawValue:))
    if words.has("--json") { throw UsageError("'--json' and 'preview' both need standard output") }
  }

  func run(_ context: Context) throws {
    if Output.isTerminal {
      throw UsageError("standard output is a terminal: pipe it into a player, such as 'camctl preview | mpv -'")
    }
    let output = try Self.standardOutput()
    let interrupt = try Interrupt.catching()
    let client = try context.connect()
    do {
      try client.send(
        Preview.self, Preview.Parameters(camera: context.camera, output: 0, format: format), descriptors: [output],
        more: true)
      while try client.next(Preview.self, interrupt: interrupt).continues {}
    } catch VarlinkError.interrupted {
      client.close()
    }
  }

  /// The reading end's own open file where it is a pipe: the daemon makes it non-blocking, which must not happen to
  /// the other programs that write to the same one.
  private static func standardOutput() throws -> FileDescriptor {
    var status = stat()
    if fstat(STDOUT_FILENO, &status) == 0, status.st_mode & S_IFMT == S_IFIFO {
      let own = open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_CLOEXEC)
      if own >= 0 { return FileDescriptor(owning: own) }
    }
    do throws(SystemError) {
      return try FileDescriptor.standardOutput()
    } catch { throw LocalError("cannot \(error)") }
  }
}

extension FileDescriptor {
  fileprivate static func standardOutput() throws(SystemError) -> FileDescriptor {
    let copy = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw SystemError("use standard output") }
    return FileDescriptor(owning: copy)
  }
}
