import CameraClient
import CameraProtocol
import Glibc
import Varlink

/// `camctl library import`
struct LibraryImportCommand: Command {
  static let words = ["library", "import"]
  static let usage = "FILE ..."
  static let summary = "copy photos and movies into the album"
  static let details = """
    Takes what can be played and edited, under the date that stands in it, and
    prints where it is. What the album has already is not copied again. Where a file
    is refused, the others are taken, and the exit status is 1.
    """
  static let maxArguments = Int.max

  /// What became of a file, for `--json`.
  private struct Outcome: Encodable {
    var file: String
    var asset: Asset?
    var duplicate: Bool?
    var message: String?
  }

  private let files: [String]

  init(_ words: CommandLineWords) throws(UsageError) {
    files = words.arguments
    if files.isEmpty { throw UsageError("'library import' needs a file") }
  }

  func run(_ context: Context) throws {
    let client = try context.connect()
    var outcomes: [Outcome] = []
    for (index, file) in files.enumerated() {
      let place = files.count == 1 ? "" : "\(index + 1) of \(files.count): "
      do {
        let reply = try take(file, client, place)
        outcomes.append(Outcome(file: file, asset: reply.asset, duplicate: reply.duplicate))
        if reply.duplicate == true, !context.json { Output.note("\(file) is in the album already") }
        if !context.json, let asset = reply.asset { try Output.line(asset.line(path: asset.path ?? asset.id)) }
      } catch let error as CameraError {
        outcomes.append(Outcome(file: file, message: error.detail.message))
        if !context.json { Output.note(error.description) }
      } catch let error as LocalError {
        outcomes.append(Outcome(file: file, message: error.message))
        if !context.json { Output.note(error.message) }
      }
    }
    if context.json { try Output.json(["files": outcomes]) }
    if outcomes.contains(where: { $0.asset == nil }) { throw Refusal() }
  }

  private func take(_ file: String, _ client: CameraClient, _ place: String) throws -> ImportAsset.Reply {
    // a pipe that nobody writes to would never open otherwise
    let descriptor = FileDescriptor(owning: open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC))
    guard descriptor.rawValue >= 0 else { throw LocalError("cannot read \(file): \(String(cString: strerror(errno)))") }
    defer { if Output.errorIsTerminal { Output.progress("") } }
    try client.send(
      ImportAsset.self, ImportAsset.Parameters(descriptor: 0, name: file), descriptors: [descriptor], more: true)
    while true {
      let answer = try client.next(ImportAsset.self)
      guard answer.continues else { return answer.value }
      if Output.errorIsTerminal {
        Output.progress("\(place)\(Text.bytes(answer.value.copied)) of \(Text.bytes(answer.value.bytes))")
      }
    }
  }
}
