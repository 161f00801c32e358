import CameraProtocol
import TestSupport
import Testing

@testable import camd

@Suite struct ConfigurationTests {
  private func parse(_ text: String) throws -> Configuration {
    try Configuration(Array(text.utf8), file: "camd.conf", home: "/home/ada")
  }

  private func location(_ line: Int) -> Configuration.Location { .init(file: "camd.conf", line: line) }

  @Test func aWholeFileIsRead() throws {
    let configuration = try parse(
      """
      # The bird house.
      [Daemon]
      Library = /srv/birds
      IdleTimeout=1min 30s

      [Camera nest]
      Source=videotestsrc is-live=true pattern=ball ! video/x-raw,format=I420,width=1920,height=1080,framerate=30/1
      Position=rear
      ; The one at the door.
      [Camera door]
      Device=/dev/v4l/by-id/usb-A_Camera-video-index0
      [Microphone nest]
      Device=hw:1,0
      [Microphone tone]
      Source=audiotestsrc is-live=true
      """)
    let fragment =
      "videotestsrc is-live=true pattern=ball ! video/x-raw,format=I420,width=1920,height=1080,framerate=30/1"
    #expect(configuration.library == "/srv/birds")
    #expect(configuration.idleTimeout == 90)
    #expect(
      configuration.cameras == [
        .init(name: "nest", source: .fragment(fragment), position: .rear, location: location(7)),
        .init(
          name: "door", source: .device("/dev/v4l/by-id/usb-A_Camera-video-index0"), position: nil,
          location: location(11)),
      ])
    #expect(
      configuration.microphones == [
        .init(name: "nest", source: .device("hw:1,0"), location: location(13)),
        .init(name: "tone", source: .fragment("audiotestsrc is-live=true"), location: location(15)),
      ])
  }

  @Test func readsWhatTheAlbumKeeps() throws {
    let album = try parse("[Library]\nMaxAge=30days\nMaxSize=1.5G\nReserve=128M\nRemoveOldest=yes\n").album
    #expect(
      album == .init(maxAge: 2_592_000, maxSize: 1_610_612_736, reserve: 134_217_728, removesOldest: true))
    #expect(try parse("[Library]\nMaxAge=infinity\nMaxSize=4096\n").album == .init(maxAge: .infinity, maxSize: 4096))
    #expect(try parse("").album == .init())
    for size in ["10MB", "-1", "", "1,5G", ".5G", "5.", "G", "1e3", "99999999T", "nan"] {
      #expect(ByteSize.bytes(size) == nil, "\(size)")
    }
    #expect(ByteSize.bytes("0") == 0 && ByteSize.bytes("2K") == 2048 && ByteSize.bytes("0.5T") == 549_755_813_888)
  }

  @Test func readsWhatFilesAreToSay() throws {
    let configuration = try parse(
      "[Camera a]\nSource=x\nRotation=270\nMaker=Acme & Sons\nModel=N 1\n[Location]\nGeotag=No\nMaxAge=1min\n")
    #expect(configuration.cameras.first?.rotation == 270)
    #expect(configuration.cameras.first?.maker == "Acme & Sons" && configuration.cameras.first?.model == "N 1")
    #expect(configuration.place == .init(geotag: false, maxAge: 60))
    #expect(try parse("[Location]\n").place == .init(geotag: true, maxAge: nil))
  }

  @Test(arguments: ["", "\n\n", "# only a comment", "[Daemon]\n", "\u{FEFF}[Daemon]\r\n"])
  func nothingIsAConfiguration(text: String) throws {
    #expect(try parse(text) == Configuration())
  }

  /// What a value may look like: the text of `Source=` and what is read of it.
  @Test(arguments: [
    ("a  !  b", "a  !  b"), ("filesrc location=a=b#c;d", "filesrc location=a=b#c;d"), ("a ! b # c", "a ! b # c"),
    ("\"quoted\"", "\"quoted\""), ("  spaces \t", "spaces"), ("a \\\n  ! b", "a  ! b"),
    ("a \\\n# comment\n! b \\\n;comment \\\n! c", "a  ! b  ! c"), ("a \\\r\n! b\r", "a  ! b"), ("é ! ü", "é ! ü"),
  ])
  func valuesAreTakenAsTheyAre(text: String, value: String) throws {
    let configuration = try parse("[Camera a]\nSource=\(text)\nPosition=front\n")
    #expect(configuration.cameras.first?.source == .fragment(value))
    #expect(configuration.cameras.first?.position == .front)
    #expect(configuration.cameras.first?.location == location(2))
  }

  @Test func aRepeatedSectionGoesOn() throws {
    let configuration = try parse(
      "[Camera a]\nSource=x\n[Camera b]\nSource=y\n[Camera  a]\nPosition=front\n[Daemon]\nLibrary=~/birds\n")
    #expect(configuration.cameras.map(\.name) == ["a", "b"])
    #expect(configuration.cameras.map(\.position) == [.front, nil])
    #expect(configuration.library == "/home/ada/birds")
  }

  @Test func aLightIsANameOrAPath() throws {
    let configuration = try parse(
      "[Camera a]\nSource=x\nFlash=white:flash\nFlashThreshold=32.5\n[Camera b]\nSource=x\nFlash=/tmp/led\n")
    #expect(
      configuration.cameras.map(\.flash) == [
        .init(path: "/sys/class/leds/white:flash", threshold: 32.5, location: location(3)),
        .init(path: "/tmp/led", threshold: nil, location: location(7)),
      ])
  }

  /// A file and the one thing that is wrong with it.
  @Test(arguments: [
    (
      "[Camera a]\nSource=x\nPositon=front", 3,
      "unknown key 'Positon' in [Camera a]; known keys: Device, Source, Position, Flash, FlashThreshold, "
        + "Maker, Model, Rotation"
    ),
    ("[Camera a]\nSource=x\nRotation=45", 3, "Rotation=45 is not 0, 90, 180 or 270"),
    ("[Location]\nGeotag=perhaps", 2, "Geotag=perhaps is neither yes nor no"),
    ("[Location]\nMaxAge=-1", 2, "MaxAge=-1 is not a time span such as 30, 30s, 5min or infinity"),
    ("[Location]\nRotation=90", 2, "unknown key 'Rotation' in [Location]; known keys: Geotag, MaxAge"),
    ("[Daemon]\nlibrary=/x", 2, "unknown key 'library' in [Daemon]; known keys: Library, IdleTimeout, Discover"),
    (
      "[Microphone a]\nSource=x\nPosition=front", 3,
      "unknown key 'Position' in [Microphone a]; known keys: Device, Source"
    ),
    ("[Camera]\nSource=x", 1, "[Camera] has no name; write [Camera NAME]"),
    ("[Camera a/b]\nSource=x", 1, "the name in [Camera a/b] has more than 64 bytes, a '/' or a control character"),
    (
      "\n[Cam a]\nSource=x\nMore=y", 2,
      "unknown section [Cam a]; known sections: [Daemon], [Location], [Library], [Camera NAME], [Microphone NAME]"
    ),
    (
      "[Daemon x]\nLibrary=/x", 1,
      "unknown section [Daemon x]; known sections: [Daemon], [Location], [Library], [Camera NAME], [Microphone NAME]"
    ),
    ("[Camera a\nSource=x", 1, "the section's header does not end with ']'"),
    ("Library=/x\n[Daemon]", 1, "'Library' stands before any section"),
    ("[Daemon]\nLibrary", 2, "'Library' is neither a section's header nor KEY=VALUE"),
    ("[Daemon]\n=x", 2, "'=x' is neither a section's header nor KEY=VALUE"),
    ("[Camera a]\n", 1, "[Camera a] needs Device= or Source="),
    ("[Camera a]\nDevice=/dev/video0\nSource=x", 3, "[Camera a] has Device= and Source=; one is enough"),
    ("[Camera a]\nSource=x\n[Camera a]\nSource=y", 4, "'Source' in [Camera a] is set already in line 2"),
    ("[Camera a]\nSource=", 2, "'Source' in [Camera a] has no value"),
    ("[Camera a]\nDevice=video0", 2, "Device=video0 in [Camera a] is neither an absolute path nor the id of a camera"),
    ("[Camera a]\nSource=x\nPosition=back", 3, "Position=back is not one of: front, rear, external"),
    (
      "[Camera a]\nSource=x\nFlash=leds/a", 3, "Flash=leds/a in [Camera a] is neither a LED's name nor an absolute path"
    ),
    ("[Camera a]\nSource=x\nFlash=", 3, "'Flash' in [Camera a] has no value"),
    ("[Camera a]\nSource=x\nFlash=a\nFlashThreshold=256", 4, "FlashThreshold=256 is not a number from 0 to 255"),
    ("[Camera a]\nSource=x\nFlash=a\nFlashThreshold=nan", 4, "FlashThreshold=nan is not a number from 0 to 255"),
    ("[Camera a]\nSource=x\nFlashThreshold=40", 3, "FlashThreshold= in [Camera a] needs Flash="),
    ("[Daemon]\nLibrary=birds", 2, "Library=birds is not an absolute path"),
    ("[Daemon]\nIdleTimeout=soon", 2, "IdleTimeout=soon is not a time span such as 30, 30s, 5min or infinity"),
    ("[Daemon]\nDiscover=maybe", 2, "Discover=maybe is neither yes nor no"),
    ("[Daemon]\nLibrary=/x\0y", 2, "the line is not UTF-8 text"),
    ("[Daemon]\nLibrary=/x \\", 2, "the file ends in a line that goes on (backslash)"),
  ])
  func mistakesAreNamed(text: String, line: Int, reason: String) {
    #expect(throws: ConfigurationError(problems: [.init(file: "camd.conf", line: line, reason: reason)])) {
      try parse(text)
    }
  }

  @Test func allMistakesAreReportedAtOnceInOrder() throws {
    let error = try refusal(ConfigurationError.self) {
      _ = try parse("[Daemon]\nLibary=/x\nIdleTimeout=-1\n[Camera a]\nPosition=up\nnonsense\n[Camera b]\nSource=x\n")
    }
    #expect(
      error.description == """
        camd.conf:2: unknown key 'Libary' in [Daemon]; known keys: Library, IdleTimeout, Discover
        camd.conf:3: IdleTimeout=-1 is not a time span such as 30, 30s, 5min or infinity
        camd.conf:4: [Camera a] needs Device= or Source=
        camd.conf:5: Position=up is not one of: front, rear, external
        camd.conf:6: 'nonsense' is neither a section's header nor KEY=VALUE
        """)
  }

  @Test func bytesThatAreNoTextAreAMistakeOfTheirLine() {
    let bytes = Array("[Daemon]\nLibrary=/".utf8) + [0xFF, 0xFE] + Array("\nIdleTimeout=5\n".utf8)
    #expect(
      throws: ConfigurationError(problems: [.init(file: "f", line: 2, reason: "the line is not UTF-8 text")])
    ) { try Configuration(bytes, file: "f") }
  }

  @Test(arguments: [
    ("30", 30), ("0", 0), ("30s", 30), ("1.5 s", 1.5), ("250ms", 0.25), ("5min", 300), ("1h 5min 20s", 3920),
    ("2d", 172_800),
    ("infinity", Double.infinity),
  ])
  func timeSpans(text: String, seconds: Double) { #expect(TimeSpan.seconds(text) == seconds) }

  @Test(arguments: ["", "s", "-5", "5x", "5.", "1e3", "0x10", "nan", "inf", "5 min!", "1,5s"])
  func noTimeSpans(text: String) { #expect(TimeSpan.seconds(text) == nil) }

  @Test func theFileIsSearchedAndAMissingDefaultIsEmpty() throws {
    try withTemporaryFolder { folder in
      let environment = Environment(variables: ["XDG_CONFIG_HOME": folder, "HOME": folder], userID: 1000)
      #expect(Paths.configurations(environment: environment) == ["\(folder)/camd/camd.conf", "/etc/camd/camd.conf"])
      let file = "\(folder)/camd/camd.conf"
      try writeFile("[Daemon]\nIdleTimeout=7\n", to: file)
      #expect(try Configuration.load(option: nil, environment: environment).idleTimeout == 7)

      let reason = "can't be read: No such file or directory"
      #expect(throws: ConfigurationError(problems: [.init(file: "\(folder)/none", line: nil, reason: reason)])) {
        try Configuration.load(option: "\(folder)/none", environment: environment)
      }
      #expect(
        throws: ConfigurationError(problems: [.init(file: folder, line: nil, reason: "can't be read: Is a directory")])
      ) { try Configuration.load(option: folder, environment: environment) }
    }
    let root = Environment(variables: ["XDG_CONFIG_HOME": "/nowhere"], userID: 0)
    #expect(Paths.configurations(environment: root) == ["/etc/camd/camd.conf"])
  }
}
