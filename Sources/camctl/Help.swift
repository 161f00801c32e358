/// The texts of `camctl help`; at most 80 columns wide.
enum Help {
  static var overview: String {
    let commands = Text.table(CommandEntry.all.map { ["  " + $0.name, $0.summary] })
    return """
      Usage: camctl [OPTION ...] COMMAND [OPTION ...]

      Takes photos and records movies with the camera daemon.

      \(commands.joined(separator: "\n"))

      Options of every command, before or behind it:
      \(lines(Option.global))

      'camctl help COMMAND' tells more; 'camctl --version' shows the version.

      \(exitStatus)
      """
  }

  static func text(_ command: CommandEntry) -> String {
    var sections = ["Usage: camctl \(command.name)\(command.usage.isEmpty ? "" : " \(command.usage)")"]
    let summary = command.summary
    sections.append(
      "\(summary.prefix(1).uppercased())\(summary.dropFirst()).\(command.details.isEmpty ? "" : "\n\(command.details)")"
    )
    if !command.options.isEmpty { sections.append(lines(command.options)) }
    sections.append("Options of every command:\n\(lines(Option.global))")
    let others = CommandEntry.all.filter { $0.words[0] == command.words[0] && $0.words != command.words }
    if !others.isEmpty { sections.append(wrapped("See also: \(others.map(\.name).joined(separator: ", "))")) }
    return sections.joined(separator: "\n\n")
  }

  private static let exitStatus = """
    Exit status: 0 done, 1 refused by the daemon or failed, 2 the command line can't
    be understood, 3 no daemon, 4 the connection was lost.
    """

  /// A list on lines of at most 80 columns.
  private static func wrapped(_ text: String) -> String {
    var lines = [""]
    for item in text.split(separator: ", ") {
      let last = lines[lines.count - 1]
      if last.isEmpty {
        lines[lines.count - 1] = String(item)
      } else if last.count + item.count + 2 < 80 {
        lines[lines.count - 1] = "\(last), \(item)"
      } else {
        lines[lines.count - 1] = "\(last),"
        lines.append("  \(item)")
      }
    }
    return lines.joined(separator: "\n")
  }

  private static func lines(_ options: [Option]) -> String {
    options.map { option in
      let names = "  \(option.short.map { "\($0), " } ?? "")\(option.name)\(option.value.map { " \($0)" } ?? "")"
      let column = 26
      let rest = option.help.split(separator: "\n").joined(separator: "\n" + String(repeating: " ", count: column))
      return names + String(repeating: " ", count: max(2, column - names.count)) + rest
    }.joined(separator: "\n")
  }
}
