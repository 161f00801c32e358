import CVideo4Linux
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Camera

/// Folders like those below /sys/class/leds.
@Suite struct LightTests {
  private func withLED(_ files: [String: String], _ body: (String, (String) throws -> String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "led-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for (name, text) in files { try text.write(toFile: "\(folder)/\(name)", atomically: false, encoding: .utf8) }
    try body(folder) { try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8) }
  }

  @Test func aLEDShinesAtItsFullBrightness() throws {
    try withLED(["brightness": "0\n", "max_brightness": "127\n"]) { folder, text in
      let light = LEDLight(folder: folder)
      for lighting in [Lighting.torch, .flash] {
        try light.set(lighting)
        #expect(try text("brightness") == "127\n")
        try light.set(.off)
        #expect(try text("brightness") == "0\n")
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 2)
    }
  }

  @Test func aFlashControllerFlashes() throws {
    let files = [
      "brightness": "0\n", "max_brightness": "8\n", "flash_brightness": "50000\n", "max_flash_brightness": "900000\n",
      "flash_timeout": "1000\n", "max_flash_timeout": "500000\n", "flash_strobe": "0\n",
    ]
    try withLED(files) { folder, text in
      let light = LEDLight(folder: folder)
      try light.set(.flash)
      #expect(try text("flash_strobe") == "1\n")
      #expect(try text("flash_brightness") == "900000\n")
      #expect(try text("flash_timeout") == "500000\n")
      #expect(try text("brightness") == "0\n")
      try light.set(.off)
      #expect(try text("flash_strobe") == "0\n")
      try light.set(.torch)
      #expect(try text("brightness") == "8\n")
      #expect(try text("flash_strobe") == "0\n")
    }
  }

  @Test func whatFailsIsNamed() throws {
    try withLED(["brightness": "0\n", "max_brightness": "none\n"]) { folder, _ in
      #expect(throws: LightError("\(folder)/max_brightness holds no number above 0")) {
        try LEDLight(folder: folder).set(.torch)
      }
    }
    #expect(throws: LightError("can't open /nowhere/brightness: No such file or directory")) {
      try LEDLight(folder: "/nowhere").set(.off)
    }
  }
}

/// The order of the controls of a V4L2 flash.
@Suite struct V4L2LightTests {
  /// A node that notes what is set, and when it is closed.
  private final class FakeNode: FlashControls {
    let log: Log
    let menus: [Int32: Set<Int64>]
    let largest: [Int32: Int64]

    init(_ log: Log, menus: [Int32: Set<Int64>], largest: [Int32: Int64]) {
      (self.log, self.menus, self.largest) = (log, menus, largest)
      log.add("open")
    }

    deinit { log.add("close") }

    func largest(_ control: Int32) -> Int64? { largest[control] }
    func offers(_ entry: Int64, of control: Int32) -> Bool { menus[control]?.contains(entry) ?? false }
    func set(_ control: Int32, to value: Int64) throws(LightError) { log.add("\(Self.names[control] ?? "?")=\(value)") }

    private static let names = [
      V4L2_CID_FLASH_LED_MODE: "mode", V4L2_CID_FLASH_STROBE_SOURCE: "source", V4L2_CID_FLASH_STROBE: "strobe",
      V4L2_CID_FLASH_TIMEOUT: "timeout", V4L2_CID_FLASH_INTENSITY: "intensity",
    ]
  }

  private final class Log: Sendable {
    private let lines = Mutex<[String]>([])
    func add(_ line: String) { lines.withLock { $0.append(line) } }
    func take() -> [String] {
      lines.withLock { lines in
        defer { lines = [] }
        return lines
      }
    }
  }

  @Test func aStrobeIsLargestAndTheNodeStaysOpenWhileItShines() throws {
    let log = Log()
    let light = V4L2Light { () throws(LightError) in
      FakeNode(
        log, menus: [V4L2_CID_FLASH_LED_MODE: [0, 1, 2], V4L2_CID_FLASH_STROBE_SOURCE: [0, 1]],
        largest: [V4L2_CID_FLASH_STROBE: 0, V4L2_CID_FLASH_TIMEOUT: 500_000, V4L2_CID_FLASH_INTENSITY: 900])
    }
    try light.set(.flash)
    #expect(log.take() == ["open", "mode=1", "source=0", "timeout=500000", "intensity=900", "strobe=1"])
    try light.set(.torch)
    #expect(log.take() == ["mode=2"])
    try light.set(.off)
    #expect(log.take() == ["mode=0", "close"])
  }

  @Test func aLEDThatCanNotStrobeIsATorch() throws {
    let log = Log()
    let light = V4L2Light { () throws(LightError) in
      FakeNode(log, menus: [V4L2_CID_FLASH_LED_MODE: [0, 2]], largest: [:])
    }
    try light.set(.flash)
    try light.set(.off)
    #expect(log.take() == ["open", "mode=2", "mode=0", "close"])
  }

  @Test func aNodeThatIsNoneIsNamed() throws {
    #expect(throws: LightError("can't open /dev/nowhere: No such file or directory")) {
      try V4L2Light { () throws(LightError) in try V4L2FlashNode("/dev/nowhere") }.set(.off)
    }
    let error = try refusal(LightError.self) { try FlashDefinition(path: "/dev/null").light.set(.torch) }
    #expect(error.description == "can't set control 9c0901 of /dev/null: it has no such flash control")
  }
}
