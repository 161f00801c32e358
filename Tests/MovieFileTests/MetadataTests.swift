import Foundation
import MovieFile
import TestSupport
import Testing

@Suite struct MetadataTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder(inMemory: true) }

  static let metadata = MovieMetadata(
    creationTime: 1_796_036_775, localDate: "2026-11-30T16:51:15.123+05:45", rotation: .right,
    location: Location(latitude: -33.8688, longitude: 151.2093, altitude: 39), maker: "Ünïcode GmbH", model: "Eye 3",
    software: "camd 0.1.0", camera: "usb-1.2/é")

  @Test func whatIsWrittenIsRead() throws {
    let path = folder.file("movie.mp4")
    try MovieMaker().record(to: path)
    let movie = try finish(path, Self.metadata)
    #expect(movie.width == 120 && movie.height == 160)
    let description = try MovieFile.read(path: path)
    #expect(description.metadata == Self.metadata)
    #expect(!description.isFragmented)
    #expect(description.tracks.map(\.codec) == ["avc1", "mp4a"])
    #expect(description.video?.sampleCount == 90)
    #expect(description.video?.width == 160)
    #expect(description.duration == movie.duration)
  }

  @Test func otherProgramsReadItToo() throws {
    let path = folder.file("movie.mp4")
    try MovieMaker().record(to: path)
    try finish(path, Self.metadata)
    let tags = try MovieJudge(path).entries("format_tags").joined()
    for text in ["2026-11-30T11:06:15.000000Z", "-33.8688+151.2093+039.000/", "Ünïcode GmbH", "Eye 3", "usb-1.2/é"] {
      #expect(tags.contains(text), "\(text) is missing in \(tags)")
    }
    let exif = try Tool.run(
      ["exiftool", "-n", "-s3", "-CreateDate", "-Rotation", "-GPSLatitude", "-CreationDate", "-Model", path])
    let lines = exif.output.split(separator: "\n").map(String.init)
    #expect(lines == ["2026:11:30 11:06:15", "90", "-33.8688", "2026:11:30 16:51:15.123+05:45", "Eye 3"])
    let warnings = try Tool.run(["exiftool", "-validate", "-warning", "-a", "-s3", path])
    #expect(warnings.output == "OK\n")
  }

  @Test(arguments: Rotation.allCases) func playersTurnThePicture(rotation: Rotation) throws {
    let path = folder.file("movie.mp4")
    var maker = MovieMaker()
    maker.frames = 10
    try maker.record(to: path)
    try finish(path, MovieMetadata(rotation: rotation))
    #expect(try MovieFile.read(path: path).metadata.rotation == rotation)
    let frame = try Tool.run(["ffmpeg", "-v", "error", "-i", path, "-frames:v", "1", "-f", "yuv4mpegpipe", "-"])
    let isTurned = rotation == .left || rotation == .right
    #expect(frame.output.prefix(40).contains(isTurned ? "W120 H160" : "W160 H120"))
    let exif = try Tool.run(["exiftool", "-s3", "-n", "-Rotation", path])
    #expect(exif.output == "\(rotation.rawValue)\n")
  }

  @Test func timesBeyondThirtyTwoBits() throws {
    let path = folder.file("movie.mp4")
    try MovieMaker().record(to: path)
    let time = 4_102_444_800  // the year 2100, beyond 2040 where 32 bits end
    try finish(path, MovieMetadata(creationTime: time))
    #expect(try MovieFile.read(path: path).metadata.creationTime == time)
    #expect(try MovieJudge(path).entries("format_tags=creation_time") == ["2100-01-01T00:00:00.000000Z"])
    #expect(try MovieJudge(path).complaints() == "")
  }

  @Test(arguments: ["+33.8688+151.2093/", "-00.0001-000.0001+8848.860/", "+48.1374+011.5755-002.500/"])
  func placesSurvive(text: String) throws {
    let path = folder.file("movie.mp4")
    var maker = MovieMaker()
    maker.frames = 5
    try maker.record(to: path)
    let numbers = text.dropLast().split(whereSeparator: { $0 == "+" || $0 == "-" }).compactMap { Double($0) }
    let signs = text.filter { $0 == "+" || $0 == "-" }.map { $0 == "-" ? -1.0 : 1.0 }
    let values = zip(numbers, signs).map(*)
    let location = Location(latitude: values[0], longitude: values[1], altitude: values.count > 2 ? values[2] : nil)
    try finish(path, MovieMetadata(location: location))
    #expect(try MovieJudge(path).entries("format_tags=location") == [text])
    #expect(try MovieFile.read(path: path).metadata.location == location)
  }
}
