import CameraProtocol
import Glibc
import Varlink

/// What the administrator wants, read from one file. See camd.conf(5).
struct Configuration: Equatable, Sendable {
  /// A line of a file, for messages about what stands there.
  struct Location: Equatable, Sendable, CustomStringConvertible {
    var file: String
    /// The first is 1.
    var line: Int

    /// `FILE:LINE`.
    var description: String { "\(file):\(line)" }
  }

  /// Where pictures or sound come from.
  enum Source: Equatable, Sendable {
    /// A device of the system: a path, or a name that the sound system knows.
    case device(String)
    /// A GStreamer launch fragment.
    case fragment(String)
  }

  /// `Flash=` and `FlashThreshold=`.
  struct Flash: Equatable, Sendable {
    /// The folder of a LED, or a V4L2 node; absolute.
    var path: String
    /// Mean luminance, 0 ... 255; nil leaves it to the session.
    var threshold: Double?
    /// The line of `Flash=`.
    var location: Location
  }

  /// `[Camera NAME]`.
  struct Camera: Equatable, Sendable {
    var name: String
    var source: Source
    var position: Position?
    /// Its light.
    var flash: Flash?
    /// Who made it, and its model, as captures say; nil for what the device says.
    var maker: String?, model: String?
    /// Degrees clockwise that bring its picture upright: 0, 90, 180 or 270.
    var rotation: Int?
    /// The line of `Device=` or `Source=`.
    var location: Location
  }

  /// `[Microphone NAME]`.
  struct Microphone: Equatable, Sendable {
    var name: String
    var source: Source
    /// The line of `Device=` or `Source=`.
    var location: Location
  }

  /// `[Location]`.
  struct Place: Equatable, Sendable {
    /// Whether positions are written into captures.
    var geotag = true
    /// Seconds that a receiver's position holds; nil leaves it to the store.
    var maxAge: Double?
  }

  /// `[Library]`: what the album keeps.
  struct Album: Equatable, Sendable {
    /// Seconds; nil for ever.
    var maxAge: Double?
    /// Bytes; nil for no limit.
    var maxSize: Int?
    /// Bytes that stay free; nil leaves it to the album.
    var reserve: Int?
    /// Whether the oldest go where a capture needs room.
    var removesOldest = false
  }

  /// The album's folder, absolute; nil leaves it to `Paths.library`.
  var library: String?
  /// Seconds that a session stays warm without use, `infinity` for always; nil leaves it to the session.
  var idleTimeout: Double?
  /// Whether cameras and microphones that no section names are served too; nil for yes.
  var discovers: Bool?
  /// What is done about positions.
  var place = Place()
  /// What the album keeps.
  var album = Album()
  /// In the order of the file.
  var cameras: [Camera] = []
  /// In the order of the file.
  var microphones: [Microphone] = []

  /// Reads the file that the option names, else the first of `Paths.configurations` that exists, else nothing.
  /// - Throws: `ConfigurationError` with everything that is wrong in the file, also where `--config` names a file that
  ///   isn't there.
  static func load(option: String?, environment: Environment) throws(ConfigurationError) -> Configuration {
    let candidates = option.map { [$0] } ?? Paths.configurations(environment: environment)
    for file in candidates {
      let bytes: [UInt8]
      do {
        bytes = try readFile(file)
      } catch {
        if option == nil, error.code == ENOENT || error.code == ENOTDIR { continue }
        let reason = "can't be read: \(String(cString: strerror(error.code)))"
        throw ConfigurationError(problems: [.init(file: file, line: nil, reason: reason)])
      }
      return try Configuration(bytes, file: file, home: environment.home)
    }
    return Configuration()
  }
}

/// Everything that is wrong in a configuration file.
struct ConfigurationError: Error, Equatable, CustomStringConvertible {
  /// One mistake.
  struct Problem: Equatable, CustomStringConvertible {
    var file: String
    /// nil where it is the whole file.
    var line: Int?
    var reason: String

    /// `FILE:LINE: REASON`.
    var description: String { "\(file):\(line.map { "\($0):" } ?? "") \(reason)" }
  }

  /// In the order of the file; never empty.
  var problems: [Problem]

  /// One line for each.
  var description: String { problems.map(\.description).joined(separator: "\n") }
}
