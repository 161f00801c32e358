import CameraProtocol
import Testing

@testable import MediaLibrary

@Suite struct NameTests {
  @Test func aNameSaysTheLocalTime() {
    var name = CaptureName(time: .capture, format: "jpg")
    #expect(name.name == "20261130-165115.123.jpg")
    #expect(name.folders == ["2026", "2026-11-30"])
    name.number = 2
    #expect(name.name == "20261130-165115.123_002.jpg")
    for number in [1, 2, 10, 999, 1000] {
      name.number = number
      #expect(CaptureName(name.name) == name)
    }
  }

  @Test(arguments: [
    "", "..", "../../etc/hostname", "20261130-165115.123.jpg/..", "20261130-165115.123", "20261130-165115.12.jpg",
    "20261130-165115.123_1.jpg", "20261130-165115.123_001.jpg", ".20261130-165115.123.jpg", "2026113a-165115.123.jpg",
    "20261130-165115.123.j/g", "20261130-165115.123.jpg\0", "２０２６1130-165115.123.jpg",
  ])
  func nothingElseIsAName(text: String) {
    #expect(CaptureName(text) == nil)
  }

  @Test func namesSortInOrderOfCapture() {
    var names: [String] = []
    for step in 0..<3 {
      let time = Timestamp(seconds: 1_796_036_775, nanoseconds: step * 1_000_000, offset: 0)
      for number in [1, 2, 9, 10, 11, 100] {
        var name = CaptureName(time: time, format: "jpg")
        name.number = number
        names.append(name.name)
      }
    }
    #expect(names == names.sorted())
  }

  @Test(
    arguments: ["cam0", "usb-0000:00:14.0/1.2", "é 🎥 %41", "", String(repeating: "x.", count: 300)],
    [20_700, -12_600, 0])
  func aDraftsNameSaysWhatIsNeededToFinishIt(camera: String, offset: Int) throws {
    let time = Timestamp(seconds: 1_796_036_775, nanoseconds: 123_000_000, offset: offset)
    var name = DraftName(time: time, camera: camera, format: "mp4")
    name.number = 3
    #expect(name.name.utf8.count < 255 && name.name.hasPrefix(".") && !name.name.contains("/"))
    let read = try #require(DraftName(name.name))
    #expect(read.time == time && read.number == 3 && read.format == "mp4")
    #expect(camera.count > 100 ? camera.hasPrefix(read.camera) && read.camera.count > 60 : read.camera == camera)
    #expect(read.name == name.name)
  }

  @Test(arguments: [".partial", ".a.b.c.d.e.partial", ".20261130-165115.123+0545.%zz.1.mp4.partial", "x.mp4"])
  func nothingElseIsADraft(text: String) {
    #expect(DraftName(text) == nil)
  }
}
