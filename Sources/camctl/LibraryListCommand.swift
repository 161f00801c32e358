import CameraClient
import CameraProtocol

/// `camctl library list`
struct LibraryListCommand: Command {
  static let words = ["library", "list"]
  static let usage = "[--type T] [--since T] [--favorites] ..."
  static let summary = "list the album, the newest first"
  static let details = """
    A line for each: a star for a favourite, kind, time, duration or size, camera,
    id. --camera takes only what that camera took.
    """
  static let options =
    [
      Option("--type", value: "T", "only photos, movies or audio; several with commas"),
      Option(
        "--since", value: "T",
        "only what was taken then or later: a date\n(2026-11-30), a time (2026-11-30T11:00:00Z), or an\nage (90m, 12h, 2d, 1w)"
      ),
      Option("--until", value: "T", "only what was taken before, or on that date"),
      Option("--near", value: "LAT,LON[,KM]", "only from there, or KM around it (default: 1)"),
      Option("--favorites", "only favourites"),
      Option("--origin", value: "O", "only captured, imported or edited ones"),
      Option("--trash", "what is in the trash"),
      Option("--damaged", "files that can't be read, with the reason"),
      Option("--limit", value: "N", "at most N, 1 to 1000 (default: 50)"),
      Option("--after", value: "NEXT", "go on behind a list that ended with NEXT"),
    ]

  private var parameters = ListAssets.Parameters()

  init(_ words: CommandLineWords) throws(UsageError) {
    parameters.kinds = try words.value("--type", expected: "photo, movie or audio", AssetText.kinds)
    parameters.since = try words.value("--since", expected: TimeText.expected) { TimeText.start($0) }
    parameters.until = try words.value("--until", expected: TimeText.expected) { TimeText.end($0) }
    parameters.near = try words.value(
      "--near", expected: "a latitude, a longitude and kilometres: 27.7,85.3,5", AssetText.circle)
    if words.has("--favorites") { parameters.favorite = true }
    parameters.origin = try words.value(
      "--origin", expected: "captured, imported or edited", AssetOrigin.init(rawValue:))
    guard !words.has("--trash") || !words.has("--damaged") else {
      throw UsageError("'--trash' and '--damaged' are two lists; take one")
    }
    if words.has("--trash") { parameters.state = .trashed }
    if words.has("--damaged") { parameters.state = .damaged }
    parameters.limit = try words.value("--limit", expected: "a number from 1 to 1000") { text in
      Int(text).flatMap { (1...1000).contains($0) ? $0 : nil }
    }
    parameters.after = words.options["--after"]
  }

  func run(_ context: Context) throws {
    var parameters = parameters
    parameters.camera = context.camera
    let answer = try context.connect().call(ListAssets.self, parameters, timeout: Context.longTimeout)
    if context.json { return try Output.json(answer.json) }
    let list = answer.value
    for line in AssetText.table(list.assets) { try Output.line(line) }
    if list.scanning { Output.note("the album's files are being read; there may be more soon") }
    if let next = list.next {
      Output.note("\(list.assets.count) of \(list.total); more with --after '\(next)'")
    }
  }
}
