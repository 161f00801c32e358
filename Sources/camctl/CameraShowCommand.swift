import CameraClient
import CameraProtocol

/// `camctl camera show`
struct CameraShowCommand: Command {
  static let words = ["camera", "show"]
  static let usage = "[CAMERA]"
  static let summary = "show what a camera is and can do"
  static let details = "CAMERA is an id, or front, rear or external; without it, the selected one."
  static let maxArguments = 1

  private let camera: String?

  init(_ words: CommandLineWords) throws(UsageError) { camera = words.arguments.first }

  func run(_ context: Context) throws {
    let answer = try context.connect().call(
      ListCameras.self, CameraSelection(camera: camera ?? context.camera), timeout: Context.shortTimeout)
    let cameras = answer.value.cameras
    guard let shown = cameras.count == 1 ? cameras.first : cameras.first(where: \.selected) else {
      throw CameraError(.noSuchCamera, "there is no camera")
    }
    if context.json { return try Output.json(["camera": shown]) }
    try Output.line(shown.id)
    for line in Text.table(shown.rows) { try Output.line(line) }
  }
}

extension Camera {
  fileprivate var rows: [[String]] {
    var rows = [["Name", name], ["Position", position?.rawValue ?? "not known"]]
    if let device { rows.append(["Device", device]) }
    rows.append(["State", state.rawValue + (holder.map { ": \($0)" } ?? "")])
    rows.append(["Selected", selected ? "yes" : "no"])
    rows.append(["Modes", modes.map(\.rawValue).joined(separator: ", ")])
    rows.append(["Takes", mediaTypes.map(\.rawValue).joined(separator: ", ")])
    rows.append(["Flash", flash ? "yes" : "no"])
    for (index, line) in formatLines.enumerated() { rows.append([index == 0 ? "Formats" : "", line]) }
    return rows
  }

  /// A line for each size and encoding, with its rates.
  private var formatLines: [String] {
    var lines: [(key: String, rates: [Double])] = []
    for format in formats {
      let key = "\(format.width)x\(format.height) \(format.encoding)"
      if let index = lines.firstIndex(where: { $0.key == key }) {
        lines[index].rates.append(format.frameRate)
      } else {
        lines.append((key, [format.frameRate]))
      }
    }
    return lines.map { line in
      "\(line.key) at \(line.rates.sorted().map(Text.short).joined(separator: ", ")) fps"
    }
  }
}
