import CameraProtocol

extension Configuration {
  /// Reads a file's bytes. A section that occurs again goes on where it left off; a key may be set once.
  /// - Parameter home: what `~/` stands for.
  /// - Throws: `ConfigurationError` with everything that is wrong.
  init(_ bytes: [UInt8], file: String, home: String? = nil) throws(ConfigurationError) {
    self.init()
    var reader = ConfigurationReader(file: file, home: home)
    let text = ConfigurationText(bytes, file: file)
    for section in reader.merged(text.sections) {
      switch section.kind {
      case .daemon:
        library = section["Library"].flatMap { reader.folder($0) }
        idleTimeout = section["IdleTimeout"].flatMap { reader.duration($0) }
        discovers = section["Discover"].flatMap { reader.boolean($0) }
      case .camera(let name):
        let position = section["Position"].flatMap { reader.position($0) }
        let flash = reader.flash(of: section)
        let rotation = section["Rotation"].flatMap { reader.rotation($0) }
        guard let (source, location) = reader.source(of: section) else { continue }
        if case .device(let name) = source, !name.hasPrefix("/"), name.contains("/") || name.isNodeName {
          reader.report(
            location.line, "Device=\(name) in \(section.header) is neither an absolute path nor the id of a camera")
        }
        cameras.append(
          Camera(
            name: name, source: source, position: position, flash: flash, maker: section["Maker"]?.value,
            model: section["Model"]?.value, rotation: rotation, location: location))
      case .location:
        if let entry = section["Geotag"] { place.geotag = reader.boolean(entry) ?? true }
        place.maxAge = section["MaxAge"].flatMap { reader.duration($0) }
      case .library:
        album.maxAge = section["MaxAge"].flatMap { reader.duration($0) }
        album.maxSize = section["MaxSize"].flatMap { reader.size($0) }
        album.reserve = section["Reserve"].flatMap { reader.size($0) }
        if let entry = section["RemoveOldest"] { album.removesOldest = reader.boolean(entry) ?? false }
      case .microphone(let name):
        guard let (source, location) = reader.source(of: section) else { continue }
        microphones.append(Microphone(name: name, source: source, location: location))
      }
    }
    let problems = (text.problems + reader.problems).sorted { ($0.line ?? 0) < ($1.line ?? 0) }
    guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
  }
}

/// A section with its keys, all occurrences taken together.
private struct ConfigurationSection {
  enum Kind: Equatable {
    case daemon
    case location
    case library
    case camera(String)
    case microphone(String)

    var keys: [String] {
      switch self {
      case .daemon: ["Library", "IdleTimeout", "Discover"]
      case .location: ["Geotag", "MaxAge"]
      case .library: ["MaxAge", "MaxSize", "Reserve", "RemoveOldest"]
      case .camera: ["Device", "Source", "Position", "Flash", "FlashThreshold", "Maker", "Model", "Rotation"]
      case .microphone: ["Device", "Source"]
      }
    }
  }

  var kind: Kind
  var header: String
  var line: Int
  var entries: [ConfigurationText.Entry] = []

  /// The entry that sets the key to something.
  subscript(key: String) -> ConfigurationText.Entry? {
    entries.first { $0.key == key && !$0.value.isEmpty }
  }
}

/// Turns text into values and keeps what is wrong with it.
private struct ConfigurationReader {
  let file: String
  let home: String?
  private(set) var problems: [ConfigurationError.Problem] = []

  init(file: String, home: String?) {
    self.file = file
    self.home = home
  }

  mutating func report(_ line: Int, _ reason: String) {
    problems.append(ConfigurationError.Problem(file: file, line: line, reason: reason))
  }

  /// The sections that are known, each once, in the order in which they first occur.
  mutating func merged(_ texts: [ConfigurationText.Section]) -> [ConfigurationSection] {
    var sections: [ConfigurationSection] = []
    for text in texts {
      guard let kind = kind(of: text) else { continue }
      var index = sections.firstIndex { $0.kind == kind } ?? sections.endIndex
      if index == sections.endIndex {
        sections.append(ConfigurationSection(kind: kind, header: "[\(text.title)]", line: text.line))
        index = sections.endIndex - 1
      }
      for entry in text.entries {
        if !kind.keys.contains(entry.key) {
          let known = kind.keys.joined(separator: ", ")
          report(entry.line, "unknown key '\(entry.key)' in [\(text.title)]; known keys: \(known)")
        } else if let first = sections[index].entries.first(where: { $0.key == entry.key }) {
          report(entry.line, "'\(entry.key)' in [\(text.title)] is set already in line \(first.line)")
        } else {
          if entry.value.isEmpty { report(entry.line, "'\(entry.key)' in [\(text.title)] has no value") }
          sections[index].entries.append(entry)
        }
      }
    }
    return sections
  }

