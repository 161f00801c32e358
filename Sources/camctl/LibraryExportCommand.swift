import CameraClient
import CameraProtocol
import Glibc
import Varlink

/// `camctl library export`
struct LibraryExportCommand: Command {
  static let words = ["library", "export"]
  static let usage = "[ID] [-o FILE|FOLDER|-] [--quality Q] ..."
  static let summary = "copy an asset out of the album"
  static let details = """
    Without ID, the newest. Writes to FILE, to the asset's own name in FOLDER or,
    with -, to standard output; without -o, to its own name in the current folder.
    A movie can be made smaller or cut off on the way; the album keeps nothing of
    that.
    """
  static let options = [
    Option("--output", short: "-o", value: "FILE", "where to; - for standard output"),
    Option("--force", "replace a file that is there already"),
    Option("--quality", value: "Q", "a movie of a lower preset: low, medium, high, 640x480,\n720p or 1080p"),
    Option("--max-duration", value: "S", "a movie's first S: 10, 10s, 1.5m, 1h"),
  ]
  static let maxArguments = 1

  private let id: String?
  private let output: String?
  private let force: Bool
  private let quality: Quality?
  private let maxDuration: Double?

  init(_ words: CommandLineWords) throws(UsageError) {
    id = words.arguments.first
    output = try words.value("--output", expected: "a file or a folder") { $0.isEmpty ? nil : $0 }
    force = words.has("--force")
    quality = try words.value(
      "--quality", expected: Quality.allCases.map(\.rawValue).joined(separator: ", "), Quality.init(rawValue:))
    maxDuration = try words.value("--max-duration", expected: DurationText.expected) { text in
      DurationText.seconds(text).flatMap { $0 > 0 ? $0 : nil }
    }
    if output == "-" && words.has("--json") {
      throw UsageError("'--json' and '-o -' both need standard output; write to a file")
    }
  }

  func run(_ context: Context) throws {
    if output == "-" && Output.isTerminal {
      throw UsageError("standard output is a terminal: name a file, or pipe it into a program")
    }
    let client = try context.connect()
    let asset = try OneAsset.find(id, client)
    let path = Self.path(output ?? ".", asset, isMP4: quality != nil)
    let target = try PhotoTarget(path, replaces: force)
    let (file, exported) = try file(of: asset, client, context)
    try target.write(from: file)
    if context.json { return try Output.json(["path": path]) }
    if path != "-" { try Output.line(exported.line(path: path)) }
  }

  /// What is to be written: the asset's own bytes, or those of a movie that is made of it.
  private func file(
    of asset: Asset, _ client: CameraClient, _ context: Context
  ) throws -> (file: FileDescriptor, asset: Asset) {
    func take<Reply>(_ answer: CameraClient.Answer<Reply>, _ index: Int?) throws -> FileDescriptor {
      guard let index, let file = answer.takeDescriptor(at: index) else {
        throw VarlinkError.malformed("the file's descriptor is missing")
      }
      return file
    }
    let isLonger = maxDuration.map { $0 < asset.duration ?? .infinity } ?? false
    guard quality != nil || isLonger else {
      let answer = try client.call(OpenAsset.self, .init(id: asset.id), timeout: Context.longTimeout)
      return (try take(answer, answer.value.descriptor), asset)
    }
    let answer: CameraClient.Answer<EditReply>
    if let quality {
      let wanted = TranscodeMovie.Parameters(
        id: asset.id, quality: quality, maxDuration: maxDuration, cancelOnDisconnect: true, album: false,
        descriptor: true)
      answer = try EditRun.follow(TranscodeMovie.self, wanted, context)
    } else {
      let wanted = TrimMovie.Parameters(
        id: asset.id, start: 0, end: maxDuration, cancelOnDisconnect: true, album: false, descriptor: true)
      answer = try EditRun.follow(TrimMovie.self, wanted, context)
    }
    return (try take(answer, answer.value.descriptor), answer.value.edited ?? asset)
  }

  /// Within a folder, the asset's own name; with the ending of what is made of it.
  private static func path(_ output: String, _ asset: Asset, isMP4: Bool) -> String {
    var status = stat()
    guard output != "-", stat(output, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return output }
    var name = (asset.path ?? asset.id).split(separator: "/").last.map(String.init) ?? asset.id
    if isMP4, let point = name.lastIndex(of: ".") { name = "\(name[..<point]).mp4" }
    if output == "." { return name }
    return output.hasSuffix("/") ? "\(output)\(name)" : "\(output)/\(name)"
  }
}
