import CameraClient
import CameraProtocol
import Varlink

/// `camctl watch`
struct WatchCommand: Command {
  static let words = ["watch"]
  static let summary = "show what happens, until Ctrl-C"
  static let details = """
    One line for each event; with --json one JSON object a line.
    """

  init(_ words: CommandLineWords) throws(UsageError) {}

  func run(_ context: Context) throws {
    let interrupt = try Interrupt.catching()
    let client = try context.connect()
    let camera = try Self.id(of: context.camera, client)
    do {
      try client.send(Subscribe.self, Subscribe.Parameters(), more: true)
      while true {
        let answer = try client.next(Subscribe.self, interrupt: interrupt)
        let event = answer.value.event
        let isMeant = camera == nil || event.camera == nil || event.camera == camera
        if isMeant { if context.json { try Output.json(event) } else { try Output.line(event.line) } }
        if !answer.continues { return }
      }
    } catch VarlinkError.interrupted {
      client.close()
    } catch let error as CameraError where error.kind == .shuttingDown {
      // whether its last words come before the end of the connection is a matter of chance
      throw VarlinkError.disconnected
    }
  }
}

extension WatchCommand {
  /// The id behind a position or the like. A camera may be watched for that isn't connected yet.
  fileprivate static func id(of camera: String?, _ client: CameraClient) throws -> String? {
    guard let camera else { return nil }
    do {
      let answer = try client.call(
        ListCameras.self, CameraSelection(camera: camera), timeout: Context.shortTimeout)
      return answer.value.cameras.first?.id ?? camera
    } catch let error as CameraError where error.kind == .noSuchCamera {
      return camera
    }
  }
}

extension Event {
  /// For people: the time of day, what happened, to which camera, and more about it.
  var line: String {
    let clock = time.description.dropFirst(11).prefix(12)
    return ["\(clock)  \(kind.rawValue)", camera, facts].compactMap(\.self).joined(separator: "  ")
  }

  private var facts: String? {
    if let asset { return [message, asset.path ?? asset.id].compactMap(\.self).joined(separator: "  ") }
    if let recording { return recording.progress }
    if let result {
      return [result.reason.rawValue, result.asset?.path, result.message].compactMap(\.self).joined(separator: ", ")
    }
    if let secondsLeft { return "\(Text.short(secondsLeft)) s" }
    if let timelapse { return timelapse.progress }
    if let timelapseResult {
      return [
        timelapseResult.reason.rawValue, Text.count(timelapseResult.frames, "picture"), timelapseResult.asset?.path,
        message,
      ].compactMap(\.self).joined(separator: ", ")
    }
    if let muted { return muted ? "muted" : "not muted" }
    return mode?.rawValue ?? flash?.rawValue ?? message
  }
}
