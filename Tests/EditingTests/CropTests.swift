import CameraProtocol
import Editing
import Foundation
import PhotoFile
import TestSupport
import Testing

/// Parts of photos and turned ones, as other programs see them.
@Suite(.serialized) struct CropTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  /// A photo with the metadata of a camera, 322x242: no multiple of any block.
  private func photo(
    _ format: PhotoFormat, orientation: Orientation = .upright, options: [String] = [], size: String = "322x242",
    thumbnail: Bool = false
  ) throws -> String {
    let plain = try bench.make(
      "plain.\(format.fileExtension)", ["-f", "lavfi", "-i", "testsrc2=size=\(size)"] + options + ["-frames:v", "1"])
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: plain)))
    let sides = size.split(separator: "x").compactMap { Int($0) }
    let block = try ExifBlock()
    try block.fill(
      PhotoMetadata(
        time: Timestamp(seconds: 1_700_000_000, nanoseconds: 5_000_000, offset: 3600), width: sides[0],
        height: sides[1],
        orientation: orientation, maker: "Maker", model: "Model", software: "before", exposureTime: 0.01,
        place: .location(
          GeoLocation(
            latitude: 48.5, longitude: 9.25, altitude: 300, accuracy: nil, time: Timestamp(seconds: 1_700_000_000),
            source: .manual))), format: format, isUnchanged: false)
    let file = bench.folder.file("photo.\(format.fileExtension)")
    let data = try bytes.withUnsafeBytes { bytes in
      let pieces = try PhotoPieces(bytes, format: format, exif: try block.bytes())
      return pieces.withBuffers(of: bytes) { $0.reduce(into: Data()) { $0.append(contentsOf: $1) } }
    }
    try data.write(to: URL(filePath: file))
    guard thumbnail else { return file }
    let small = try bench.make("small.jpg", ["-i", plain, "-vf", "scale=160:120", "-frames:v", "1"])
    let added = try Tool.run(["exiftool", "-overwrite_original", "-ThumbnailImage<=\(small)", file])
    guard added.status == 0 else { throw MakerError(description: added.errors) }
    return file
  }

  private func edit(
    _ file: String, crop: Rectangle? = nil, rotation: Int = 0
  ) throws -> (photo: EditedPhoto, path: String) {
    let ending = URL(filePath: file).pathExtension
    let number = UUID().uuidString
    let made = try bench.edit(file, as: "edited\(number).\(ending)") { (source, target) throws(CameraError) in
      try PhotoEditor.edit(source: source, target: target, crop: crop, rotation: rotation, software: "camd test")
    }
    return (made.result, made.path)
  }

  /// The coded values themselves: of 4:2:0 there is one sample of colour for four pixels, so the planes are compared.
  @Test(arguments: ["yuvj420p", "yuvj422p", "yuvj444p", "gray"])
  func keepsTheValuesOfAJPEG(form: String) async throws {
    try await offPool {
      let file = try photo(.jpeg, options: ["-pix_fmt", form])
      let made = try edit(file, crop: Rectangle(x: 32, y: 16, width: 201, height: 131))
      #expect(made.photo == EditedPhoto(width: 201, height: 131, rotation: 0, isLossless: true))
      let filter = "crop=201:131:32:16:exact=1"
      if form == "yuvj420p" || form == "yuvj422p" {
        // an odd part of it is made even for the comparison: the last line of colour is shared
        let even = "crop=200:130:0:0:exact=1"
        #expect(try bench.pixels(made.path, even) == bench.pixels(file, "crop=200:130:32:16:exact=1"))
      } else {
        #expect(try bench.pixels(made.path) == bench.pixels(file, filter))
      }
      #expect(try MovieJudge(made.path).complaints() == "")
    }
  }

  @Test func encodesAJPEGAgainWhereBlocksAreCut() async throws {
    try await offPool {
      let file = try photo(.jpeg, options: ["-pix_fmt", "yuvj420p", "-q:v", "2"])
      let made = try edit(file, crop: Rectangle(x: 33, y: 17, width: 100, height: 80))
      #expect(made.photo == EditedPhoto(width: 100, height: 80, rotation: 0, isLossless: false))
      #expect(try MovieJudge(made.path).entries("stream=pix_fmt,width,height") == ["100,80,yuvj420p"])
      let (one, other) = (
        try bench.pixels(made.path, format: "rgb24"), try bench.pixels(file, "crop=100:80:33:17:exact=1,format=rgb24")
      )
      #expect(one.count == other.count)
      let difference = zip(one, other).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
      #expect(Double(difference) / Double(one.count) < 6)
    }
  }

  /// Whatever way a picture is stored, the part is that of the picture as it is shown.
  @Test(arguments: Orientation.allCases, [PhotoFormat.jpeg, .png, .webp])
  func takesThePartThatIsShown(orientation: Orientation, format: PhotoFormat) async throws {
    try await offPool {
      let options = format == .webp ? ["-c:v", "libwebp", "-lossless", "1"] : format == .jpeg ? ["-q:v", "1"] : []
      let file = try photo(format, orientation: orientation, options: options + Self.exact(format), size: "320x192")
      let made = try edit(file, crop: Rectangle(x: 16, y: 48, width: 112, height: 64))
      #expect(made.photo.rotation == orientation.degrees)
      #expect(made.photo.isLossless)
      let shown = Self.turn(orientation)
      let expected = try bench.pixels(file, "\(shown),crop=112:64:16:48:exact=1", format: Self.kind(format))
      #expect(try bench.pixels(made.path, shown, format: Self.kind(format)) == expected)
      let tags = try PhotoJudge(made.path).tags()
      #expect(tags["Orientation"] == "\(orientation.rawValue)")
    }
  }

  @Test(arguments: [90, 180, 270], [PhotoFormat.jpeg, .png, .webp])
  func turnsThePicture(rotation: Int, format: PhotoFormat) async throws {
    try await offPool {
      for orientation in [Orientation.upright, .right, .transverse] {
        let options = format == .webp ? ["-c:v", "libwebp", "-lossless", "1"] : []
        let file = try photo(format, orientation: orientation, options: options + Self.exact(format), size: "320x192")
        let made = try edit(file, rotation: rotation)
        #expect(made.photo.isLossless)
        #expect(made.photo.rotation == 0)
        let turns = Array(repeating: "transpose=clock", count: rotation / 90).joined(separator: ",")
        let expected = try bench.pixels(file, "\(Self.turn(orientation)),\(turns)", format: Self.kind(format))
        let pixels = try bench.pixels(made.path, format: Self.kind(format))
        #expect(pixels.count == expected.count && !pixels.isEmpty)
        let isSwapped = orientation.swapsSides != (rotation == 90 || rotation == 270)
        #expect(made.photo.width == (isSwapped ? 192 : 320) && made.photo.height == (isSwapped ? 320 : 192))
        if format == .jpeg {
          // the coded values are the same ones in other places; decoders round them differently there
          #expect(zip(pixels, expected).allSatisfy { abs(Int($0) - Int($1)) <= 3 }, "\(orientation)")
          let back = try edit(made.path, rotation: 360 - rotation)
          let upright = try edit(try edit(file, rotation: 180).path, rotation: 180)
          #expect(try bench.pixels(back.path) == bench.pixels(upright.path))
        } else {
          #expect(pixels == expected, "\(orientation)")
        }
        let complaints = try PhotoJudge(made.path).complaints()
        #expect(complaints == "")
      }
    }
  }

  /// Blocks that are there in part can't go to the other side.
  @Test func turnsByTheTagWhereThePixelsWouldSuffer() async throws {
    try await offPool {
      let file = try photo(.jpeg, options: ["-pix_fmt", "yuvj420p"])
      let made = try edit(file, rotation: 90)
      #expect(made.photo == EditedPhoto(width: 322, height: 242, rotation: 90, isLossless: true))
      #expect(try bench.pixels(made.path) == bench.pixels(file))
      #expect(try PhotoJudge(made.path).tags()["Orientation"] == "6")
    }
  }

  @Test(arguments: [(PhotoFormat.jpeg, 16), (.jpeg, 17), (.png, 17), (.webp, 17)])
  func keepsAndAdjustsMetadata(format: PhotoFormat, x: Int) async throws {
    try await offPool {
      let file = try photo(format, orientation: .right)
      let added = try Tool.run([
        "exiftool", "-overwrite_original", "-XMP:Title=A title", "-XMP:Rating=4", file,
      ])
      #expect(added.status == 0, "\(added.errors)")
      let made = try edit(file, crop: Rectangle(x: x, y: x, width: 120, height: 90))
      let complaints = try PhotoJudge(made.path).complaints()
      #expect(complaints == "")
      let tags = try PhotoJudge(made.path).tags()
      let expected = [
        "DateTimeOriginal": "2023:11:14 23:13:20", "OffsetTimeOriginal": "+01:00", "SubSecTimeOriginal": "005",
        "Make": "Maker", "Model": "Model", "Software": "camd test", "Orientation": "6", "ExposureTime": "0.01",
        "ExifImageWidth": "90", "ExifImageHeight": "120", "Title": "A title", "Rating": "4",
      ]
      for (name, value) in expected { #expect(tags[name] == value, "\(name)") }
      #expect(tags["ModifyDate"].map { $0 > "2024" } ?? false)
      let position = try PhotoJudge(made.path).position()
      #expect(abs(position.latitude - 48.5) < 1e-6)
      #expect(try MovieJudge(made.path).complaints() == "")
    }
  }

  @Test(arguments: [Rectangle(x: 16, y: 16, width: 200, height: 100), Rectangle(x: 1, y: 1, width: 90, height: 200)])
  func renewsTheThumbnail(crop: Rectangle) async throws {
    try await offPool {
      let file = try photo(.jpeg, thumbnail: true)
      let made = try edit(file, crop: crop)
      let complaints = try PhotoJudge(made.path).complaints()
      #expect(complaints == "")
      let small = bench.folder.file("thumbnail.jpg")
      #expect(try Tool.run(["bash", "-c", "exiftool -b -ThumbnailImage \(made.path) >\(small)"]).status == 0)
      let size = try MovieJudge(small).size()
      #expect(max(size[0], size[1]) <= 160)
      #expect(abs(Double(size[0]) / Double(size[1]) - Double(crop.width) / Double(crop.height)) < 0.05)
      // it shows the same as the picture
      let scale = "scale=16:16:flags=area"
      let (one, other) = (
        try bench.pixels(small, scale, format: "gray"), try bench.pixels(made.path, scale, format: "gray")
      )
      #expect(zip(one, other).allSatisfy { abs(Int($0) - Int($1)) < 40 })
    }
  }

  @Test func keepsTransparencyAndLosses() async throws {
    try await offPool {
      let alpha = "testsrc2=size=100x80,format=rgba,geq=r='r(X,Y)':g='g(X,Y)':b='b(X,Y)':a='X*2'"
      let png = try bench.make("alpha.png", ["-f", "lavfi", "-i", alpha, "-frames:v", "1"])
      let part = Rectangle(x: 11, y: 7, width: 51, height: 33)
      let made = try edit(png, crop: part)
      #expect(made.photo.isLossless)
      #expect(try bench.pixels(made.path, format: "rgba") == bench.pixels(png, "crop=51:33:11:7", format: "rgba"))
      let webp = try bench.make(
        "lossy.webp",
        ["-f", "lavfi", "-i", "testsrc2=size=100x80", "-c:v", "libwebp", "-lossless", "0", "-frames:v", "1"])
      let lossy = try edit(webp, crop: part)
      #expect(!lossy.photo.isLossless)
      #expect(try MovieJudge(lossy.path).size() == [51, 33])
    }
  }

  @Test(arguments: [
    Rectangle(x: 0, y: 0, width: 0, height: 10), Rectangle(x: -1, y: 0, width: 10, height: 10),
    Rectangle(x: 0, y: 0, width: 323, height: 10), Rectangle(x: 322, y: 0, width: 1, height: 1),
    Rectangle(x: 1, y: 1, width: .max, height: .max),
  ])
  func refusesWhatIsNoPart(crop: Rectangle) async throws {
    try await offPool {
      for format in PhotoFormat.allCases {
        let file = try photo(format)
        let refused = try refusal(CameraError.self) { _ = try edit(file, crop: crop) }
        #expect(refused.kind == .valueOutOfRange, "\(refused)")
      }
    }
  }

  @Test func refusesWhatItCannotKeep() async throws {
    try await offPool {
      let deep = try bench.make(
        "deep.png", ["-f", "lavfi", "-i", "testsrc2=size=64x48", "-pix_fmt", "rgb48be", "-frames:v", "1"])
      let text = bench.folder.file("text.jpg")
      try "no picture".write(toFile: text, atomically: false, encoding: .utf8)
      let cut = bench.folder.file("cut.png")
      try Data(contentsOf: URL(filePath: try photo(.png))).prefix(2000).write(to: URL(filePath: cut))
      for file in [deep, text, cut, "/dev/null"] {
        let refused = try refusal(CameraError.self) { _ = try edit(file, rotation: 90) }
        #expect(refused.kind == .notCompatible, "\(file): \(refused)")
      }
      let nothing = try refusal(CameraError.self) { _ = try edit(try photo(.png)) }
      #expect(nothing.kind == .valueOutOfRange)
    }
  }

  /// Every sample of colour its own, so that turned planes can be compared.
  private static func exact(_ format: PhotoFormat) -> [String] { format == .jpeg ? ["-pix_fmt", "yuvj444p"] : [] }

  private static func kind(_ format: PhotoFormat) -> String { format == .jpeg ? "yuvj444p" : "rgb24" }

  /// How ffmpeg brings a picture of that orientation upright.
  private static func turn(_ orientation: Orientation) -> String {
    switch orientation {
    case .upright: "null"
    case .mirrored: "hflip"
    case .half: "hflip,vflip"
    case .halfMirrored: "vflip"
    case .transposed: "transpose=cclock_flip"
    case .right: "transpose=clock"
    case .transverse: "transpose=clock_flip"
    case .left: "transpose=cclock"
    }
  }
}
