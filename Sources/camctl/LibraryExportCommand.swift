import CameraClient
import CameraProtocol
import Glibc
import Varlink

/// `camctl library export`
struct LibraryExportCommand: Command {
  static let words = ["library", "export"]
  static let usage = "[ID] [-o FILE|FOLDER|-] [--force]"
  static let summary = "copy an asset out of the album"
  static let details = """
    Without ID, the newest. Writes to FILE, to the asset's own name in FOLDER or, with
    -, to standard output; without -o, to its own name in the current folder.
    """
  static let options = [
    Option("--output", short: "-o", value: "FILE", "where to; - for standard output"),
    Option("--force", "replace a file that is there already"),
  ]
  static let maxArguments = 1

  private let id: String?
  private let output: String?
  private let force: Bool

  init(_ words: CommandLineWords) throws(UsageError) {
    id = words.arguments.first
    output = try words.value("--output", expected: "a file or a folder") { $0.isEmpty ? nil : $0 }
    force = words.has("--force")
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
    let path = Self.path(output ?? ".", asset)
    let target = try PhotoTarget(path, replaces: force)
    let answer = try client.call(OpenAsset.self, .init(id: asset.id), timeout: Context.longTimeout)
    guard let file = answer.takeDescriptor(at: answer.value.descriptor) else {
      throw VarlinkError.malformed("the file's descriptor is missing")
    }
    try target.write(from: file)
    if context.json { return try Output.json(["path": path]) }
    if path != "-" { try Output.line(asset.line(path: path)) }
  }

  /// Within a folder, the asset's own name.
  private static func path(_ output: String, _ asset: Asset) -> String {
    var status = stat()
    guard output != "-", stat(output, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return output }
    let name = (asset.path ?? asset.id).split(separator: "/").last.map(String.init) ?? asset.id
    if output == "." { return name }
    return output.hasSuffix("/") ? "\(output)\(name)" : "\(output)/\(name)"
  }
}
