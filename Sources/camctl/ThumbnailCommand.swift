import CameraClient
import CameraProtocol
import Glibc
import Varlink

/// `camctl thumbnail`
struct ThumbnailCommand: Command {
  static let words = ["thumbnail"]
  static let usage = "[ASSET] [-o FILE|-] [--at T] [--sheet N] ..."
  static let summary = "write a small picture of a photo or a movie"
  static let details = """
    ASSET is an id, which is a file's name in the album; without it, the newest.
    Of a movie it is the picture half-way. Without -o it goes to standard output,
    where a terminal shows it that knows kitty's graphics.
    """
  static let options = [
    Option("--output", short: "-o", value: "FILE", "write to FILE; - for standard output"),
    Option("--at", value: "T", "the picture that is shown at T: 10, 1.5s, 2m"),
    Option("--keyframe", "the nearest key frame, which is quicker"),
    Option("--first", "the picture that the movie begins with"),
    Option("--size", value: "N", "pixels of the longer edge at most (default: 256)"),
    Option("--sheet", value: "N", "N pictures from beginning to end in one"),
    Option("--columns", value: "N", "of a sheet (default: about as many as rows)"),
    Option(
      "--format", value: "F", "png, jpeg or webp; else what the name of FILE ends in\n(default: png, of a sheet jpeg)"),
  ]
  static let maxArguments = 1

  private let asset: String?
  private let output: String?
  private let position: Double?
  private let keyframe: Bool
  private let first: Bool
  private let size: Int?
  private let sheet: Int?
  private let columns: Int?
  private let format: PhotoFormat?

  init(_ words: CommandLineWords) throws(UsageError) {
    asset = words.arguments.first
    output = try words.value("--output", expected: "a file") { $0.isEmpty ? nil : $0 }
    position = try words.value("--at", expected: DurationText.expected, DurationText.seconds)
    keyframe = words.has("--keyframe")
    first = words.has("--first")
    size = try words.value("--size", expected: "pixels, 16 to 4096") { Self.number($0, 16...4096) }
    let sheet = try words.value("--sheet", expected: "a number from 1 to 100") { Self.number($0, 1...100) }
    columns = try words.value("--columns", expected: "a number from 1 to that of pictures") { text in
      sheet.flatMap { Self.number(text, 1...$0) }
    }
    self.sheet = sheet
    let formats = PhotoFormat.allCases.map(\.rawValue).joined(separator: ", ")
    format =
      try words.value("--format", expected: formats) { PhotoFormat(rawValue: $0 == "jpg" ? "jpeg" : $0) }
      ?? output.flatMap(PhotoFormat.init(fileName:))
    if first, position != nil || keyframe { throw UsageError("'--first' goes without '--at' and '--keyframe'") }
    if sheet != nil, first || keyframe || position != nil {
      throw UsageError("'--sheet' goes without '--at', '--keyframe' and '--first'")
    }
    if words.has("--json"), output == nil || output == "-" {
      throw UsageError("'--json' and the picture both need standard output; write the picture to a file with '-o'")
    }
  }

  private static func number(_ text: String, _ range: ClosedRange<Int>) -> Int? {
    Int(text).flatMap { range.contains($0) ? $0 : nil }
  }

  func run(_ context: Context) throws {
    let isInline = output == nil && KittyGraphics.isSpoken
    if !isInline, output == nil || output == "-", Output.isTerminal {
      throw UsageError("standard output is a terminal: name a file with '-o', or pipe it into a program")
    }
    let target = isInline ? nil : try PhotoTarget(output ?? "-")
    let client = try context.connect()
    let (picture, json, text) = try sheet.map { try ask(client, sheet: $0) } ?? ask(client, isInline)
    guard let target else { return try KittyGraphics.show(picture) }
    try target.write(from: picture)
    if context.json { return try Output.json(json) }
    if let output, output != "-" { try Output.line(Output.isTerminal ? "\(output) (\(text))" : output) }
  }

  private func ask(_ client: CameraClient, _ isInline: Bool) throws -> (FileDescriptor, [UInt8], String) {
    let answer = try client.call(
      GetThumbnail.self,
      GetThumbnail.Parameters(
        id: asset, position: position, nearestKeyframe: keyframe ? true : nil, first: first ? true : nil, size: size,
        format: isInline ? .png : format), timeout: Context.longTimeout)
    let reply = answer.value
    let time = reply.position.map { ", at \(Text.fixed($0, 3)) s" } ?? ""
    return (
      try Self.picture(answer.takeDescriptor(at: reply.descriptor)), answer.json,
      "\(reply.width)x\(reply.height)\(time)"
    )
  }

  private func ask(_ client: CameraClient, sheet count: Int) throws -> (FileDescriptor, [UInt8], String) {
    let answer = try client.call(
      GetThumbnailSheet.self,
      GetThumbnailSheet.Parameters(
        id: asset, count: count, columns: columns, size: size,
        format: output == nil && KittyGraphics.isSpoken ? .png : format),
      timeout: Context.longTimeout)
    let reply = answer.value
    return (
      try Self.picture(answer.takeDescriptor(at: reply.descriptor)), answer.json,
      "\(reply.width)x\(reply.height), \(Text.count(reply.positions.count, "picture"))"
    )
  }

  private static func picture(_ descriptor: FileDescriptor?) throws -> FileDescriptor {
    guard let descriptor else { throw VarlinkError.malformed("the picture's descriptor is missing") }
    return descriptor
  }
}
