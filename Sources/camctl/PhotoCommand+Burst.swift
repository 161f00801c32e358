import CameraClient
import CameraProtocol
import Varlink

/// What `camctl photo` takes besides one photo of this moment.
struct BurstOptions {
  static let list = [
    Option("--burst", value: "N", "take N photos of frames that follow each other"),
    Option("--timer", value: "S", "take it after S: 3, 3s; Ctrl-C cancels"),
  ]

  /// Photos; nil for one by itself.
  let count: Int?
  /// Seconds.
  let timer: Double?

  init(_ words: CommandLineWords) throws(UsageError) {
    count = try words.value("--burst", expected: "a number from 1 to 1000") { text in
      Int(text).flatMap { (1...1000).contains($0) ? $0 : nil }
    }
    timer = try words.value("--timer", expected: "\(DurationText.expected), at most 1h") { text in
      DurationText.seconds(text).flatMap { $0 <= 3600 ? $0 : nil }
    }
    guard count != nil else { return }
    for option in ["--output", "--no-album", "--crop"] where words.has(option) {
      throw UsageError("'\(option)' does not go with '--burst', whose photos are kept in the album")
    }
  }

  /// How long an answer may take.
  func timeout(_ longest: Duration) -> Duration { longest + .seconds(timer ?? 0) + .seconds(Double(count ?? 0)) }

  /// Takes a burst; prints each photo's path as it comes, or with `--json` the daemon's reply.
  func run(_ parameters: TakeBurst.Parameters, _ context: Context) throws {
    let client = try context.connect()
    // Ctrl-C ends this process, and with it the connection and the burst; what was printed is saved
    try client.send(TakeBurst.self, parameters, more: !context.json)
    let limit = timeout(Context.longTimeout)
    while true {
      let answer = try client.next(TakeBurst.self, timeout: limit)
      if context.json {
        try Output.json(answer.json)
      } else {
        for asset in answer.value.assets {
          if let path = asset.path { try Output.line(asset.line(path: path)) }
        }
      }
      guard !answer.continues else { continue }
      if answer.value.skipped > 0 {
        Output.note("\(Text.count(answer.value.skipped, "frame")) could not be taken: the machine is too slow for them")
      }
      if let message = answer.value.message { throw LocalError(message) }
      return
    }
  }
}
