import CameraProtocol
import Foundation
import TestSupport
import Testing

@testable import camctl

@Suite struct CommandLineTests {
  private func parse(_ line: String) throws -> CommandLineWords {
    try CommandLineWords(line.split(separator: " ").map(String.init))
  }

  /// The message that a command line is refused with.
  private func refusal(_ line: String) -> String? {
    do throws(UsageError) {
      let words = try CommandLineWords(line.split(separator: " ").map(String.init))
      _ = try words.command?.make(words)
      _ = try Context(words)
      return nil
    } catch { return error.message }
  }

  @Test(arguments: [
    "photo --burst 10 --timer 3s --format png", "photo --timer 5 -o x.png", "shutter", "timelapse stop",
    "timelapse start --interval 5s --for 1h", "timelapse start --interval 1m --movie --rate 25 --quality high",
    "photo", "photo -o x.jpg", "photo -ox.jpg --quality=50", "photo --output - --no-album", "photo -o x --",
    "record start", "record start --quality 720p --max-duration 1.5m --no-audio", "record stop", "record cancel",
    "edit trim 1 2", "edit trim a.mp4 0:01 -0:10", "edit trim -5 end --json", "edit crop 640x480+0+0 --rotate 90",
    "edit crop a.jpg 1x1+2+3", "edit rotate 270", "edit rotate a.jpg 90", "edit transcode low",
    "edit transcode a.mp4 720p --max-duration 1m", "edit list", "edit cancel 3", "edit can a.mp4",
    "record stop --trim 1 -0:01", "record stop --trim=-5 end",
    "record --for 10s", "--json record --for 1h --quality low", "record --json stop --camera a", "mode", "mode video",
    "record start --container webm --video-codec vp9 --audio-codec opus", "record --for 3 --audio-only --container ogg",
    "record start --size 1280x720 --rate 12.5 --bit-rate 4M", "record start --bit-rate 800k",
    "preview", "preview --format raw", "status", "watch", "camera list", "camera --json list", "mic list",
    "--camera front --socket=/x status", "control list", "control set a=1 b=-2.5 --persist c=auto --camera x",
    "library list", "library list --type photo,movie --since 2d --until 2026-11-30 --near -33.9,151.2,5 --favorites",
    "library list --since 2026-11-30T11:00:00+05:45 --limit 1000 --after x --origin edited --json --camera front",
    "library list --trash", "library show", "library path a", "library open a", "library rm a b c --now",
    "library restore a", "library favorite --off a b", "library empty-trash", "library rescan --json",
    "library retention --dry-run",
    "control reset", "control reset a b", "control point 0.5 1 --no-focus", "status --json --json",
  ])
  func understands(line: String) throws {
    #expect(refusal(line) == nil)
    #expect(try parse(line).command != nil)
  }

