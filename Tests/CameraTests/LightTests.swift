import Foundation
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
