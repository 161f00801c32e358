import Camera

/// What the command line asks for.
struct Arguments: Equatable {
  /// The control socket's path; nil leaves it to `Paths.socket`.
  var socket: String?
  /// The configuration file; nil leaves it to `Configuration.load`.
  var config: String?
  /// The album's folder; nil leaves it to `Paths.library`.
  var library: String?
  /// Messages below it are left out.
  var logLevel = Log.Level.info

  /// What to do.
  enum Command: Equatable {
    case run(Arguments)
    case help
    case version
  }

  /// A command line that can't be understood. The program shows it with `usage` and exits with `usageExitStatus`.
  struct UsageError: Error, Equatable, CustomStringConvertible {
    var description: String
  }

  static let usageExitStatus: Int32 = 2

  static let usage = "Usage: camd [--socket PATH] [--config FILE] [--library DIR] [--log-level LEVEL]\n"

  /// At most 80 columns wide.
  static let help =
    usage + """

      Owns the cameras and microphones of this machine and serves them to other
      programs on a Unix-domain socket. Runs in the foreground until SIGTERM or
      SIGINT; a recording that runs then is finished first.

        --socket PATH      listen there (default: the socket that systemd passes,
                           else $XDG_RUNTIME_DIR/camd/camd.sock, or
                           /run/camd/camd.sock as root)
        --config FILE      read this configuration (default: ~/.config/camd/camd.conf,
                           else /etc/camd/camd.conf, where there is one)
        --library DIR      save photos and movies there (default: Library= of the
                           configuration, else $STATE_DIRECTORY, else the folder
                           'camd' in your Pictures)
        --log-level LEVEL  error, warning, info (default) or debug
        --help             show this
        --version          show the version

      See camd(8), camd.conf(5) and camctl(1).

      """

  /// Reads the words after the program's name. The last one of a repeated option counts.
  /// - Throws: `UsageError`.
  static func parse(_ words: [String]) throws(UsageError) -> Command {
    var arguments = Arguments()
    var rest = words[...]
    while let word = rest.popFirst() {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let option = word.hasPrefix("--") ? String(parts[0]) : word
      let attached = option == word ? nil : String(parts[1])

      func value() throws(UsageError) -> String {
        guard let value = attached ?? rest.popFirst() else {
          throw UsageError(description: "'\(option)' needs a value")
        }
        guard !value.isEmpty else { throw UsageError(description: "the value of '\(option)' is empty") }
        return value
      }

      switch option {
      case "--help", "--version":
        guard attached == nil else { throw UsageError(description: "'\(option)' takes no value") }
        return option == "--help" ? .help : .version
      case "--socket": arguments.socket = try value()
      case "--config": arguments.config = try value()
      case "--library": arguments.library = try value()
      case "--log-level":
        let name = try value()
        guard let level = Log.Level(rawValue: name) else {
          let known = Log.Level.allCases.map(\.rawValue).joined(separator: ", ")
          throw UsageError(description: "'\(name)' is no log level; known levels: \(known)")
        }
        arguments.logLevel = level
      default:
        throw UsageError(
          description: word.hasPrefix("-") ? "unknown option '\(option)'" : "unexpected argument '\(word)'")
      }
    }
    return .run(arguments)
  }
}
