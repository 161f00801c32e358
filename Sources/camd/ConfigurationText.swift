/// The text of a configuration file in systemd's style, cut into sections, with the line of each part.
///
/// - A line that begins with `#` or `;` is a comment; elsewhere both belong to the value.
/// - A line that ends with a backslash goes on in the next one; the backslash counts as a space, and comments in
/// between   are left out.
/// - Spaces around sections, keys and values don't count. A line may end with LF or CRLF.
struct ConfigurationText {
  /// `Key=Value`.
  struct Entry {
    var key: String
    var value: String
    var line: Int
  }

  /// A header and what stands below it, up to the next one.
  struct Section {
    /// The whole text between the brackets.
    var title: String
    var line: Int
    var entries: [Entry] = []
  }

  /// In the order of the file; a title may occur more than once.
  private(set) var sections: [Section] = []
  /// Lines that are none of what a line can be.
  private(set) var problems: [ConfigurationError.Problem] = []

  private let file: String
  // Whatever stands below a header that can't be read is left out, so that one mistake is one message.
  private var skipping = false

  init(_ bytes: [UInt8], file: String) {
    self.file = file
    let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    var pending: (text: String, line: Int)?
    var number = 0
    for raw in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      number += 1
      let raw = raw.last == UInt8(ascii: "\r") ? raw.dropLast() : raw
      guard let text = String(validating: raw, as: UTF8.self), !raw.contains(0) else {
        report(number, "the line is not UTF-8 text")
        pending = nil
        continue
      }
      var line = text.trimmed
      if line.hasPrefix("#") || line.hasPrefix(";") { continue }
      let continues = line.hasSuffix("\\")
      if continues { line = line.dropLast() }
      let whole = (pending?.text ?? "") + line
      let start = pending?.line ?? number
      if continues {
        pending = (whole + " ", start)
      } else {
        pending = nil
        read(whole.trimmed, line: start)
      }
    }
    if let pending { report(pending.line, "the file ends in a line that goes on (backslash)") }
  }

  private mutating func read(_ text: Substring, line: Int) {
    if text.isEmpty { return }
    if text.hasPrefix("[") {
      skipping = !text.hasSuffix("]")
      if skipping {
        report(line, "the section's header does not end with ']'")
      } else {
        sections.append(Section(title: String(text.dropFirst().dropLast().trimmed), line: line))
      }
      return
    }
    if skipping { return }
    guard let equals = text.firstIndex(of: "="), !text[..<equals].trimmed.isEmpty else {
      return report(line, "'\(text)' is neither a section's header nor KEY=VALUE")
    }
    let key = String(text[..<equals].trimmed)
    guard !sections.isEmpty else { return report(line, "'\(key)' stands before any section") }
    let value = String(text[text.index(after: equals)...].trimmed)
    sections[sections.endIndex - 1].entries.append(Entry(key: key, value: value, line: line))
  }

  private mutating func report(_ line: Int, _ reason: String) {
    problems.append(ConfigurationError.Problem(file: file, line: line, reason: reason))
  }
}
