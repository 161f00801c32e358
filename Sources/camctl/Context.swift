import CameraClient
import CameraProtocol
import Varlink

/// What all commands share.
struct Context {
  /// Where the daemon listens.
  var socket: String
  /// Print JSON.
  var json: Bool
  /// The camera to act on; nil for the default one.
  var camera: String?

  /// For what the daemon should answer at once, and for what may have to wait for a camera or a file.
  static let shortTimeout = Duration.seconds(10)
  static let longTimeout = Duration.seconds(120)

  init(_ words: CommandLineWords) throws(UsageError) {
    func nonEmpty(_ option: String) throws(UsageError) -> String? {
      try words.value(option, expected: "something") { $0.isEmpty ? nil : $0 }
    }
    socket = try nonEmpty("--socket") ?? SocketPath.preferred
    camera = try nonEmpty("--camera")
    json = words.has("--json")
  }

  /// A connection to the daemon.
  func connect() throws -> CameraClient {
    do throws(VarlinkError) {
      return try CameraClient(path: socket)
    } catch {
      throw NoDaemon(path: socket, cause: error)
    }
  }
}
