import CameraClient
import CameraProtocol

/// `camctl edit trim`
struct EditTrimCommand: Command {
  static let words = ["edit", "trim"]
  static let usage = "[ASSET] START END"
  static let summary = "cut the beginning and the end off a movie"
  static let details = """
    Makes a new movie of what lies between START and END, exact to the frame, and
    prints its path; the original stays. START and END are seconds, M:SS or H:MM:SS,
    with '-' in front from the end; END may be 'end'. Without ASSET, the newest
    movie. Ctrl-C ends it and leaves nothing.
    """
  static let maxArguments = 3

  private let asset: String?
  private let start: Double
  private let end: Double?

  init(_ words: CommandLineWords) throws(UsageError) {
    let arguments = words.arguments
    guard arguments.count >= 2 else { throw UsageError("'edit trim' needs START and END, such as 2.5 1:30") }
    asset = arguments.count == 3 ? EditRun.id(arguments[0]) : nil
    (start, end) = try MovieTimeText.range(arguments[arguments.count - 2], arguments[arguments.count - 1])
  }

  func run(_ context: Context) throws {
    try EditRun.run(
      TrimMovie.self, TrimMovie.Parameters(id: asset, start: start, end: end, cancelOnDisconnect: true), context)
  }
}

/// `camctl edit crop`
struct EditCropCommand: Command {
  static let words = ["edit", "crop"]
  static let usage = "[ASSET] WxH+X+Y [--rotate D]"
  static let summary = "take a part of a photo"
  static let details = """
    Makes a new photo of a part of a photo, WIDTHxHEIGHT+X+Y in pixels of the
    picture as it is shown, and prints its path; the original stays. Of a JPEG
    nothing is lost where X and Y lie on the borders of its blocks, multiples of 8
    or 16. Without ASSET, the newest photo.
    """
  static let options = [Option("--rotate", value: "D", "turn the part by 90, 180 or 270 degrees clockwise")]
  static let maxArguments = 2

  private let asset: String?
  private let part: Rectangle
  private let rotation: Int?

  init(_ words: CommandLineWords) throws(UsageError) {
    guard let text = words.arguments.last else {
      throw UsageError("'edit crop' needs the part, WIDTHxHEIGHT+X+Y, such as 640x480+100+50")
    }
    guard let part = Rectangle(geometry: text) else {
      throw UsageError("'\(text)' is no part of a picture: expected WIDTHxHEIGHT+X+Y, such as 640x480+100+50")
    }
    self.part = part
    asset = words.arguments.count == 2 ? EditRun.id(words.arguments[0]) : nil
    rotation = try words.value("--rotate", expected: "90, 180 or 270", EditRotateCommand.degrees)
  }

  func run(_ context: Context) throws {
    try EditRun.run(
      CropPhoto.self,
      CropPhoto.Parameters(id: asset, crop: part, rotation: rotation, cancelOnDisconnect: true), context)
  }
}

/// `camctl edit rotate`
struct EditRotateCommand: Command {
  static let words = ["edit", "rotate"]
  static let usage = "[ASSET] 90|180|270"
  static let summary = "turn a photo clockwise"
  static let details = """
    Makes a new photo that is turned by so many degrees clockwise, and prints its
    path; the original stays. Nothing of a JPEG or PNG is lost. Without ASSET, the
    newest photo.
    """
  static let maxArguments = 2

  private let asset: String?
  private let rotation: Int

  init(_ words: CommandLineWords) throws(UsageError) {
    guard let text = words.arguments.last else { throw UsageError("'edit rotate' needs 90, 180 or 270") }
    guard let rotation = Self.degrees(text) else {
      throw UsageError("a photo is turned by 90, 180 or 270 degrees, not by '\(text)'")
    }
    self.rotation = rotation
    asset = words.arguments.count == 2 ? EditRun.id(words.arguments[0]) : nil
  }

  static func degrees(_ text: String) -> Int? { Int(text).flatMap { [90, 180, 270].contains($0) ? $0 : nil } }

  func run(_ context: Context) throws {
    try EditRun.run(
      CropPhoto.self, CropPhoto.Parameters(id: asset, rotation: rotation, cancelOnDisconnect: true), context)
  }
}

/// `camctl edit transcode`
struct EditTranscodeCommand: Command {
  static let words = ["edit", "transcode"]
  static let usage = "[ASSET] QUALITY [--max-duration S]"
  static let summary = "make a smaller movie of a movie"
  static let details = """
    Makes a new movie of a lower preset, low, medium, high, 640x480, 720p or 1080p,
    and prints its path; the original stays. It never makes more of a movie than it
    is: where nothing would become less, it says so. Without ASSET, the newest
    movie. Ctrl-C ends it and leaves nothing.
    """
  static let options = [Option("--max-duration", value: "S", "end the new movie after S: 10, 10s, 1.5m, 1h")]
  static let maxArguments = 2

  private let asset: String?
  private let quality: Quality
  private let maxDuration: Double?

  init(_ words: CommandLineWords) throws(UsageError) {
    let presets = Quality.allCases.map(\.rawValue).joined(separator: ", ")
    guard let text = words.arguments.last else { throw UsageError("'edit transcode' needs a preset: \(presets)") }
    guard let quality = Quality(rawValue: text) else {
      throw UsageError("'\(text)' is no preset: expected \(presets)")
    }
    self.quality = quality
    asset = words.arguments.count == 2 ? EditRun.id(words.arguments[0]) : nil
    maxDuration = try words.value("--max-duration", expected: DurationText.expected) { text in
      DurationText.seconds(text).flatMap { $0 > 0 ? $0 : nil }
    }
  }

  func run(_ context: Context) throws {
    try EditRun.run(
      TranscodeMovie.self,
      TranscodeMovie.Parameters(id: asset, quality: quality, maxDuration: maxDuration, cancelOnDisconnect: true),
      context)
  }
}
