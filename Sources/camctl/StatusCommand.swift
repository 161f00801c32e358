import CameraClient
import CameraProtocol

/// `camctl status`
struct StatusCommand: Command {
  static let words = ["status"]
  static let summary = "show what the daemon does"

  init(_ words: CommandLineWords) throws(UsageError) {}

  func run(_ context: Context) throws {
    let answer = try context.connect().call(
      GetStatus.self, CameraSelection(camera: context.camera), timeout: Context.shortTimeout)
    if context.json { return try Output.json(answer.json) }
    for line in answer.value.status.lines { try Output.line(line) }
  }
}

extension Status {
  /// For people.
  var lines: [String] {
    var lines = ["camd \(version)"]
    let room = library.freeBytes.map { ", \(Text.bytes($0)) free" } ?? ""
    lines.append("Album   \(library.path)\(room)")
    if !library.writable { lines.append("        \(library.message ?? "nothing can be saved there")") }
    for status in cameras { lines += status.lines }
    if cameras.isEmpty { lines.append("No camera") }
    for microphone in microphones where microphone.selected {
      lines.append("Sound   \(microphone.id)\(microphone.name == microphone.id ? "" : " (\(microphone.name))")")
    }
    return lines
  }
}

extension CameraStatus {
  fileprivate var lines: [String] {
    var lines = ["Camera  \(id)\(name == id ? "" : " (\(name))")\(selected ? ", selected" : "")"]
    lines.append("        \(mode.rawValue) mode, \(state.rawValue)\(format.map { ": \(Text.format($0))" } ?? "")")
    var facts: [String] = []
    if frames > 0 { facts.append(Text.count(frames, "frame")) }
    if damagedFrames > 0 { facts.append("\(damagedFrames) damaged") }
    if viewers > 0 { facts.append(Text.count(viewers, "preview")) }
    if let microphone { facts.append("microphone \(microphone)") }
    if let flash { facts.append("flash \(flash.rawValue)\(torch ? ", light on" : "")") }
    if !facts.isEmpty { lines.append("        \(facts.joined(separator: ", "))") }
    if let recording {
      lines.append("        \(recording.state.rawValue): \(recording.quality.rawValue), \(recording.progress)")
    }
    if let preRoll {
      lines.append(
        "        pre-roll: \(Text.fixed(preRoll.available, 1)) of \(Text.short(preRoll.seconds)) s at "
          + "\(preRoll.quality.rawValue), \(Text.bytes(preRoll.bytes)) of memory")
    }
    if let timelapse { lines.append("        time-lapse: \(timelapse.summary), \(timelapse.progress)") }
    if let secondsLeft {
      lines.append("        room for \(Text.roughly(secondsLeft)) at \(quality.rawValue)")
    }
    for consumer in consumers { lines.append("        \(consumer.line)") }
    if let message { lines.append("        \(message)") }
    return lines
  }
}

extension Consumer {
  /// Such as `preview for ada (mpv, process 4711)`.
  fileprivate var line: String {
    let details = [program, process.map { "process \($0)" }].compactMap { $0 }.joined(separator: ", ")
    return "\(use.rawValue) for \(user ?? "somebody")\(details.isEmpty ? "" : " (\(details))")"
  }
}
