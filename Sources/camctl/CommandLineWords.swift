/// An option of a command.
struct Option: Equatable {
  /// As it is typed, such as `--quality`.
  var name: String
  /// One letter, such as `-o`.
  var short: String?
  /// What stands for its value in the help; nil where it takes none.
  var value: String?
  /// What it does; lines of the help.
  var help: String

  init(_ name: String, short: String? = nil, value: String? = nil, _ help: String) {
    self.name = name
    self.short = short
    self.value = value
    self.help = help
  }

  static let global = [
    Option(
      "--camera", value: "CAMERA",
      "act on that camera: an id, or front, rear or external\n(default: that of 'camera use', else the rear one,\nthen an external one, then the front one)"
    ),
    Option("--json", "print the daemon's reply as one JSON object"),
    Option(
      "--socket", value: "PATH",
      "where the daemon listens (default: $CAMD_SOCKET, else\n$XDG_RUNTIME_DIR/camd/camd.sock (not as root),\nelse /run/camd/camd.sock)"
    ),
    Option("--help", short: "-h", "show this"),
  ]
}

/// The words of a command line, sorted by what they are.
struct CommandLineWords {
  /// The command that is meant; nil where none was named.
  var command: CommandEntry?
  /// The options that were given, by name; those without a value have an empty one. The last one counts.
  private(set) var options: [String: String] = [:]
  /// What is neither option nor command.
  private(set) var arguments: [String] = []

  /// Sorts the words behind the program's name.
  init(_ words: [String]) throws(UsageError) {
    var rest = words[...]
    var first: String?
    while let word = rest.popFirst() {
      if word == "--" {
        arguments += rest
        break
      }
      if word.hasPrefix("-"), word != "-", !Self.isNumber(word) {
        try takeOption(word, &rest, first)
      } else if first == nil {
        guard word == "help" || CommandEntry.all.contains(where: { $0.words[0] == word }) else {
          throw UsageError("unknown command '\(word)'; 'camctl help' lists them")
        }
        first = word
      } else {
        arguments.append(word)
      }
    }
    guard let first else {
      if options["--version"] != nil || options["--help"] != nil { return }
      throw UsageError("no command; 'camctl help' lists them")
    }
    try resolve(first)
  }

  /// Whether it is a number below 0, or a time from the end.
  private static func isNumber(_ word: String) -> Bool {
    word.dropFirst().first.map { ("0"..."9").contains($0) || $0 == "." } ?? false
  }

  private mutating func takeOption(
    _ word: String, _ rest: inout ArraySlice<String>, _ first: String?
  ) throws(UsageError) {
    let known =
      Option.global
      + (first.map { first in CommandEntry.all.filter { $0.words[0] == first }.flatMap { $0.options } }
        ?? [Option("--version", "")])
    var name = word
    var attached: String?
    if word.hasPrefix("--"), let equals = word.firstIndex(of: "=") {
      name = String(word[..<equals])
      attached = String(word[word.index(after: equals)...])
    } else if !word.hasPrefix("--"), word.count > 2 {
      name = String(word.prefix(2))
      attached = String(word.dropFirst(2))
    }
    guard let option = known.first(where: { $0.name == name || $0.short == name }) else {
      throw UsageError("unknown option '\(name)'\(first.map { " of '\($0)'" } ?? "")")
    }
    guard option.value != nil else {
      if attached != nil { throw UsageError("'\(name)' takes no value") }
      options[option.name] = ""
      return
    }
    guard let value = attached ?? rest.popFirst() else { throw UsageError("'\(name)' needs a value") }
    options[option.name] = value
  }

  /// Finds the command, of which the second word may be among the arguments.
  private mutating func resolve(_ first: String) throws(UsageError) {
    if first == "help" {
      options["--help"] = ""
      guard !arguments.isEmpty else { return }
      guard
        let named = CommandEntry.all.first(where: { $0.words == arguments })
          ?? CommandEntry.all.first(
            where: { $0.words[0] == arguments[0] })
      else { throw UsageError("unknown command '\(arguments.joined(separator: " "))'; 'camctl help' lists them") }
      command = named
      return
    }
    let family = CommandEntry.all.filter { $0.words[0] == first }
    let found =
      family.first { $0.words.count == 2 && $0.words[1] == arguments.first } ?? family.first { $0.words.count == 1 }
    guard let found else {
      if options["--help"] != nil, let any = family.first {
        command = any
        return
      }
      let choices = family.map { "'\($0.name)'" }.joined(separator: " or ")
      throw UsageError(
        arguments.first.map { "unknown command '\(first) \($0)'; there is \(choices)" }
          ?? "'\(first)' needs one more word: \(choices)")
    }
    arguments.removeFirst(found.words.count - 1)
    command = found
    if options["--help"] != nil { return }
    let allowed = Option.global + found.options
    if let stray = options.keys.sorted().first(where: { name in !allowed.contains { $0.name == name } }) {
      throw UsageError("unknown option '\(stray)' of '\(found.name)'")
    }
    if arguments.count > found.maxArguments, let stray = arguments.last {
      if found.words.count < (family.map(\.words.count).max() ?? 0) {
        throw UsageError("unknown command '\(first) \(arguments[0])'; 'camctl help \(first)' tells more")
      }
      throw UsageError("unexpected word '\(stray)' behind '\(found.name)'")
    }
  }

  /// True where the option was given.
  func has(_ option: String) -> Bool { options[option] != nil }

  /// The value of an option, read by `read`.
  func value<T>(_ option: String, expected: String, _ read: (String) -> T?) throws(UsageError) -> T? {
    guard let text = options[option] else { return nil }
    guard let value = read(text) else { throw UsageError("'\(text)' is no value of '\(option)': expected \(expected)") }
    return value
  }
}
