import CameraProtocol
import GStreamer
import TestSupport
import Testing

@testable import Camera

/// Which of a device's formats a mode takes, and what a device's caps offer.
@Suite struct SourceFormatTests {
  init() throws { try GStreamer.initialize() }

  /// `640x480@30 YUY2`; `-` where nothing can be chosen.
  private func choice(_ caps: String, _ mode: CaptureMode) throws -> String {
    guard let best = SourceFormat.all(in: try Caps(caps)).best(for: mode) else { return "-" }
    let rate = best.frameRate.denominator == 1 ? "\(best.frameRate.numerator)" : "\(best.frameRate)"
    return "\(best.width)x\(best.height)@\(rate) \(best.format.encoding)"
  }

  /// A device of the field, with what each mode has to take.
  struct Device: Sendable, CustomTestStringConvertible {
    var name: String
    var caps: String
    var photo: String
    var video: String
    var testDescription: String { name }
  }

  static let devices = [
    Device(
      name: "webcam whose YUYV is slow at full size",
      caps: "video/x-raw,format=YUY2,width=1920,height=1080,framerate=5/1; "
        + "video/x-raw,format=YUY2,width=640,height=480,framerate={30/1,15/1}; "
        + "image/jpeg,width=1920,height=1080,framerate={30/1,15/1}; image/jpeg,width=1280,height=720,framerate=30/1",
      photo: "1920x1080@30 jpeg", video: "1920x1080@30 jpeg"),
    Device(
      name: "webcam with YUYV, Motion-JPEG and H.264 of one size",
      caps: "video/x-raw,format=YUY2,pixel-aspect-ratio=1/1,width=1280,height=720,framerate={(fraction)30/1,10/1}; "
        + "image/jpeg,parsed=true,width=1280,height=720,framerate=30/1; "
        + "video/x-h264,stream-format=byte-stream,alignment=au,width=1280,height=720,framerate=30/1",
      photo: "1280x720@30 YUY2", video: "1280x720@30 YUY2"),
    Device(
      name: "H.264 larger than all else",
      caps: "video/x-raw,format=YUY2,width=640,height=480,framerate=30/1; "
        + "video/x-h264,stream-format=byte-stream,alignment=au,width=1920,height=1080,framerate={30/1,25/1}",
      photo: "1920x1080@30 h264", video: "1920x1080@30 h264"),
    Device(
      name: "H.264 only",
      caps: "video/x-h264,stream-format=avc,alignment=au,width=1920,height=1080,framerate=25/1",
      photo: "1920x1080@25 h264", video: "1920x1080@25 h264"),
    Device(
      name: "H.264 and slow YUYV of one size",
      caps: "video/x-h264,stream-format=byte-stream,width=1920,height=1080,framerate=30/1; "
        + "video/x-raw,format=YUY2,width=1920,height=1080,framerate=5/1",
      photo: "1920x1080@5 YUY2", video: "1920x1080@30 h264"),
    Device(
      name: "only YUYV at 640x480",
      caps: "video/x-raw,format=YUY2,width=640,height=480,framerate={30/1,25/1,20/1,15/1,10/1,5/1}",
      photo: "640x480@30 YUY2", video: "640x480@30 YUY2"),
    Device(
      name: "15 frames a second at most",
      caps: "image/jpeg,width=1600,height=1200,framerate=7/1; image/jpeg,width=1280,height=960,framerate=15/1; "
        + "image/jpeg,width=640,height=480,framerate=15/1",
      photo: "1600x1200@7 jpeg", video: "1280x960@15 jpeg"),
    Device(
      name: "a little quicker when tiny",
      caps: "video/x-raw,format=YUY2,width=160,height=120,framerate=20/1; "
        + "video/x-raw,format=YUY2,width=1280,height=720,framerate=15/1",
      photo: "1280x720@15 YUY2", video: "1280x720@15 YUY2"),
    Device(
      name: "4K only",
      caps: "image/jpeg,width=3840,height=2160,framerate=30/1; image/jpeg,width=4096,height=2160,framerate=30/1",
      photo: "4096x2160@30 jpeg", video: "3840x2160@30 jpeg"),
    Device(
      name: "4K photos, 1080p movies, 60 frames a second",
      caps:
        "image/jpeg,width=3840,height=2160,framerate=15/1; image/jpeg,width=1920,height=1080,framerate={60/1,30/1}; "
        + "video/x-raw,format=NV12,width=1920,height=1080,framerate=60/1",
      photo: "3840x2160@15 jpeg", video: "1920x1080@30 jpeg"),
    Device(
      name: "NTSC rates, odd size",
      caps: "video/x-raw,format=UYVY,width=641,height=481,framerate={30000/1001,15/1}",
      photo: "641x481@30000/1001 UYVY", video: "641x481@30000/1001 UYVY"),
    Device(
      name: "vivid, webcam input",
      caps: "video/x-raw,format={YUY2,NV12,BGRx,Y444},width=320,height=180,framerate={60/1,30/1,10/1,1/1}; "
        + "video/x-raw,format={YUY2,NV12,BGRx,Y444},width=3840,height=2160,framerate={5/1,4/1}; "
        + "video/x-raw,format={YUY2,NV12,BGRx,Y444},width=1280,height=720,framerate={25/1,30/1,10/1}",
      photo: "3840x2160@5 NV12", video: "1280x720@30 NV12"),
    Device(
      name: "v4l2loopback without a writer",
      caps: "video/x-raw,format={I420,YV12,YUY2,UYVY,NV12,BGRx,RGB,GRAY8},width=[2,8192],height=[2,8192],"
        + "framerate=[1/100,120/1]; image/jpeg,width=[2,8192],height=[2,8192],framerate=[1/100,120/1]",
      photo: "3840x2160@30 I420", video: "1920x1080@30 I420"),
    Device(
      name: "v4l2loopback with one",
      caps: "video/x-raw,format=I420,width=1024,height=576,framerate=[0/1,2147483647/1]",
      photo: "1024x576@30 I420", video: "1024x576@30 I420"),
    Device(
      name: "IMX219 by libcamera: sizes, then ranges with steps, without a rate",
      caps: "video/x-raw,format=NV12,width=640,height=480; "
        + "video/x-raw,format=NV12,width=[64,3280,2],height=[64,2464,2]; "
        + "video/x-raw,format=YUY2,width=[64,3280,2],height=[64,2464,2]",
      photo: "3280x2464@0 NV12", video: "1920x1080@0 NV12"),
    Device(
      name: "Raspberry Pi's firmware camera: ranges at 1 to 90",
      caps: "video/x-raw,format={I420,YUY2,NV12},width=[32,2592,2],height=[32,1944,2],framerate=[1/1,90/1]; "
        + "video/x-h264,stream-format=byte-stream,alignment=au,width=[32,2592,2],height=[32,1944,2],framerate=[1/1,90/1]",
      photo: "2592x1944@30 I420", video: "1920x1080@30 I420"),
    Device(
      name: "a range with a step of 16",
      caps: "video/x-raw,format=NV12,width=[16,1920,16],height=[16,1440,16],framerate=[5/1,20/1]",
      photo: "1920x1440@20 NV12", video: "1920x1072@20 NV12"),
    Device(
      name: "a small square range",
      caps: "video/x-raw,format=GRAY8,width=[1,200],height=[1,200],framerate=[50/1,100/1]",
      photo: "200x200@50 GRAY8", video: "200x200@50 GRAY8"),
    Device(
      name: "PipeWire: one size at ranges and lists of rates, and DMA-BUF beside",
      caps: "video/x-raw(memory:DMABuf),format=DMA_DRM,width=1920,height=1080,framerate=30/1; "
        + "video/x-raw,format=YUY2,width=1280,height=720,framerate={(fraction)10/1,(fraction)30/1}; "
        + "image/jpeg,width=1280,height=720,framerate=[0/1,60/1]",
      photo: "1280x720@30 YUY2", video: "1280x720@30 YUY2"),
    Device(
      name: "a rate that varies",
      caps: "video/x-raw,format=YUY2,width=1280,height=720,framerate=0/1,max-framerate=60/1",
      photo: "1280x720@0 YUY2", video: "1280x720@0 YUY2"),
    Device(
      name: "a bare sensor",
      caps: "video/x-bayer,format=rggb,width=1640,height=1232,framerate=30/1",
      photo: "1640x1232@30 bayer", video: "1640x1232@30 bayer"),
    Device(
      name: "nothing that can be decoded",
      caps: "video/x-raw(memory:DMABuf),format=DMA_DRM,width=1920,height=1080; video/x-mystery,width=640,height=480",
      photo: "-", video: "-"),
    Device(
      name: "interlaced fields apart",
      caps: "video/x-raw(format:Interlaced),format=YUY2,width=720,height=576,framerate=25/1,interlace-mode=alternate; "
        + "video/x-raw,format=YUY2,width=360,height=288,framerate=25/1",
      photo: "360x288@25 YUY2", video: "360x288@25 YUY2"),
  ]