  @Test(arguments: [
    ("", "no command; 'camctl help' lists them"),
    ("shoot", "unknown command 'shoot'; 'camctl help' lists them"),
    ("photo --bogus", "unknown option '--bogus' of 'photo'"),
    ("photo -x", "unknown option '-x' of 'photo'"),
    ("--quality 5 photo", "unknown option '--quality'"),
    ("photo extra", "unexpected word 'extra' behind 'photo'"),
    ("photo -o", "'-o' needs a value"),
    ("photo --quality 101", "'101' is no value of '--quality': expected a number from 1 to 100"),
    ("photo --quality high", "'high' is no value of '--quality': expected a number from 1 to 100"),
    ("photo --no-album", "'--no-album' needs '-o': nobody would get the picture"),
    ("photo --no-album=yes", "'--no-album' takes no value"),
    ("photo --json -o -", "'--json' and '-o -' both need standard output; write the picture to a file"),
    ("photo --burst 1001", "'1001' is no value of '--burst': expected a number from 1 to 1000"),
    ("photo --burst 2 -o x", "'--output' does not go with '--burst', whose photos are kept in the album"),
    ("timelapse start", "'timelapse start' needs '--interval'"),
    ("timelapse start --interval 1 --rate 5", "'--rate' is of the movie; it needs '--movie'"),
    ("record", "'record' needs '--for', or 'start', 'stop' or 'cancel' behind it"),
    ("record hide", "unknown command 'record hide'; 'camctl help record' tells more"),
    ("edit trim 1", "'edit trim' needs START and END, such as 2.5 1:30"),
    ("edit trim 2 1", "nothing lies between '2' and '1': the end is not behind the start"),
    ("edit rotate 45", "a photo is turned by 90, 180 or 270 degrees, not by '45'"),
    ("edit crop 640x480", "'640x480' is no part of a picture: expected WIDTHxHEIGHT+X+Y, such as 640x480+100+50"),
    ("record stop --trim 3", "'--trim' needs START and END, such as 2.5 -1"),
    ("record stop --for 3", "unknown option '--for' of 'record stop'"),
    ("record start --for 3", "unknown option '--for' of 'record start'"),
    ("record --for 0", "'--for' needs more than nothing"),
    (
      "record start --quality best",
      "'best' is no value of '--quality': expected low, medium, high, 640x480, 720p, 1080p"
    ),
    (
      "record start --container avi",
      "'avi' is no value of '--container': expected mp4, matroska, webm, ogg"
    ),
    (
      "record start --size 641x480",
      "'641x480' is no value of '--size': expected a width and a height, both even: 1280x720"
    ),
    (
      "record start --bit-rate 5",
      "'5' is no value of '--bit-rate': expected bits a second from 10k on, such as 4M"
    ),
    ("record start --rate 0", "'0' is no value of '--rate': expected frames a second, such as 25"),
    (
      "record start --max-duration -1",
      "'-1' is no value of '--max-duration': expected a duration such as 10, 10s, 1.5m or 1h"
    ),
    ("mode film", "'film' is no mode: expected photo or video"),
    ("mode photo video", "unexpected word 'video' behind 'mode'"),
    ("preview --json", "'--json' and 'preview' both need standard output"),
    ("camera", "'camera' needs one more word: 'camera list' or 'camera show' or 'camera use'"),
    ("camera hide", "unknown command 'camera hide'; there is 'camera list' or 'camera show' or 'camera use'"),
    ("control", "'control' needs one more word: 'control list' or 'control set' or 'control reset' or 'control point'"),
    ("control set", "'control set' needs NAME=VALUE behind it"),
    ("control set gain", "'gain' is not NAME=VALUE"),
    ("control set a=1 =2", "'=2' is not NAME=VALUE"),
    ("control set gain=", "'gain=' is not NAME=VALUE"),
    ("control reset gain --persist", "unknown option '--persist' of 'control reset'"),
    ("control point 0.5", "'control point' needs two numbers from 0 to 1 behind it"),
    ("control point 0.5 1.5", "'control point' needs two numbers from 0 to 1 behind it"),
    ("control point 0 0 --no-focus --no-exposure", "'--no-focus' and '--no-exposure' together leave nothing to do"),
    ("library rm", "'library rm' needs the id of an asset behind it"),
    ("library list --limit 0", "'0' is no value of '--limit': expected a number from 1 to 1000"),
    ("library list --type film", "'film' is no value of '--type': expected photo, movie or audio"),
    (
      "library list --since tomorrow",
      "'tomorrow' is no value of '--since': expected a date (2026-11-30), a time (2026-11-30T11:00:00Z) or an age (12h, 2d)"
    ),
    (
      "library list --near 91,0",
      "'91,0' is no value of '--near': expected a latitude, a longitude and kilometres: 27.7,85.3,5"
    ),
    ("library list --trash --damaged", "'--trash' and '--damaged' are two lists; take one"),
    ("library show a b", "unexpected word 'b' behind 'library show'"),
    ("status --camera=", "'' is no value of '--camera': expected something"),
    ("help shoot", "unknown command 'shoot'; 'camctl help' lists them"),
  ])
  func refuses(line: String, message: String) {
    #expect(refusal(line) == message)
  }

