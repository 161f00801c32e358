import CameraProtocol
import Foundation
import TestSupport
import Testing
import Varlink

/// Where the machine is, and what captures say of it.
@Suite struct LocationTests {
  private func camctl(_ daemon: TestDaemon, _ words: String...) throws -> Tool.Result {
    try Tool.run(
      ["env", "CAMD_SOCKET=\(daemon.socket)", try Program.path("camctl"), "location"] + words, deadline: 30)
  }

  @Test(arguments: [(-33.8688, 151.2093, 39.5), (0.0, -0.0001, -12.25), (90, 180, 8848)])
  func isInEveryCapture(latitude: Double, longitude: Double, altitude: Double) async throws {
    try await withDaemon { daemon in
      let client = try daemon.client()
      #expect(try client.call(GetLocation.self, Nothing()).location == nil)
      #expect(try client.photo().asset.location == nil)
      let set = try camctl(daemon, "set", "\(latitude)", "\(longitude)", "\(altitude)")
      #expect(set.status == 0 && set.output == "\(latitude) \(longitude) \(altitude)\n", "\(set)")
      let place = Coordinates(latitude: latitude, longitude: longitude, altitude: altitude)
      for format in PhotoFormat.allCases {
        let photo = try client.photo(.init(format: format, crop: .init(x: 1, y: 2, width: 30, height: 20)))
        for asset in [photo.asset, try #require(photo.edited)] {
          #expect(asset.location == place)
          let judge = PhotoJudge(try asset.file())
          #expect(try judge.complaints() == "")
          let position = try judge.position()
          #expect(abs(position.latitude - latitude) < 1e-6 && abs(position.longitude - longitude) < 1e-6)
          #expect(try abs(#require(position.altitude) - altitude) < 0.002)
          // the moment of the photo, in UTC
          let tags = try judge.tags()
          let utc = Timestamp(seconds: asset.time.seconds, nanoseconds: asset.time.nanoseconds)
          #expect(tags["GPSDateStamp"] == String("\(utc)".prefix(10)).replacing("-", with: ":"))
          #expect(tags["GPSTimeStamp"]?.prefix(8) == "\(utc)".dropFirst(11).prefix(8))
        }
      }
      let movie = try #require(try client.record(0.4).asset)
      let written = try movie.judge().entries("format_tags=location").joined()
      let numbers = written.split { !"+-.0123456789".contains($0) }.first.map(String.init) ?? ""
      #expect(numbers.hasPrefix(latitude < 0 ? "-33.8688+151.2093+039.5" : "+"), "\(written)")
      let kept = try #require(movie.location)
      #expect(abs(kept.latitude - latitude) < 1e-4 && abs(kept.longitude - longitude) < 1e-4)
      #expect(try camctl(daemon, "clear").status == 0)
      #expect(try client.photo().asset.location == nil)
      let shown = try camctl(daemon, "show")
      #expect(shown.status == 0 && shown.output == "" && shown.errors == "camctl: no position is known\n")
    }
  }

  @Test func refusesWhatIsNotOnEarth() async throws {
    try await withDaemon { daemon in
      let client = try daemon.client()
      let place = SetLocation.Parameters(latitude: 10, longitude: 20)
      let before = try client.call(SetLocation.self, place).location
      for source in LocationSource.allCases {
        for wrong in [
          SetLocation.Parameters(latitude: 90.001, longitude: 0, source: source),
          .init(latitude: -91, longitude: 0, source: source), .init(latitude: 0, longitude: 180.5, source: source),
          .init(latitude: 0, longitude: 1e300, source: source),
          .init(latitude: 0, longitude: 0, altitude: 1e6, source: source),
          .init(latitude: 0, longitude: 0, accuracy: -1, source: source),
        ] {
          let error = try cameraError { try client.call(SetLocation.self, wrong) }
          #expect(error?.kind == .valueOutOfRange, "\(wrong)")
        }
      }
      #expect(try client.call(GetLocation.self, Nothing()).location == before)
      for words in [["set", "1"], ["set", "1", "x"], ["set", "1", "2", "nan"], ["set", "1", "2", "3", "4"]] {
        let result = try Tool.run(
          ["env", "CAMD_SOCKET=\(daemon.socket)", try Program.path("camctl"), "location"] + words)
        #expect(result.status == 2, "\(words)")
      }
      #expect(try camctl(daemon, "set", "-91", "0").status == 1)
    }
  }