  @Test(arguments: devices) func takesTheBestForTheMode(_ device: Device) throws {
    #expect(try choice(device.caps, .photo) == device.photo)
    #expect(try choice(device.caps, .video) == device.video)
  }

  /// What is asked for is what the device offers.
  @Test(arguments: devices) func offersOnlyWhatTheDeviceTakes(_ device: Device) throws {
    let caps = try Caps(device.caps)
    let formats = SourceFormat.all(in: caps)
    #expect(formats.count <= 40, "listed compactly")
    #expect(Set(formats.map(\.caps)).count == formats.count)
    for format in formats { #expect(caps.canIntersect(try Caps(format.caps)), "\(format)") }
  }

  @Test func readsRangesWithTheirSteps() throws {
    let structure = try #require(
      try Caps("a/b,w=[16,100,4],h={1,[2,4]},r=[1/2,30/1],s={5/1,10/1},t=3").structures.first)
    #expect(structure.integers("w") == [IntegerRange(16, 100, step: 4)])
    #expect(structure.integers("h") == [IntegerRange(1, 1), IntegerRange(2, 4)])
    #expect(structure.integers("t") == [IntegerRange(3, 3)])
    #expect(structure.integers("nothing") == [])
    #expect(structure.fractions("r") == [FractionRange(Fraction(1, 2), Fraction(30))])
    #expect(structure.fractions("s").map(\.upper) == [Fraction(5), Fraction(10)])
    #expect(IntegerRange(16, 100, step: 4).greatest(upTo: 51) == 48)
    #expect(IntegerRange(16, 100, step: 4).greatest(upTo: 15) == nil)
  }
}

