import CameraClient
import CameraProtocol

/// `camctl status`
struct StatusCommand: Command {
  static let words = ["status"]
  static let summary = "show what the daemon does"

  init(_ words: CommandLineWords) throws(UsageError) {}

  func run(_ context: Context) throws {
    let answer = try context.connect().call(GetStatus.self, timeout: Context.shortTimeout)
    if context.json { return try Output.json(answer.json) }
    for line in answer.value.status.lines(camera: context.camera) { try Output.line(line) }
  }
}

extension Status {
  /// For people; of that camera only, where one is named.
  func lines(camera: String?) -> [String] {
    var lines = ["camd \(version)"]
    let room = library.freeBytes.map { ", \(Text.bytes($0)) free" } ?? ""
    lines.append("Album   \(library.path)\(room)")
    if !library.writable { lines.append("        \(library.message ?? "nothing can be saved there")") }
    for status in cameras where camera == nil || status.id == camera { lines += status.lines }
    if cameras.isEmpty { lines.append("No camera") }
    return lines
  }
}

extension CameraStatus {
  fileprivate var lines: [String] {
    var lines = ["Camera  \(id)\(name == id ? "" : " (\(name))")"]
    lines.append("        \(mode.rawValue) mode, \(state.rawValue)\(format.map { ": \(Text.format($0))" } ?? "")")
    var facts: [String] = []
    if frames > 0 { facts.append(Text.count(frames, "frame")) }
    if viewers > 0 { facts.append(Text.count(viewers, "preview")) }
    if let microphone { facts.append("microphone \(microphone)") }
    if let flash { facts.append("flash \(flash.rawValue)\(torch ? ", light on" : "")") }
    if !facts.isEmpty { lines.append("        \(facts.joined(separator: ", "))") }
    if let recording {
      lines.append("        \(recording.state.rawValue): \(recording.quality.rawValue), \(recording.progress)")
    }
    if let message { lines.append("        \(message)") }
    return lines
  }
}