  @Test func outlivesTheDaemonWhereItWasSetByHand() async throws {
    try await Turn.take {
      let folder = try TestFolder()
      for (number, place) in [SetLocation.Parameters(latitude: 1.5, longitude: -2.25), nil, nil].enumerated() {
        let daemon = try TestDaemon(.init(), in: folder)
        let client = try daemon.client()
        let before = try client.call(GetLocation.self, Nothing()).location
        #expect(before?.latitude == (number == 1 ? 1.5 : nil))
        if let place { try client.call(SetLocation.self, place) }
        try client.call(SetLocation.self, .init(latitude: 3, longitude: 3, source: .live))
        #expect(try client.call(GetLocation.self, Nothing()).location?.latitude == 3)
        if number == 1 { try client.call(ClearLocation.self, Nothing()) }
        try daemon.stop()
      }
    }
  }

  /// A position that can't be kept is not taken: it would be another one after a restart.
  @Test func saysWhereItCannotBeKept() async throws {
    let folder = try TestFolder()
    try "".write(toFile: folder.file("file"), atomically: false, encoding: .utf8)
    var setup = TestDaemon.Setup()
    setup.environment["STATE_DIRECTORY"] = folder.file("file")
    try await withDaemon(setup) { daemon in
      let client = try daemon.client()
      let error = try cameraError { try client.call(SetLocation.self, .init(latitude: 1, longitude: 2)) }
      #expect(error?.kind == .libraryUnavailable)
      #expect(error?.detail.path == "\(folder.file("file"))/location.json")
      #expect(try client.call(GetLocation.self, Nothing()).location == nil)
    }
  }

  @Test func isWithheldWhereTheConfigurationSaysSo() async throws {
    var setup = TestDaemon.Setup()
    setup.preface = ["[Location]", "Geotag=no"]
    try await withDaemon(setup) { daemon in
      let client = try daemon.client()
      let reply = try client.call(SetLocation.self, .init(latitude: 1, longitude: 2))
      #expect(!reply.geotag && reply.location?.latitude == 1)
      let photo = try client.photo().asset
      #expect(photo.location == nil)
      #expect(try PhotoJudge(try photo.file()).tags().keys.filter { $0.hasPrefix("GPS") } == [])
      let movie = try #require(try client.record(0.4).asset)
      #expect(movie.location == nil)
      #expect(try movie.judge().entries("format_tags=location") == [])
      #expect(try camctl(daemon, "show").errors.contains("Geotag=no"))
    }
  }

  @Test func aReceiversPositionGetsOld() async throws {
    var setup = TestDaemon.Setup()
    setup.preface = ["[Location]", "MaxAge=5min"]
    try await withDaemon(setup) { daemon in
      let client = try daemon.client()
      try client.call(SetLocation.self, .init(latitude: 1, longitude: 1, time: .now - 1e6))
      func live(age: Double) throws -> Double? {
        try client.call(
          SetLocation.self, .init(latitude: 2, longitude: 2, time: .now - age, source: .live)
        ).location?.latitude
      }
      #expect(try live(age: 290) == 2)
      #expect(try client.photo().asset.location?.latitude == 2)
      #expect(try live(age: 301) == 1, "too old: the one set by hand, which doesn't get old, holds again")
      #expect(try client.photo().asset.location?.latitude == 1)
      #expect(try live(age: -20) == 2, "a receiver's clock may be ahead")
      try client.call(ClearLocation.self, Nothing())
      #expect(try live(age: 301) == nil)
      #expect(try live(age: 299.5) == 2)
      pass(1)
      #expect(try client.call(GetLocation.self, Nothing()).location == nil)
      #expect(try client.photo().asset.location == nil)
    }
  }
}