/// What a camera's JPEG frame must have.
@Suite struct JPEGFrameTests {
  private func flaw(_ bytes: [UInt8]) -> JPEGFrame.Flaw? { bytes.withUnsafeBytes { JPEGFrame.flaw(in: $0) } }

  /// SOI, a quantisation table, SOF0 of 16x16, SOS, data, EOI.
  private let frame: [UInt8] =
    [0xFF, 0xD8, 0xFF, 0xDB, 0, 67] + Array(repeating: 1, count: 65) + [
      0xFF, 0xC0, 0, 11, 8, 0, 16, 0, 16, 1, 1, 0x11, 0, 0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0,
    ] + Array(repeating: 0x55, count: 200) + [0xFF, 0xD9]

  @Test func takesAWholeFrameAndItsPadding() {
    #expect(flaw(frame) == nil)
    #expect(flaw(frame + Array(repeating: 0, count: 100_000)) == nil)
    #expect(flaw(frame + [1, 2, 3]) == nil)
  }

  @Test func noticesACutAtEveryByte() {
    for length in 0..<frame.count { #expect(flaw(Array(frame.prefix(length))) != nil, "\(length) bytes") }
    #expect(flaw(Array(frame.dropLast(2))) == .unended)
    #expect(flaw(Array(frame.prefix(80))) == .unreadable)
  }

  @Test func noticesGarbage() {
    #expect(flaw([]) == .unreadable)
    #expect(flaw(Array(repeating: 0, count: 5000)) == .unreadable)
    #expect(flaw(Array(repeating: 0xFF, count: 5000)) == .unreadable)
    #expect(flaw([0xFF, 0xD8] + Array(repeating: 0x42, count: 5000) + [0xFF, 0xD9]) == .unreadable)
    #expect(flaw([0xFF, 0xD8, 0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0, 1, 0xFF, 0xD9]) == .unreadable, "no size")
  }
}