  @Test(
    arguments: [
      ("10", 10), ("10s", 10), ("0", 0), ("1.5m", 90), ("1h", 3600), ("0.25s", 0.25), ("", nil), ("s", nil),
      ("-1", nil),
      ("1d", nil), ("1 s", nil), ("1e3", nil), ("nan", nil), ("inf", nil), ("0x10", nil), (".5", nil), ("1.2.3", nil),
      ("1,5", nil),
    ] as [(String, Double?)])
  func readsDurations(text: String, seconds: Double?) {
    #expect(DurationText.seconds(text) == seconds)
  }

  @Test func readsMoments() {
    let now = Timestamp(seconds: 1_796_036_775)
    #expect(TimeText.start("90m", now: now)?.seconds == now.seconds - 5400)
    #expect(TimeText.end("1.5d", now: now)?.seconds == now.seconds - 129_600)
    #expect(TimeText.start("2026-11-30T16:51:15.5+05:45")?.seconds == 1_796_036_775)
    let (start, end) = (TimeText.start("2026-11-30"), TimeText.end("2026-11-30"))
    #expect(start?.localFields.day == 30 && start?.localFields.hour == 0 && end?.localFields.hour == 0)
    #expect((end?.seconds ?? 0) - (start?.seconds ?? 0) == 86_400)
    #expect(TimeText.start("2026-11-30T07:08")?.localFields.hour == 7)
    for text in ["", "d", "-2d", "2026-13-01", "2026-02-30", "30.11.2026", "1e3d", "now"] {
      #expect(TimeText.start(text, now: now) == nil, "\(text)")
    }
  }

  @Test func assetsFitTheTerminal() {
    let assets = [
      Asset(
        id: "20261130-165115.123_0002.webm", kind: .movie, path: nil, width: 1, height: 1, bytes: 5, time: .now,
        camera: "usb-0000:00:14.0-2 Example", duration: 36_000, favorite: true),
      Asset(
        id: "20261130-165115.123.jpg", kind: .image, path: nil, width: 1, height: 1, bytes: 999_000_000, time: .now,
        camera: nil),
    ]
    let lines = AssetText.table(assets)
    #expect(lines.count == 2 && lines.allSatisfy { $0.count <= 80 } && lines[0].hasPrefix("★  movie"), "\(lines)")
    #expect(AssetText.clipped("a\u{1B}[31mb", 20) == "a?[31mb")
  }

  @Test func helpFitsTheTerminal() throws {
    let texts = [Help.overview] + CommandEntry.all.map(Help.text)
    for line in texts.flatMap({ $0.split(separator: "\n") }) { #expect(line.count <= 80, "\(line)") }
    for command in CommandEntry.all {
      #expect(Help.overview.contains("\n  \(command.name)  "))
      #expect(try parse("help \(command.name)").command?.name == command.name)
      #expect(try parse("\(command.name) --help").command?.name == command.name)
    }
  }

  @Test func manualTellsOfEverything() throws {
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let manual = try String(contentsOf: URL(filePath: "/\(root)/docs/camctl.1"), encoding: .utf8)
      .replacing("\\-", with: "-")
    for command in CommandEntry.all {
      #expect(manual.contains(".B \(command.name)\n") || manual.contains(".BR \"\(command.name)\""), "\(command.name)")
      for option in command.options { #expect(manual.contains(option.name), "\(option.name)") }
    }
    for option in Option.global { #expect(manual.contains(option.name), "\(option.name)") }
  }

  @Test func numbersAreForPeople() {
    #expect(Text.bytes(0) == "0 bytes" && Text.bytes(999) == "999 bytes" && Text.bytes(1000) == "1.0 kB")
    #expect(Text.bytes(245_300) == "245 kB" && Text.bytes(23_400_000_000) == "23.4 GB")
    #expect(Text.duration(0) == "0.0 s" && Text.duration(12.34) == "12.3 s" && Text.duration(59.94) == "59.9 s")
    #expect(Text.duration(61) == "01:01" && Text.duration(3723.9) == "1:02:03")
    #expect(Text.fixed(-0.04, 1) == "0.0" && Text.fixed(-1.25, 1) == "-1.3" && Text.fixed(1.005, 0) == "1")
    #expect(Text.short(30) == "30" && Text.short(29.97) == "29.97")
    #expect(Text.table([["a", "b"], ["long", "c"]]) == ["a     b", "long  c"])
  }
}
