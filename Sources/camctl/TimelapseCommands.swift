import CameraClient
import CameraProtocol

/// `camctl timelapse start`
struct TimelapseStartCommand: Command {
  static let words = ["timelapse", "start"]
  static let usage = "--interval S [--frames N] [--for S] [--movie] ..."
  static let summary = "take pictures at an interval"
  static let details = """
    Takes photos, or with --movie the frames of a movie, until 'timelapse stop'. It
    goes on without camctl; 'status' shows how far it is.
    """
  static let options = [
    Option("--interval", value: "S", "from picture to picture: 0.5, 5s, 1m, 1h"),
    Option("--frames", value: "N", "end it after N pictures"),
    Option("--for", value: "S", "end it after S"),
    Option("--movie", "make a movie of the pictures, as they come"),
    Option("--rate", value: "R", "frames per second of the movie, 1 to 120 (default: 30)"),
    Option("--quality", value: "Q", "of the movie: low, medium (the default), high,\n640x480, 720p or 1080p"),
    Option("--format", value: "F", "of photos: jpeg (the default), png or webp"),
  ]

  private let parameters: StartTimelapse.Parameters

  init(_ words: CommandLineWords) throws(UsageError) {
    let interval = try words.value("--interval", expected: "\(DurationText.expected), at least 0.1 s") { text in
      DurationText.seconds(text).flatMap { $0 >= 0.1 && $0 <= 604_800 ? $0 : nil }
    }
    guard let interval else { throw UsageError("'timelapse start' needs '--interval'") }
    let movie = words.has("--movie")
    for option in ["--rate", "--quality"] where words.has(option) && !movie {
      throw UsageError("'\(option)' is of the movie; it needs '--movie'")
    }
    if words.has("--format") && movie { throw UsageError("'--format' is of photos, and '--movie' takes none") }
    let frames = try words.value("--frames", expected: "a number above 0") { text in
      Int(text).flatMap { $0 > 0 ? $0 : nil }
    }
    let duration = try words.value("--for", expected: DurationText.expected) { text in
      DurationText.seconds(text).flatMap { $0 > 0 ? $0 : nil }
    }
    let rate = try words.value("--rate", expected: "a number from 1 to 120") { text in
      Double(text).flatMap { $0 >= 1 && $0 <= 120 ? $0 : nil }
    }
    let quality = try words.value(
      "--quality", expected: Quality.allCases.map(\.rawValue).joined(separator: ", "), Quality.init(rawValue:))
    let formats = PhotoFormat.allCases.map(\.rawValue).joined(separator: ", ")
    let format = try words.value("--format", expected: formats) { PhotoFormat(rawValue: $0 == "jpg" ? "jpeg" : $0) }
    parameters = StartTimelapse.Parameters(
      interval: interval, frames: frames, duration: duration, movie: movie ? true : nil, frameRate: rate,
      quality: quality, format: format)
  }

  func run(_ context: Context) throws {
    var parameters = parameters
    parameters.camera = context.camera
    let answer = try context.connect().call(StartTimelapse.self, parameters, timeout: Context.longTimeout)
    if context.json { return try Output.json(answer.json) }
    try Output.line("Time-lapse of \(answer.value.timelapse.camera): \(answer.value.timelapse.summary)")
  }
}

/// `camctl timelapse stop`
struct TimelapseStopCommand: Command {
  static let words = ["timelapse", "stop"]
  static let summary = "end a time-lapse"
  static let details = """
    Prints the movie's path as soon as the file is complete.
    """

  init(_ words: CommandLineWords) throws(UsageError) {}

  func run(_ context: Context) throws {
    let answer = try context.connect().call(
      StopTimelapse.self, CameraSelection(camera: context.camera), timeout: Context.longTimeout)
    let result = answer.value
    if result.missed > 0 { Output.note("\(Text.count(result.missed, "picture")) could not be taken") }
    if let message = result.message { Output.note(message) }
    if context.json { return try Output.json(answer.json) }
    if let asset = result.asset, let path = asset.path { return try Output.line(asset.line(path: path)) }
    try Output.line("Took \(Text.count(result.frames, "picture"))")
  }
}

/// `camctl timelapse status`
struct TimelapseStatusCommand: Command {
  static let words = ["timelapse", "status"]
  static let summary = "show how far a time-lapse is"

  init(_ words: CommandLineWords) throws(UsageError) {}

  func run(_ context: Context) throws {
    let answer = try context.connect().call(
      GetStatus.self, CameraSelection(camera: context.camera), timeout: Context.shortTimeout)
    let running = answer.value.status.cameras.compactMap(\.timelapse)
    if context.json {
      for timelapse in running { try Output.json(timelapse) }
    } else {
      for timelapse in running { try Output.line("\(timelapse.camera): \(timelapse.summary), \(timelapse.progress)") }
    }
    if running.isEmpty { throw LocalError("no time-lapse runs") }
  }
}

extension TimelapseStatus {
  /// What is taken.
  var summary: String {
    var words = movie ? "a movie" : "photos"
    if let frameRate, let quality { words += " (\(quality.rawValue) at \(Text.short(frameRate)) fps)" }
    words += ", a picture every \(Text.duration(interval))"
    if let maxFrames { words += ", \(maxFrames) in all" }
    return words
  }

  /// How far it is.
  var progress: String {
    var words = Text.count(frames, "picture")
    if missed > 0 { words += ", \(missed) missed" }
    if let bytes { words += ", \(Text.bytes(bytes))" }
    return words
  }
}
