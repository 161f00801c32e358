import CameraClient
import CameraProtocol
import Varlink

/// Hands positions to the camera daemon.
final class PositionFeed {
  /// A receiver may report many times a second; once is enough.
  private static let interval = Duration.milliseconds(900)
  private static let patience = Duration.seconds(5)

  private let socket: String
  private let note: (String) -> Void
  private var client: CameraClient?
  private var lastTime: ContinuousClock.Instant?

  /// Feeds the daemon that listens there. `note` is told what changes.
  init(socket: String, note: @escaping (String) -> Void) {
    self.socket = socket
    self.note = note
  }

  /// Hands one over. One that doesn't get there is not kept: the next one is the better one.
  func take(_ location: SetLocation.Parameters) {
    if let lastTime, .now - lastTime < Self.interval { return }
    do {
      let client = try client ?? CameraClient(path: socket)
      self.client = client
      let reply = try client.call(SetLocation.self, location, timeout: Self.patience).value
      lastTime = .now
      note(reply.geotag ? "camd gets the position" : "camd gets the position, and writes none: Geotag=no")
    } catch let error as CameraError {
      note("camd refuses the position: \(error)")
    } catch {
      client = nil
      note("camd can't be told at \(socket): \(error)")
    }
  }
}
