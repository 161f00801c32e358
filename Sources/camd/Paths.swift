import Glibc
import MediaLibrary

/// Where the daemon listens and saves, by the rules of camd(8).
enum Paths {
  /// There is no folder that could be meant.
  struct Unknown: Error, Equatable, CustomStringConvertible {
    var description: String
  }

  /// The socket's path where systemd passed none: `--socket`, else `/run/camd/camd.sock` for root, else below the
  /// user's runtime folder.
  /// - Throws: `Unknown` for a user without a runtime folder.
  static func socket(option: String?, environment: Environment) throws(Unknown) -> String {
    if let option { return absolute(option) }
    if environment.isRoot { return "/run/camd/camd.sock" }
    guard let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") else {
      throw Unknown(description: "no path for the socket: XDG_RUNTIME_DIR is not set; give one with --socket")
    }
    return "\(folder)/camd/camd.sock"
  }

  /// The album's folder: `--library`, else the configuration's, else the service's state folder, else `camd` in the
  /// user's Pictures.
  /// - Throws: `Unknown` for a user without a home.
  static func library(
    option: String?, configuration: Configuration, environment: Environment
  ) throws(Unknown) -> String {
    if let option { return absolute(option) }
    if let library = configuration.library { return library }
    // systemd separates several folders by colons; the unit names one.
    if let state = environment["STATE_DIRECTORY"]?.split(separator: ":").first { return String(state) }
    guard let pictures = pictures(environment) else {
      throw Unknown(description: "no folder for photos and movies: HOME is not set; give one with --library")
    }
    return "\(pictures)/camd"
  }

  /// A file of what the daemon remembers over a restart: in the service's state folder, else in the user's; nil for a
  /// user without a home.
  static func state(_ name: String, environment: Environment) -> String? {
    if let state = environment["STATE_DIRECTORY"]?.split(separator: ":").first { return "\(state)/\(name)" }
    return environment.folder("XDG_STATE_HOME", belowHome: ".local/state").map { "\($0)/camd/\(name)" }
  }

  /// Where thumbnails are kept: in the service's cache folder, else in the user's, where file managers find them; nil for a
  /// user without a home.
  static func thumbnails(environment: Environment) -> ThumbnailFolders? {
    if let cache = environment["CACHE_DIRECTORY"]?.split(separator: ":").first {
      return ThumbnailFolders(standard: "\(cache)/thumbnails", first: "\(cache)/first")
    }
    return environment.folder("XDG_CACHE_HOME", belowHome: ".cache").map {
      ThumbnailFolders(standard: "\($0)/thumbnails", first: "\($0)/camd/first")
    }
  }

  /// The configuration files to look for, the best one first.
  static func configurations(environment: Environment) -> [String] {
    let system = "/etc/camd/camd.conf"
    guard !environment.isRoot, let folder = environment.folder("XDG_CONFIG_HOME", belowHome: ".config") else {
      return [system]
    }
    return ["\(folder)/camd/camd.conf", system]
  }

  /// The user's Pictures: `XDG_PICTURES_DIR` of `user-dirs.dirs`, else `~/Pictures`.
  private static func pictures(_ environment: Environment) -> String? {
    guard let home = environment.home else { return nil }
    let fallback = "\(home)/Pictures"
    guard let folder = environment.folder("XDG_CONFIG_HOME", belowHome: ".config"),
      // A file that can't be read names no folder; the default is right then.
      let bytes = try? readFile("\(folder)/user-dirs.dirs")
    else { return fallback }
    for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
      let parts = line.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, parts[0].trimmed == "XDG_PICTURES_DIR" else { continue }
      var value = parts[1].trimmed
      if value.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") { value = value.dropFirst().dropLast() }
      // The format knows absolute paths and "$HOME/..." only; the home itself means 'no such folder'.
      let path = value.hasPrefix("$HOME/") ? "\(home)/\(value.dropFirst(6))" : String(value)
      let trimmed = path.hasSuffix("/") ? String(path.dropLast()) : path
      return trimmed.hasPrefix("/") && trimmed != home ? trimmed : fallback
    }
    return fallback
  }

  /// A path that stays right when the working folder changes.
  private static func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
    defer { free(folder) }
    return "\(String(cString: folder))/\(path)"
  }
}

extension StringProtocol where SubSequence == Substring {
  /// Without the spaces and tabs at both ends.
  var trimmed: Substring {
    var rest = self[...]
    while let first = rest.first, first == " " || first == "\t" { rest.removeFirst() }
    while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
    return rest
  }
}
