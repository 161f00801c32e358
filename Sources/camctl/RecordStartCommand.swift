import CameraClient
import CameraProtocol

/// `camctl record start`
struct RecordStartCommand: Command {
  static let words = ["record", "start"]
  static let usage = "[--quality Q] [--max-duration S] [--segment S] ..."
  static let summary = "start a recording"
  static let details = """
    In photo mode the camera is switched to video mode first.
    """
  static let options =
    RecordOptions.list + [
      Option(
        "--max-duration", value: "S",
        "end it after S: 90, 90s, 1.5m, 1h; 0 for no limit\n(default: 10m, none with segments)"),
      Option("--max-size", value: "MB", "end it after so many megabytes"),
      Option("--segment", value: "S", "begin a new file every S, with no frame lost\nbetween two"),
      Option("--segment-size", value: "MB", "begin a new file every so many megabytes"),
    ]

  private let record: RecordOptions
  private let maxDuration: Double?
  private let maxBytes: Int?
  private let segmentDuration: Double?
  private let segmentBytes: Int?

  init(_ words: CommandLineWords) throws(UsageError) {
    record = try RecordOptions(words)
    maxDuration = try words.value("--max-duration", expected: DurationText.expected, DurationText.seconds)
    segmentDuration = try words.value("--segment", expected: DurationText.expected, DurationText.seconds)
    func bytes(_ option: String) throws(UsageError) -> Int? {
      try words.value(option, expected: "megabytes, such as 100") { text in
        Double(text).flatMap { $0 > 0 && $0 < 1e9 ? Int($0 * 1e6) : nil }
      }
    }
    maxBytes = try bytes("--max-size")
    segmentBytes = try bytes("--segment-size")
  }

  func run(_ context: Context) throws {
    let answer = try context.connect().call(
      StartRecording.self,
      StartRecording.Parameters(
        camera: context.camera, quality: record.quality, maxDuration: maxDuration, maxBytes: maxBytes,
        audio: record.audio, segmentDuration: segmentDuration, segmentBytes: segmentBytes, movie: record.movie),
      timeout: Context.longTimeout)
    if context.json { return try Output.json(answer.json) }
    try Output.line("Recording \(answer.value.recording.summary)")
  }
}

extension RecordingStatus {
  /// What is recorded, and how.
  var summary: String {
    let limit = maxDuration.map { ", at most \(Text.duration($0))" } ?? ""
    let means = encoder.map { " by \($0)" } ?? ""
    let kind = "\(container.rawValue)\(means)"
    guard videoCodec != nil else { return "\(camera): sound alone, \(kind)\(limit)" }
    let sound = audio ? "with sound" : "without sound"
    return "\(camera): \(width)x\(height) at \(Text.short(frameRate)) fps, \(sound), \(kind)\(limit)"
  }

  /// How far it is.
  var progress: String { "\(Text.duration(duration)), \(Text.count(frames, "frame")), \(Text.bytes(bytes))" }
}
