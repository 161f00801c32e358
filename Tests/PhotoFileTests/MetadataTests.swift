import CameraProtocol
import Foundation
import PhotoFile
import TestSupport
import Testing

/// What is written into photos, as exiftool reads it.
@Suite struct MetadataTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A picture of that format, made by ffmpeg.
  private func picture(_ format: PhotoFormat, lossless: Bool = false, size: String = "322x240") throws -> [UInt8] {
    let file = folder.file("plain.\(format.fileExtension)")
    let options = format == .webp ? ["-c:v", "libwebp", "-lossless", lossless ? "1" : "0"] : []
    let made = try Tool.run(
      ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=\(size)", "-frames:v", "1"] + options + [
        file
      ])
    #expect(made.status == 0, "\(made.errors)")
    return [UInt8](try Data(contentsOf: URL(filePath: file)))
  }

  private func write(_ picture: [UInt8], _ format: PhotoFormat, exif: [UInt8]) throws -> String {
    let file = folder.file("written.\(format.fileExtension)")
    let data = try picture.withUnsafeBytes { bytes in
      let pieces = try PhotoPieces(bytes, format: format, exif: exif)
      let data = pieces.withBuffers(of: bytes) { $0.reduce(into: Data()) { $0.append(contentsOf: $1) } }
      #expect(data.count == pieces.byteCount)
      return data
    }
    try data.write(to: URL(filePath: file))
    return file
  }

  private static let metadata = PhotoMetadata(
    time: Timestamp(seconds: 1_796_036_775, nanoseconds: 7_456_789, offset: 20_700), width: 322, height: 240,
    orientation: .right, maker: "Brück & Søn", model: "Bird box 2", software: "camd 9.9", exposureTime: 0.008,
    flash: .used(true, isAutomatic: true),
    place: .location(
      GeoLocation(
        latitude: -33.868820, longitude: 151.209296, altitude: -12.5, accuracy: 4.25,
        time: Timestamp(seconds: 1_796_036_774, nanoseconds: 500_000_000), source: .live)))

  @Test(arguments: [(PhotoFormat.jpeg, false), (.png, false), (.webp, false), (.webp, true)])
  func isCompleteInEveryFormat(format: PhotoFormat, lossless: Bool) throws {
    let block = try ExifBlock()
    try block.fill(Self.metadata, format: format, isUnchanged: false)
    let plain = try picture(format, lossless: lossless)
    let file = try write(plain, format, exif: try block.bytes())
    let tags = try PhotoJudge(file).tags()
    #expect(try PhotoJudge(file).complaints() == "")
    let expected = [
      "DateTimeOriginal": "2026:11:30 16:51:15", "CreateDate": "2026:11:30 16:51:15",
      "ModifyDate": "2026:11:30 16:51:15", "OffsetTime": "+05:45", "OffsetTimeOriginal": "+05:45",
      "OffsetTimeDigitized": "+05:45", "SubSecTime": "007", "SubSecTimeOriginal": "007",
      "SubSecTimeDigitized": "007", "Make": "Brück & Søn", "Model": "Bird box 2", "Software": "camd 9.9",
      "Orientation": "6", "ExifImageWidth": "322", "ExifImageHeight": "240", "ExposureTime": "0.008", "Flash": "25",
      "GPSLatitudeRef": "S", "GPSLongitudeRef": "E", "GPSAltitudeRef": "1", "GPSDateStamp": "2026:11:30",
      "GPSTimeStamp": "11:06:14.5", "GPSVersionID": "2 3 0 0", "GPSMapDatum": "WGS-84", "GPSHPositioningError": "4.25",
      "GPSProcessingMethod": "GPS",
    ]
    for (name, value) in expected { #expect(tags[name] == value, "\(name)") }
    let position = try PhotoJudge(file).position()
    #expect(abs(position.latitude + 33.868820) < 1e-6)
    #expect(abs(position.longitude - 151.209296) < 1e-6)
    #expect(abs(try #require(position.altitude) + 12.5) < 0.001)
    #expect(try MovieJudge(file).complaints() == "")
    #expect(try pixels(file) == pixels(folder.file("plain.\(format.fileExtension)")))
  }

  private func pixels(_ file: String) throws -> String {
    // -noautorotate: the tag is new, the pixels aren't
    let made = try Tool.run(["ffmpeg", "-v", "error", "-noautorotate", "-i", file, "-f", "md5", "-"])
    #expect(made.status == 0 && made.output.hasPrefix("MD5="), "\(made.errors)")
    return made.output
  }

  /// The camera's exposure stays, its clock and its turn don't; neither does its block stay beside the new one.
  @Test func goesOnFromACamerasOwnBlock() throws {
    _ = try picture(.jpeg)
    let own = folder.file("plain.jpg")
    let tagged = try Tool.run([
      "exiftool", "-overwrite_original", "-Make=Optica", "-Model=O-1", "-FNumber=2.8", "-ISO=200",
      "-ExposureTime=1/60", "-DateTimeOriginal=1999:01:02 03:04:05", "-Orientation#=3", "-GPSLatitude=10",
      "-GPSLatitudeRef=N", "-GPSLongitude=20", "-GPSLongitudeRef=E", "-XMP:Title=kept", "-Comment=kept", own,
    ])
    #expect(tagged.status == 0, "\(tagged.errors)")
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: own)))
    let block = try ExifBlock(bytes.withUnsafeBytes { JPEGSegments.exif(of: $0) })
    #expect(block.orientation == .half)
    var metadata = Self.metadata
    metadata.place = .unknown
    try block.fill(metadata, format: .jpeg, isUnchanged: true)
    let file = try write(bytes, .jpeg, exif: try block.bytes())
    let judge = PhotoJudge(file)
    #expect(try judge.complaints() == "")
    let tags = try judge.tags()
    let expected = [
      "Make": "Optica", "Model": "O-1", "FNumber": "2.8", "ISO": "200", "Orientation": "6", "Title": "kept",
      "Comment": "kept", "DateTimeOriginal": "2026:11:30 16:51:15", "GPSLatitudeRef": "N",
    ]
    for (name, value) in expected { #expect(tags[name] == value, "\(name)") }
    #expect(abs(Double(try #require(tags["ExposureTime"])).map { $0 - 1 / 60 } ?? 1) < 1e-4, "the camera's own")
    #expect(try pixels(file) == pixels(own))
    // withheld: nothing of the camera's own position is left
    metadata.place = .withheld
    try block.fill(metadata, format: .jpeg, isUnchanged: true)
    let bare = try write(bytes, .jpeg, exif: try block.bytes())
    #expect(try PhotoJudge(bare).tags().keys.filter { $0.hasPrefix("GPS") } == [])
    #expect(try PhotoJudge(bare).complaints() == "")
  }

  @Test func dropsTheSmallPictureOfAnother() throws {
    _ = try picture(.jpeg, size: "160x120")
    let small = folder.file("small.jpg")
    try FileManager.default.moveItem(atPath: folder.file("plain.jpg"), toPath: small)
    _ = try picture(.jpeg)
    let own = folder.file("plain.jpg")
    #expect(try Tool.run(["exiftool", "-overwrite_original", "-ThumbnailImage<=\(small)", own]).status == 0)
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: own)))
    for unchanged in [true, false] {
      let block = try ExifBlock(bytes.withUnsafeBytes { JPEGSegments.exif(of: $0) })
      try block.fill(Self.metadata, format: .jpeg, isUnchanged: unchanged)
      let file = try write(bytes, .jpeg, exif: try block.bytes())
      #expect(try PhotoJudge(file).tags().keys.contains("ThumbnailImage") == unchanged)
      #expect(try PhotoJudge(file).complaints() == "")
    }
  }

  @Test func refusesWhatIsNoPicture() throws {
    for format in PhotoFormat.allCases {
      let good = try picture(format)
      for bytes in [[], [0xFF, 0xD8], Array(good.prefix(20)), [UInt8](repeating: 7, count: 4000)] {
        let error = try refusal(PhotoFileError.self) {
          _ = try bytes.withUnsafeBytes { try PhotoPieces($0, format: format, exif: [1, 2, 3]) }
        }
        #expect(!error.description.isEmpty)
      }
    }
    // a camera's block that is none is left behind
    for own in [[], [1, 2, 3], [UInt8](repeating: 0xFF, count: 5000)] {
      let block = try ExifBlock(own)
      try block.fill(Self.metadata, format: .jpeg, isUnchanged: true)
      #expect(try PhotoJudge(write(try picture(.jpeg), .jpeg, exif: try block.bytes())).complaints() == "")
    }
  }

  /// Segments that a camera cut off anywhere are refused or read, and nothing else.
  @Test func survivesEveryCut() throws {
    let good = try picture(.jpeg)
    for count in 0..<min(good.count, 800) {
      good[..<count].withUnsafeBytes { bytes in
        if let segments = try? PhotoPieces(bytes, format: .jpeg, exif: [1]) {
          #expect(segments.byteCount > count)
        }
      }
    }
  }

  /// What a camera's driver left behind the picture's end is not part of the photo.
  @Test func leavesTheFillingOfABufferBehind() throws {
    let good = try picture(.jpeg)
    let block = try ExifBlock()
    try block.fill(Self.metadata, format: .jpeg, isUnchanged: true)
    let exif = try block.bytes()
    let clean = try Data(contentsOf: URL(filePath: try write(good, .jpeg, exif: exif)))
    let filled = try Data(
      contentsOf: URL(filePath: try write(good + [UInt8](repeating: 0, count: 3000), .jpeg, exif: exif)))
    #expect(clean == filled)
  }

  @Test func memoryStaysFlat() throws {
    func resident() throws -> Int {
      let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
      let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") })
      return Int(line.filter(\.isNumber)) ?? 0
    }
    func make(_ count: Int) throws {
      for _ in 0..<count {
        let block = try ExifBlock()
        try block.fill(Self.metadata, format: .jpeg, isUnchanged: true)
        _ = try block.bytes()
      }
    }
    try make(200)
    let before = try resident()
    try make(1000)
    // a block left behind each time would be some megabytes; other tests run beside this one
    #expect(try resident() - before < 2000)
  }
}
