import CameraClient
import CameraProtocol
import Glibc
import Varlink

/// `camctl photo`
struct PhotoCommand: Command {
  static let words = ["photo"]
  static let usage = "[-o FILE|-] [--burst N] [--timer S] [--crop R] ..."
  static let summary = "take a photo"
  static let details = """
    Takes the picture of this moment, keeps it in the album and prints its path.
    With --crop it takes a second one, of that part, and prints that path too.
    """
  static let options =
    BurstOptions.list + [
      Option("--output", short: "-o", value: "FILE", "write the picture to FILE too; - for standard output"),
      Option("--no-album", "keep no copy in the album; needs -o"),
      Option("--format", value: "F", "jpeg (the default), png or webp; else what the name of\nFILE ends in"),
      Option("--quality", value: "N", "of JPEG and WebP, 1 to 100 (default: 90)"),
      Option(
        "--rotation", value: "D", "degrees clockwise that bring it upright: 0, 90, 180 or\n270 (default: as configured)"
      ),
      Option("--upright", "turn the pixels, not by a tag that tells viewers to"),
      Option("--crop", value: "R", "also take the part R, WIDTHxHEIGHT+X+Y in pixels; -o\nwrites that part"),
    ]

  private let output: String?
  private let album: Bool
  private let format: PhotoFormat?
  private let quality: Int?
  private let rotation: Int?
  private let upright: Bool
  private let crop: Rectangle?
  private let burst: BurstOptions

  init(_ words: CommandLineWords) throws(UsageError) {
    burst = try BurstOptions(words)
    output = try words.value("--output", expected: "a file") { $0.isEmpty ? nil : $0 }
    album = !words.has("--no-album")
    let formats = PhotoFormat.allCases.map(\.rawValue).joined(separator: ", ")
    format =
      try words.value("--format", expected: formats) { PhotoFormat(rawValue: $0 == "jpg" ? "jpeg" : $0) }
      ?? output.flatMap(PhotoFormat.init(fileName:))
    rotation = try words.value("--rotation", expected: "0, 90, 180 or 270") { text in
      Int(text).flatMap { [0, 90, 180, 270].contains($0) ? $0 : nil }
    }
    upright = words.has("--upright")
    crop = try words.value("--crop", expected: "WIDTHxHEIGHT+X+Y, such as 640x480+100+50", Rectangle.init(geometry:))
    quality = try words.value("--quality", expected: "a number from 1 to 100") { text in
      Int(text).flatMap { (1...100).contains($0) ? $0 : nil }
    }
    if !album && output == nil { throw UsageError("'--no-album' needs '-o': nobody would get the picture") }
    if output == "-" && words.has("--json") {
      throw UsageError("'--json' and '-o -' both need standard output; write the picture to a file")
    }
  }

  func run(_ context: Context) throws {
    if let count = burst.count {
      let parameters = TakeBurst.Parameters(
        camera: context.camera, count: count, format: format, quality: quality, rotation: rotation,
        upright: upright ? true : nil, timer: burst.timer)
      return try burst.run(parameters, context)
    }
    let target = try output.map { try PhotoTarget($0) }
    if output == "-" && Output.isTerminal {
      throw UsageError("standard output is a terminal: name a file, or pipe it into a program")
    }
    let answer = try context.connect().call(
      TakePhoto.self,
      TakePhoto.Parameters(
        camera: context.camera, format: format, quality: quality, rotation: rotation, upright: upright ? true : nil,
        crop: crop, album: album ? nil : false, descriptor: target == nil ? nil : true, timer: burst.timer),
      timeout: burst.timeout(Context.longTimeout))
    let reply = answer.value
    if let target {
      guard let index = reply.descriptor, let picture = answer.takeDescriptor(at: index) else {
        throw VarlinkError.malformed("the picture's descriptor is missing")
      }
      try target.write(from: picture)
    }
    if context.json { return try Output.json(answer.json) }
    guard output != "-" else { return }
    let assets = [reply.asset, reply.edited].compactMap { $0 }
    for asset in assets {
      if let path = asset.path { try Output.line(asset.line(path: path)) }
    }
    if let output, let last = assets.last, last.path == nil { try Output.line(last.line(path: output)) }
  }
}

extension PhotoFormat {
  /// The one that a file's name asks for by its ending; nil where it asks for none.
  init?(fileName: String) {
    let name = fileName.lowercased()
    guard
      let format = Self.allCases.first(where: {
        name.hasSuffix(".\($0.rawValue)") || name.hasSuffix(".\($0.fileExtension)")
      })
    else { return nil }
    self = format
  }
}

extension Rectangle {
  /// Reads `640x480+100+50`; nil for anything else.
  init?(geometry: String) {
    let parts = geometry.split(separator: "+", omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    let size = parts[0].split(separator: "x", omittingEmptySubsequences: false)
    let numbers = (size + parts[1...]).map { part in part.allSatisfy(\.isNumber) ? Int(part) : nil }
    guard size.count == 2, let width = numbers[0], let height = numbers[1], let x = numbers[2], let y = numbers[3],
      width > 0, height > 0
    else { return nil }
    self.init(x: x, y: y, width: width, height: height)
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
