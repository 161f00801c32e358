import CameraProtocol
import Foundation
import TestSupport
import Testing
import Varlink

/// What photos look like as files: formats, metadata, turns and parts; judged by exiftool and ffmpeg.
@Suite struct PhotoFileTests {
  /// The likeness of two pictures in dB, the second one changed by a filter first; infinite for the same.
  private func likeness(_ first: String, _ second: String, _ change: String) throws -> Double {
    let result = try Tool.run([
      "ffmpeg", "-v", "info", "-hide_banner", "-noautorotate", "-i", first, "-noautorotate", "-i", second, "-lavfi",
      "[0]format=yuv444p[a];[1]\(change),format=yuv444p[b];[a][b]psnr", "-f", "null", "-",
    ])
    let average = result.errors.split(separator: "average:").last?.prefix { !$0.isWhitespace } ?? ""
    return average == "inf" ? .infinity : try #require(Double(average), "\(result.errors)")
  }

  /// B36: local time with its offset, whatever the format; a movie's time is the same instant.
  @Test(arguments: ["Asia/Kathmandu", "America/St_Johns", "UTC"]) func saysWhenItWasTaken(zone: String) async throws {
    var setup = TestDaemon.Setup()
    setup.environment["TZ"] = zone
    setup.cameraLines = ["Maker=Acme & Sons", "Model=Nest camera"]
    try await withDaemon(setup) { daemon in
      let client = try daemon.client()
      let offset = try #require(TimeZone(identifier: zone)).secondsFromGMT()
      let text = "\(offset < 0 ? "-" : "+")" + String(format: "%02d:%02d", abs(offset) / 3600, abs(offset) / 60 % 60)
      for format in PhotoFormat.allCases {
        let before = Date.now
        let photo = try client.photo(.init(format: format)).asset
        #expect(photo.format == format && photo.rotation == nil && photo.location == nil)
        #expect(photo.id.hasSuffix(".\(format.fileExtension)"))
        let judge = PhotoJudge(try photo.file())
        #expect(try judge.complaints() == "")
        #expect(try MovieJudge(judge.path).complaints() == "")
        let tags = try judge.tags()
        #expect(photo.time.offset == offset)
        let stamp = "\(photo.time)"  // 2026-11-30T16:51:15.123+05:45
        let date = String(stamp.prefix(19)).replacing("-", with: ":").replacing("T", with: " ")
        for name in ["DateTimeOriginal", "CreateDate", "ModifyDate"] { #expect(tags[name] == date, "\(name)") }
        for name in ["OffsetTime", "OffsetTimeOriginal", "OffsetTimeDigitized"] {
          #expect(tags[name] == text, "\(name)")
        }
        for name in ["SubSecTime", "SubSecTimeOriginal", "SubSecTimeDigitized"] {
          #expect(tags[name] == String(stamp.dropFirst(20).prefix(3)), "\(name)")
        }
        let age = Double(photo.time.seconds) - before.timeIntervalSince1970
        #expect(abs(age) < 3, "\(age)")
        let size = try MovieJudge(judge.path).size()
        #expect(tags["ExifImageWidth"] == "\(size[0])" && tags["ExifImageHeight"] == "\(size[1])")
        #expect(tags["Make"] == "Acme & Sons" && tags["Model"] == "Nest camera")
        #expect(tags["Software"] == "camd \(CameraInterface.version)")
        #expect(tags["Orientation"] == "1" && tags["Flash"] == "32")
      }
      let movie = try #require(try client.record(0.5).asset)
      let made = try movie.judge().entries("format_tags=creation_time")
      let instant = try #require(made.first.flatMap { Timestamp($0) })
      #expect(abs(instant.timeInterval(since: movie.time)) < 1 && movie.time.offset == offset)
    }
  }

  /// The machine's zone is changed while the daemon runs, as a traveller does.
  @Test(.enabled(if: MountSpace.isPossible, "needs a mount space of its own")) func followsTheMachinesZone()
    async throws
  {
    let zones = "/usr/share/zoneinfo"
    let folder = try TestFolder()
    let file = folder.file("localtime")
    try FileManager.default.copyItem(atPath: "\(zones)/Asia/Kathmandu", toPath: file)
    var setup = TestDaemon.Setup()
    setup.shell =
      "unset TZ; exec unshare --mount sh -c 'mount --bind \(file) /etc/localtime && exec \"$0\" \"$@\"' \"$0\" \"$@\""
    try await withDaemon(setup) { daemon in
      let client = try daemon.client()
      let zonesAndOffsets = [("Asia/Kathmandu", "+05:45"), ("Asia/Tokyo", "+09:00"), ("Etc/GMT+3", "-03:00")]
      for (number, (zone, offset)) in zonesAndOffsets.enumerated() {
        // in place: it is the one that is mounted
        let handle = try #require(FileHandle(forWritingAtPath: file))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: try Data(contentsOf: URL(filePath: "\(zones)/\(zone)")))
        try handle.close()
        // the C library looks at the file's time, in whole seconds
        try FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSince1970: Double(number * 1000))], ofItemAtPath: file)
        let photo = try client.photo().asset
        let tags = try PhotoJudge(try photo.file()).tags()
        #expect(tags["OffsetTimeOriginal"] == offset, "\(zone)")
        #expect("\(photo.time)".hasSuffix(offset))
      }
    }
  }

  @Test func qualityCounts() async throws {
    try await withDaemon(.init(camera: Source.video("pattern=zone-plate kx2=20 ky2=20", 640, 480))) { daemon in
      let client = try daemon.client()
      for format in [PhotoFormat.jpeg, .webp] {
        let bytes = try [5, 60, 95].map { try client.photo(.init(format: format, quality: $0)).asset.bytes }
        #expect(bytes[0] < bytes[1] * 2 / 3 && bytes[1] < bytes[2], "\(format): \(bytes)")
      }
      // whatever the quality, no pixel of a PNG is lost
      let pictures = try [1, 100].map { try client.photo(.init(format: .png, quality: $0)).asset.file() }
      #expect(try likeness(pictures[0], pictures[1], "null") == .infinity)
      #expect(throws: (any Error).self) { try client.photo(.init(quality: 101)) }
    }
  }

  /// A camera's own JPEG keeps its picture bit for bit, and what it says of its exposure.
  @Test func goesOnFromACamerasOwnMetadata() async throws {
    let folder = try TemporaryFolder()
    let jpeg = folder.file("frame.jpg")
    let made = try Tool.run([
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=320x240", "-frames:v", "1", "-q:v", "4", jpeg,
    ])
    #expect(made.status == 0, "\(made.errors)")
    let tagged = try Tool.run([
      "exiftool", "-overwrite_original", "-Make=Optica", "-Model=O-1", "-FNumber=2.8", "-ISO=200",
      "-ExposureTime=1/50", "-DateTimeOriginal=1999:01:02 03:04:05", "-Orientation#=8", jpeg,
    ])
    #expect(tagged.status == 0, "\(tagged.errors)")
    let bytes = try Data(contentsOf: URL(filePath: jpeg))
    let camera = try NetworkCamera { _ in Array(bytes) }
    defer { camera.end() }
    try await withDaemon(.init(camera: camera.source("image/jpeg,width=320,height=240,framerate=30/1"))) { daemon in
      let client = try daemon.client()
      let photo = try client.photo().asset
      #expect(photo.rotation == 270 && photo.size == [320, 240])
      let data = try Data(contentsOf: URL(filePath: try photo.file()))
      let scan = Data([0xFF, 0xDA])
      let own = try #require(bytes.range(of: scan)), kept = try #require(data.range(of: scan))
      #expect(data[kept.lowerBound...] == bytes[own.lowerBound...])
      #expect(try photo.judge().checksums("v") == MovieJudge(jpeg).checksums("v"))
      // made anew as another format, or turned, the exposure is still that of the camera
      for wanted in [TakePhoto.Parameters(), .init(format: .png), .init(format: .webp), .init(upright: true)] {
        let photo = try client.photo(wanted).asset
        let judge = PhotoJudge(try photo.file())
        #expect(try judge.complaints() == "")
        let tags = try judge.tags()
        let expected = [
          "Make": "Optica", "Model": "O-1", "FNumber": "2.8", "ISO": "200", "ExposureTime": "0.02",
          "Orientation": wanted.upright == true ? "1" : "8",
        ]
        for (name, value) in expected { #expect(tags[name] == value, "\(name) of \(photo.id)") }
        #expect(tags["DateTimeOriginal"]?.hasPrefix("1999") == false)
        #expect(photo.size == (wanted.upright == true ? [240, 320] : [320, 240]))
      }
    }
  }

  /// B34: a camera that is mounted sideways.
  @Test(arguments: [(90, 6, "transpose=1"), (180, 3, "hflip,vflip"), (270, 8, "transpose=2")])
  func standsUpright(degrees: Int, tag: Int, turn: String) async throws {
    var setup = TestDaemon.Setup()
    setup.cameraLines = ["Rotation=\(degrees)"]
    try await withDaemon(setup) { daemon in
      let client = try daemon.client()
      let upright = degrees == 180 ? [640, 360] : [360, 640]
      let tagged = try client.photo().asset
      #expect(tagged.rotation == degrees && tagged.size == [640, 360])
      #expect(try PhotoJudge(try tagged.file()).tags()["Orientation"] == "\(tag)")
      for format in PhotoFormat.allCases {
        let turned = try client.photo(.init(format: format, upright: true)).asset
        #expect(turned.rotation == nil)
        #expect(turned.size == upright)
        #expect(try turned.judge().size() == upright)
        let judge = PhotoJudge(try turned.file())
        #expect(try judge.complaints() == "")
        let tags = try judge.tags()
        #expect(tags["Orientation"] == "1")
        #expect(tags["ExifImageWidth"] == "\(upright[0])")
        #expect(try likeness(turned.file(), tagged.file(), turn) > 25)
      }
      // a request knows better
      let other = try client.photo(.init(rotation: 0)).asset
      #expect(other.rotation == nil)
      #expect(try PhotoJudge(try other.file()).tags()["Orientation"] == "1")
      for _ in 0..<3 {
        let movie = try #require(try client.record(0.4).asset)
        #expect(movie.rotation == degrees)
        let shown = try movie.judge().entries("stream_side_data=rotation", stream: "v:0").joined()
        let angle = try #require(Int(shown.trimmingCharacters(in: CharacterSet(charactersIn: "-0123456789").inverted)))
        #expect((360 - angle) % 360 == degrees, "\(shown)")
      }
      // where the container can't say it, the pixels are turned
      for settings in [MovieSettings(container: .webm), .init(container: .matroska)] {
        let status = try client.start(.medium, settings: settings)
        pass(0.5)
        let movie = try #require(try client.stop().asset)
        #expect(movie.rotation == nil && movie.size == upright)
        #expect([status.width, status.height] == upright)
        #expect(try movie.judge().size() == upright)
        #expect(try likeness(movie.file(), tagged.file(), "\(turn),scale=\(upright[0]):\(upright[1])") > 20)
      }
      #expect(try refusal { try client.photo(.init(rotation: 45)) } == .valueOutOfRange)
    }
  }

  @Test(arguments: [
    Rectangle(x: 0, y: 0, width: 640, height: 360), .init(x: 100, y: 50, width: 200, height: 120),
    .init(x: 33, y: 17, width: 61, height: 45), .init(x: 639, y: 359, width: 1, height: 1),
  ]) func cutsAPartOut(crop: Rectangle) async throws {
    try await withDaemon { daemon in
      let client = try daemon.client()
      let events = try daemon.events([.photoSaved])
      for format in [PhotoFormat.png, .jpeg] {
        let reply = try client.photo(.init(format: format, crop: crop))
        #expect(reply.crop == crop)
        let edited = try #require(reply.edited)
        #expect(reply.asset.size == [640, 360] && edited.size == [crop.width, crop.height])
        #expect(edited.parent == reply.asset.id && reply.asset.parent == nil && edited.time == reply.asset.time)
        let judge = PhotoJudge(try edited.file())
        #expect(try judge.complaints() == "")
        let tags = try judge.tags()
        #expect(tags["ExifImageWidth"] == "\(crop.width)" && tags["ExifImageHeight"] == "\(crop.height)")
        #expect(try edited.judge().size() == [crop.width, crop.height])
        let same = try likeness(
          edited.file(), reply.asset.file(),
          "format=rgb24,crop=\(crop.width):\(crop.height):\(crop.x):\(crop.y):exact=1")
        // a decoder of 4:2:0 takes the colour of the neighbours into account, and a part has other neighbours
        #expect(same > (format == .png ? 30 : 22), "\(format): \(same)")
        #expect(try events.next(.photoSaved).asset == reply.asset)
        #expect(try events.next(.photoSaved).asset == edited)
      }
      #expect(try daemon.album().count == 4)
    }
  }

  @Test func refusesAPartThatLeavesThePicture() async throws {
    var setup = TestDaemon.Setup()
    setup.cameraLines = ["Rotation=90"]
    try await withDaemon(setup) { daemon in
      let client = try daemon.client()
      let wrong = [
        Rectangle(x: 0, y: 0, width: 0, height: 10), .init(x: 0, y: 0, width: 10, height: -1),
        .init(x: -1, y: 0, width: 10, height: 10), .init(x: 600, y: 0, width: 41, height: 10),
        .init(x: 640, y: 0, width: 1, height: 1), .init(x: 1, y: 1, width: .max, height: .max),
        .init(x: .max, y: 0, width: 1, height: 1),
      ]
      for crop in wrong { #expect(try refusal { try client.photo(.init(crop: crop)) } == .valueOutOfRange, "\(crop)") }
      let tall = Rectangle(x: 10, y: 400, width: 50, height: 200)
      let error = try cameraError { try client.photo(.init(crop: tall)) }
      #expect(error?.kind == .valueOutOfRange && error?.detail.message.contains("640x360") == true)
      #expect(try daemon.album() == [])
      // of the picture as it is stored, and that one is turned
      let photo = try client.photo(.init(upright: true, crop: tall))
      #expect(photo.asset.size == [360, 640] && photo.edited?.size == [50, 200])
    }
  }

  @Test func handsEveryFormatOver() async throws {
    try await withDaemon { daemon in
      func camctl(_ words: String...) throws -> Tool.Result {
        try Tool.run(["env", "CAMD_SOCKET=\(daemon.socket)", try Program.path("camctl")] + words, deadline: 30)
      }
      for (name, type) in [("a.jpg", "JPEG"), ("b.png", "PNG"), ("c.webp", "Extended WEBP")] {
        let file = daemon.folder.file(name)
        #expect(try camctl("photo", "--no-album", "-o", file).output == "\(file)\n")
        #expect(try PhotoJudge(file).tags()["FileType"] == type)
        #expect(try PhotoJudge(file).complaints() == "")
        #expect(try PhotoJudge(file).tags()["SubSecTimeOriginal"] != nil)
      }
      let part = daemon.folder.file("part.webp")
      let words = ["--crop", "31x20+3+2", "--format", "webp", "--upright", "--rotation", "90"]
      let shell =
        "CAMD_SOCKET=\(daemon.socket) \(try Program.path("camctl")) photo --no-album -o - \(words.joined(separator: " "))"
      #expect(try Tool.run(["sh", "-c", "\(shell) > \(part)"]).status == 0)
      #expect(try MovieJudge(part).size() == [31, 20])
      #expect(try PhotoJudge(part).complaints() == "")
      #expect(try daemon.album() == [])
      let both = try camctl("photo", "--crop", "31x20+3+2", "--format", "png").output.split(separator: "\n")
      #expect(both.count == 2 && both.allSatisfy { $0.hasSuffix(".png") })
      #expect(try daemon.album().count == 2)
      #expect(try camctl("photo", "--format", "gif").status == 2)
      #expect(try camctl("photo", "--crop", "31x20+700+2").status == 1)
    }
  }

  /// A thousand photos of all kinds leave the daemon as large as it was.
  @Test func memoryStaysFlat() async throws {
    try await withDaemon(.init(camera: Source.video("pattern=ball", 160, 120))) { daemon in
      let client = try daemon.client()
      try client.call(SetLocation.self, .init(latitude: -33.8688, longitude: 151.2093, altitude: 12))
      func take(_ count: Int) throws {
        for number in 0..<count {
          let format = PhotoFormat.allCases[number / 50 % 3]
          let reply = try client.reply(TakePhoto.self, .init(format: format, album: false, descriptor: true))
          _ = reply.takeDescriptor(at: 0)
        }
      }
      try take(300)
      let before = try daemon.process.statusNumber("RssAnon")
      try take(1000)
      let growth = try daemon.process.statusNumber("RssAnon") - before
      #expect(growth < 4096, "\(growth) KiB")
    }
  }
}

/// A mount space of its own for a process.
enum MountSpace {
  static let isPossible: Bool =
    (try? Tool.run(["unshare", "--mount", "mount", "--bind", "/etc/hostname", "/etc/hostname"]).status) == 0
}
