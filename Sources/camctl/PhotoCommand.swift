import CameraClient
import CameraProtocol
import Glibc
import Varlink

/// `camctl photo`
struct PhotoCommand: Command {
  static let words = ["photo"]
  static let usage = "[-o FILE|-] [--no-album] [--quality N]"
  static let summary = "take a photo"
  static let details = """
    Takes the picture of this moment, keeps it in the album and prints its path.
    """
  static let options = [
    Option("--output", short: "-o", value: "FILE", "write the picture to FILE too; - for standard output"),
    Option("--no-album", "keep no copy in the album; needs -o"),
    Option("--quality", value: "N", "JPEG quality, 1 to 100 (default: 90)"),
  ]

  private let output: String?
  private let album: Bool
  private let quality: Int?

  init(_ words: CommandLineWords) throws(UsageError) {
    output = try words.value("--output", expected: "a file") { $0.isEmpty ? nil : $0 }
    album = !words.has("--no-album")
    quality = try words.value("--quality", expected: "a number from 1 to 100") { text in
      Int(text).flatMap { (1...100).contains($0) ? $0 : nil }
    }
    if !album && output == nil { throw UsageError("'--no-album' needs '-o': nobody would get the picture") }
    if output == "-" && words.has("--json") {
      throw UsageError("'--json' and '-o -' both need standard output; write the picture to a file")
    }
  }

  func run(_ context: Context) throws {
    let target = try output.map(PhotoTarget.init)
    if output == "-" && Output.isTerminal {
      throw UsageError("standard output is a terminal: name a file, or pipe it into a program")
    }
    let answer = try context.connect().call(
      TakePhoto.self,
      TakePhoto.Parameters(
        camera: context.camera, quality: quality, album: album ? nil : false, descriptor: target == nil ? nil : true),
      timeout: Context.longTimeout)
    let reply = answer.value
    if let target {
      guard let index = reply.descriptor, let picture = answer.takeDescriptor(at: index) else {
        throw VarlinkError.malformed("the picture's descriptor is missing")
      }
      try target.write(from: picture)
    }
    if context.json { return try Output.json(answer.json) }
    guard let path = reply.asset.path ?? (output == "-" ? nil : output), output != "-" else { return }
    try Output.line(reply.asset.line(path: path))
  }
}

extension Asset {
  /// The path, and on a terminal what it is.
  func line(path: String) -> String {
    guard Output.isTerminal else { return path }
    var facts: [String] = []
    if let width, let height { facts.append("\(width)x\(height)") }
    if let duration { facts.append(Text.duration(duration)) }
    facts.append(Text.bytes(bytes))
    return "\(path) (\(facts.joined(separator: ", ")))"
  }
}