  private mutating func kind(of section: ConfigurationText.Section) -> ConfigurationSection.Kind? {
    let words = section.title.split(separator: " ", maxSplits: 1)
    let name = words.count > 1 ? String(words[1].trimmed) : ""
    switch words.first {
    case "Daemon" where words.count == 1: return .daemon
    case "Location" where words.count == 1: return .location
    case "Library" where words.count == 1: return .library
    case "Camera", "Microphone":
      guard !name.isEmpty else {
        report(section.line, "[\(section.title)] has no name; write [\(section.title) NAME]")
        return nil
      }
      // The name is an id on the wire and a part of file names.
      guard name.utf8.count <= 64, !name.contains("/"), Log.escaping(name) == name else {
        report(section.line, "the name in [\(section.title)] has more than 64 bytes, a '/' or a control character")
        return nil
      }
      return words[0] == "Camera" ? .camera(name) : .microphone(name)
    default:
      report(
        section.line,
        "unknown section [\(section.title)]; known sections: [Daemon], [Location], [Library], "
          + "[Camera NAME], [Microphone NAME]")
      return nil
    }
  }

  mutating func source(of section: ConfigurationSection) -> (Configuration.Source, Configuration.Location)? {
    // One that was set to nothing has been reported and counts as set.
    let entries = section.entries.filter { $0.key == "Device" || $0.key == "Source" }
    guard let entry = entries.first else {
      report(section.line, "\(section.header) needs Device= or Source=")
      return nil
    }
    if entries.count > 1 {
      report(entries[1].line, "\(section.header) has Device= and Source=; one is enough")
      return nil
    }
    guard !entry.value.isEmpty else { return nil }
    let location = Configuration.Location(file: file, line: entry.line)
    return (entry.key == "Device" ? .device(entry.value) : .fragment(entry.value), location)
  }

  mutating func position(_ entry: ConfigurationText.Entry) -> Position? {
    if let position = Position(rawValue: entry.value) { return position }
    let known = Position.allCases.map(\.rawValue).joined(separator: ", ")
    report(entry.line, "Position=\(entry.value) is not one of: \(known)")
    return nil
  }

  mutating func rotation(_ entry: ConfigurationText.Entry) -> Int? {
    if let degrees = Int(entry.value), [0, 90, 180, 270].contains(degrees) { return degrees }
    report(entry.line, "Rotation=\(entry.value) is not 0, 90, 180 or 270")
    return nil
  }

  mutating func boolean(_ entry: ConfigurationText.Entry) -> Bool? {
    switch entry.value.lowercased() {
    case "yes", "true", "on", "1": return true
    case "no", "false", "off", "0": return false
    default:
      report(entry.line, "\(entry.key)=\(entry.value) is neither yes nor no")
      return nil
    }
  }

  mutating func flash(of section: ConfigurationSection) -> Configuration.Flash? {
    let threshold = section["FlashThreshold"].flatMap { luminance($0) }
    guard let entry = section["Flash"] else {
      if let entry = section["FlashThreshold"], !section.entries.contains(where: { $0.key == "Flash" }) {
        report(entry.line, "FlashThreshold= in \(section.header) needs Flash=")
      }
      return nil
    }
    let path = entry.value.hasPrefix("/") ? entry.value : "/sys/class/leds/\(entry.value)"
    if !entry.value.hasPrefix("/"), entry.value.contains("/") {
      report(entry.line, "Flash=\(entry.value) in \(section.header) is neither a LED's name nor an absolute path")
    }
    return .init(path: path, threshold: threshold, location: .init(file: file, line: entry.line))
  }

  private mutating func luminance(_ entry: ConfigurationText.Entry) -> Double? {
    if let value = Double(entry.value), (0...255).contains(value) { return value }
    report(entry.line, "\(entry.key)=\(entry.value) is not a number from 0 to 255")
    return nil
  }

  mutating func folder(_ entry: ConfigurationText.Entry) -> String? {
    if entry.value.hasPrefix("/") { return entry.value }
    if entry.value.hasPrefix("~/"), let home { return "\(home)/\(entry.value.dropFirst(2))" }
    report(entry.line, "\(entry.key)=\(entry.value) is not an absolute path")
    return nil
  }

  mutating func size(_ entry: ConfigurationText.Entry) -> Int? {
    if let bytes = ByteSize.bytes(entry.value) { return bytes }
    report(entry.line, "\(entry.key)=\(entry.value) is not a size such as 500M, 20G or 1.5T")
    return nil
  }

  mutating func duration(_ entry: ConfigurationText.Entry) -> Double? {
    if let seconds = TimeSpan.seconds(entry.value) { return seconds }
    report(entry.line, "\(entry.key)=\(entry.value) is not a time span such as 30, 30s, 5min or infinity")
    return nil
  }
}

extension String {
  /// Whether it is a V4L2 node's name without its folder, such as `video0`.
  fileprivate var isNodeName: Bool { hasPrefix("video") && count > 5 && dropFirst(5).allSatisfy(\.isNumber) }
}