/// The program that asks gpsd.
@Suite struct PositionFeedTests {
  /// Waits for the daemon to know a latitude: nothing tells of it, so it is asked.
  private func expect(
    latitude: Double, _ client: Client, withAltitude: Bool = false, within seconds: Double = 15,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> GeoLocation? {
    let deadline = Date.now + seconds
    var last: GeoLocation?
    while Date.now < deadline {
      last = try client.call(GetLocation.self, Nothing()).location
      if let last, abs(last.latitude - latitude) < 1e-6, !withAltitude || last.altitude != nil { return last }
      pass(0.02)
    }
    Issue.record("\(latitude) was expected, \(String(describing: last)) it is", sourceLocation: sourceLocation)
    return last
  }

  /// A server that speaks gpsd's protocol: each connection gets what stands in its list, and is closed but for the last.
  private static let server = """
    import json, socket, sys, time
    server = socket.create_server(('127.0.0.1', int(sys.argv[1])))
    connections = json.loads(sys.argv[2])
    for number, lines in enumerate(connections):
      peer, _ = server.accept()
      peer.sendall(b'{"class":"VERSION","release":"3.25","proto_major":3,"proto_minor":15}\\r\\n')
      asked = peer.makefile('rb').readline()
      assert asked == b'?WATCH={"enable":true,"json":true};\\n', asked
      for line in lines: peer.sendall(line.encode() + b'\\r\\n')
      if number == len(connections) - 1: time.sleep(60)
      peer.close()
    """

  private func freePort() throws -> Int {
    let result = try Tool.run([
      "python3", "-c", "import socket; print(socket.create_server(('127.0.0.1', 0)).getsockname()[1])",
    ])
    return try #require(Int(result.output.trimmingCharacters(in: .whitespacesAndNewlines)))
  }

  @Test func explainsItself() throws {
    let program = try Program.path("camd-gpsd")
    let help = try Tool.run([program, "--help"])
    #expect(help.status == 0 && help.output.hasPrefix("Usage: camd-gpsd"))
    #expect(help.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
    #expect(try Tool.run([program, "--version"]).output == "camd-gpsd \(CameraInterface.version)\n")
    for words in [["--gpsd"], ["--gpsd", ":2947"], ["--gpsd", "[::1"], ["--gpsd=host:"], ["--socket="], ["now"]] {
      let refused = try Tool.run([program] + words, deadline: 5)
      #expect(refused.status == 2 && refused.errors.contains("Usage: camd-gpsd"), "\(words): \(refused)")
    }
  }

  @Test func feedsWhatGpsdSaysAndComesBack() async throws {
    try await withDaemon { daemon in
      let client = try daemon.client()
      let port = try freePort()
      let now = "\(Timestamp(seconds: Timestamp.now.seconds))".replacing("+00:00", with: "Z")
      let connections = [
        [
          "no JSON at all", "{\"class\":\"SKY\",\"lat\":1,\"lon\":1,\"mode\":3}",
          "{\"class\":\"TPV\",\"mode\":1,\"lat\":1,\"lon\":1}", "{\"class\":\"TPV\",\"mode\":3,\"lat\":91,\"lon\":1}",
          "{\"class\":\"TPV\",\"mode\":3,\"time\":\"\(now)\",\"lat\":27.715,\"lon\":85.324,\"altMSL\":1337.5,\"eph\":4}",
        ],
        // a receiver of old that is 1024 weeks late, and knows no altitude
        ["{\"class\":\"TPV\",\"mode\":2,\"time\":\"2007-04-15T01:02:03.000Z\",\"lat\":-8.5,\"lon\":2,\"alt\":7}"],
      ]
      let list = String(decoding: try JSONEncoder().encode(connections), as: UTF8.self)
      // first the program, then what it asks
      let feed = try ChildProcess(
        [try Program.path("camd-gpsd"), "--gpsd", "127.0.0.1:\(port)", "--socket", daemon.socket],
        errors: daemon.folder.file("feed"))
      defer { feed.send(SIGTERM) }
      let gpsd = try ChildProcess(
        ["python3", "-c", Self.server, "\(port)", list], errors: daemon.folder.file("gpsd"))
      defer { gpsd.send(SIGKILL) }
      let second = try #require(try expect(latitude: -8.5, client))
      #expect(second.source == .live && second.altitude == nil)
      #expect(abs(second.time.timeInterval(since: .now)) < 30)
      let photo = try client.photo().asset
      #expect(try abs(PhotoJudge(try photo.file()).position().latitude + 8.5) < 1e-6)
      let log = try String(contentsOfFile: daemon.folder.file("feed"), encoding: .utf8)
      #expect(log.contains("camd refuses the position: latitude 91"), "\(log)")
      #expect(log.contains("gpsd: it hung up"), "\(log)")
      #expect(try String(contentsOfFile: daemon.folder.file("gpsd"), encoding: .utf8) == "")
      #expect(feed.isRunning)
    }
  }

  /// The daemon comes and goes; the program stays.
  @Test func waitsForTheDaemon() async throws {
    try await Turn.take {
      let folder = try TestFolder()
      let port = try freePort()
      let report = "{\"class\":\"TPV\",\"mode\":3,\"lat\":12.5,\"lon\":3,\"altMSL\":10}"
      let server = """
        import socket, sys, time
        peer, _ = socket.create_server(('127.0.0.1', int(sys.argv[1]))).accept()
        while True:
          peer.sendall(sys.argv[2].encode() + b'\\n')
          time.sleep(0.2)
        """
      let gpsd = try ChildProcess(["python3", "-c", server, "\(port)", report])
      defer { gpsd.send(SIGKILL) }
      let feed = try ChildProcess(
        [try Program.path("camd-gpsd"), "--gpsd=127.0.0.1:\(port)", "--socket=\(folder.file("s"))"],
        errors: folder.file("feed"))
      defer { feed.send(SIGTERM) }
      for _ in 0..<2 {
        let daemon = try TestDaemon(.init(), in: folder)
        let location = try #require(try expect(latitude: 12.5, try daemon.client()))
        #expect(location.altitude == 10)
        try daemon.stop()
      }
      #expect(feed.isRunning)
    }
  }

  /// The real gpsd, with a receiver that isn't there.
  @Test(.enabled(if: Gpsfake.isPossible, "needs gpsd and gpsd-clients")) func understandsTheRealGpsd() async throws {
    try await withDaemon { daemon in
      let port = try freePort()
      let sentences = (0..<60).flatMap { number -> [String] in
        let second = String(format: "%02d", number)
        return [
          "GPRMC,1106\(second).00,A,2742.9020,N,08519.4500,E,0.0,0.0,301126,,,A",
          "GPGGA,1106\(second).00,2742.9020,N,08519.4500,E,1,08,0.9,1337.0,M,-30.0,M,,",
          "GPGSA,A,3,01,02,03,04,05,06,07,08,,,,,1.8,0.9,1.5",
        ]
      }
      let log = sentences.map { "$\($0)*" + String(format: "%02X", $0.utf8.reduce(0, ^)) + "\r\n" }.joined()
      try log.write(toFile: daemon.folder.file("nmea"), atomically: false, encoding: .utf8)
      let gpsd = try ChildProcess(
        ["gpsfake", "-q", "-c", "0.2", "-P", "\(port)", daemon.folder.file("nmea")],
        errors: daemon.folder.file("gpsfake"))
      // it ends the gpsd that it has started
      defer {
        gpsd.send(SIGINT)
        if gpsd.waitForExit(within: 10) == nil { gpsd.send(SIGKILL) }
      }
      let feed = try ChildProcess(
        [try Program.path("camd-gpsd"), "--gpsd", "localhost:\(port)", "--socket", daemon.socket])
      defer { feed.send(SIGTERM) }
      let client = try daemon.client()
      let location = try #require(try expect(latitude: 27.0 + 42.9020 / 60, client, withAltitude: true, within: 30))
      #expect(abs(location.longitude - (85.0 + 19.45 / 60)) < 1e-6)
      #expect(abs(try #require(location.altitude) - 1337) < 0.1 && location.source == .live)
      #expect(try client.photo().asset.location?.altitude == location.altitude)
    }
  }
}

/// gpsd's own receiver for tests.
enum Gpsfake {
  static let isPossible: Bool = (try? Tool.run(["sh", "-c", "command -v gpsfake && command -v gpsd"]).status) == 0
}
