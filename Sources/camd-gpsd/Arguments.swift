import CameraClient

/// What the command line asks for.
struct Arguments: Equatable {
  /// What to do.
  enum Command: Equatable {
    case run(Arguments)
    case help
    case version
  }

  /// A command line that can't be understood.
  struct UsageError: Error, Equatable, CustomStringConvertible {
    var description: String
  }

  /// Where gpsd is.
  var host = "127.0.0.1"
  /// Its port, or the name of one.
  var port = "2947"
  /// Where the camera daemon listens.
  var socket = SocketPath.preferred

  static let usage = "Usage: camd-gpsd [--gpsd HOST[:PORT]] [--socket PATH]\n"

  /// At most 80 columns wide.
  static let help =
    usage + """

      Tells the camera daemon where the machine is, as gpsd finds it, so that photos
      and movies carry their position. Waits for either where it isn't there.

        --gpsd HOST[:PORT]  where gpsd listens (default: 127.0.0.1:2947)
        --socket PATH       where camd listens (default: $CAMD_SOCKET, else
                            $XDG_RUNTIME_DIR/camd/camd.sock (not as root),
                            else /run/camd/camd.sock)
        --help              show this
        --version           show the version

      See camd-gpsd(8).

      """

  /// Reads the words after the program's name. The last one of a repeated option counts.
  static func parse(_ words: [String]) throws(UsageError) -> Command {
    var arguments = Arguments()
    var rest = words[...]
    while let word = rest.popFirst() {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      switch parts[0] {
      case "--help" where parts.count == 1, "-h" where parts.count == 1: return .help
      case "--version" where parts.count == 1: return .version
      case "--gpsd", "--socket":
        guard let value = parts.count > 1 ? parts[1] : rest.popFirst(), !value.isEmpty else {
          throw UsageError(description: "'\(parts[0])' needs a value")
        }
        if parts[0] == "--socket" {
          arguments.socket = value
        } else {
          try arguments.takeAddress(value)
        }
      default: throw UsageError(description: "unknown word '\(word)'")
      }
    }
    return .run(arguments)
  }

  /// Reads `HOST`, `HOST:PORT`, `[HOST]` or `[HOST]:PORT`; a host with several colons is an IPv6 address.
  private mutating func takeAddress(_ text: String) throws(UsageError) {
    var (name, rest) = (text, "")
    if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
      name = String(text[text.index(after: text.startIndex)..<end])
      rest = String(text[text.index(after: end)...])
    } else if text.split(separator: ":", omittingEmptySubsequences: false).count == 2,
      let colon = text.firstIndex(of: ":")
    {
      (name, rest) = (String(text[..<colon]), String(text[colon...]))
    }
    guard !name.isEmpty, !name.contains(where: { "[]".contains($0) }),
      rest.isEmpty || (rest.hasPrefix(":") && rest.count > 1)
    else {
      throw UsageError(description: "'\(text)' is no HOST[:PORT]")
    }
    host = name
    if !rest.isEmpty { port = String(rest.dropFirst()) }
  }
}
