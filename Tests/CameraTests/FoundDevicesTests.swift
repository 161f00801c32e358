import CameraProtocol
import GStreamer
import Testing

@testable import Camera

/// What is offered of the devices that GStreamer finds, and under which id.
@Suite struct FoundDevicesTests {
  init() throws { try GStreamer.initialize() }

  private static let colour = "video/x-raw,format=YUY2,width=640,height=480,framerate=30/1"
  private static let grey = "video/x-raw,format=GRAY8,width=640,height=360,framerate=15/1"

  /// A V4L2 node as GStreamer's provider describes it.
  private func node(
    _ number: Int, _ bus: String, name: String = "Camera", caps: String = colour, capabilities: UInt32 = 0x0420_0001,
    driver: String = "uvcvideo", path: String? = nil
  ) throws -> Device {
    var properties = [
      "device.path": "/dev/video\(number)", "v4l2.device.bus_info": bus, "v4l2.device.driver": driver,
      "v4l2.device.device_caps": "\(capabilities)",
    ]
    properties["sysfs.path"] = path
    return Device(
      kind: .camera, name: name, properties: properties, caps: try Caps(caps),
      launch: "v4l2src device=\"/dev/video\(number)\"")
  }

  private func microphone(_ name: String, _ launch: String, _ properties: [String: String]) -> Device {
    Device(kind: .microphone, name: name, properties: properties, caps: nil, launch: launch)
  }

  @Test func makersAreThoseOfTheDevices() throws {
    let path = "/sys/devices/pci0000:00/usb1/1-5/1-5:1.0/video4linux/video0"
    func maker(_ device: Device, _ manufacturer: String?) -> String? {
      let file = "/sys/devices/pci0000:00/usb1/1-5/manufacturer"
      return FoundDevices([device], readFile: { $0 == file ? manufacturer : nil }).cameras.first?.maker
    }
    #expect(maker(try node(0, "usb-1", path: path), "Acme Optics") == "Acme Optics")
    #expect(maker(try node(0, "usb-1", path: path), nil) == "uvcvideo")
    #expect(maker(try node(7, "platform:vivid", driver: "vivid", path: "/sys/devices/vivid.0/video7"), "x") == "vivid")
  }

  @Test func idsFollowTheSocketAndNotTheNumber() throws {
    let (door, desk) = ("usb-0000:00:14.0-1", "usb-0000:00:14.0-2")
    let before = FoundDevices([try node(0, door), try node(2, desk)])
    let after = FoundDevices([try node(2, door), try node(0, desk)])
    #expect(before.cameras.map(\.id) == [door, desk])
    #expect(before.cameras.first { $0.id == desk }?.source.node == "/dev/video2")
    #expect(after.cameras.first { $0.id == desk }?.source.node == "/dev/video0")
  }

  /// Two pictures of one device are told apart by the order of their nodes, in whatever order they are found.
  @Test func twoPicturesOfOneDeviceHaveTwoIds() throws {
    let found = FoundDevices([try node(10, "usb-1"), try node(9, "usb-1")])
    #expect(found.cameras.map(\.id) == ["usb-1", "usb-1-2"])
    #expect(found.cameras.map(\.source.node) == ["/dev/video9", "/dev/video10"])
  }

  @Test func whatIsNoCameraIsNotOffered() throws {
    let metadata: UInt32 = 0x04a0_0000
    let output: UInt32 = 0x0420_0002
    let graph: UInt32 = 0x2420_0001
    let found = FoundDevices([
      try node(0, "usb-1"),
      try node(1, "usb-1", capabilities: metadata),
      try node(2, "platform:out", capabilities: output),
      try node(3, "platform:csi", capabilities: graph),
      try node(4, "platform:isp", driver: "bcm2835-isp"),
      try node(5, "usb-5", caps: "audio/x-raw"),
    ])
    #expect(found.cameras.map(\.id) == ["usb-1"])
  }

  /// A laptop's sensor for faces is no camera; a camera that sees only shades of grey is one.
  @Test func infraredIsNotOffered() throws {
    let found = FoundDevices([
      try node(0, "usb-1", name: "Integrated Camera"), try node(2, "usb-1", name: "Integrated Camera", caps: Self.grey),
      try node(4, "usb-2", name: "Integrated IR Camera", caps: Self.grey),
      try node(6, "usb-3", name: "Birdcam Mono", caps: Self.grey),
    ])
    #expect(found.cameras.map(\.id) == ["usb-1", "usb-3"])
  }

  @Test func oneCameraOfSeveralProvidersIsOneCamera() throws {
    let caps = try Caps(Self.colour)
    let pipewire = Device(
      kind: .camera, name: "Camera", properties: ["api.v4l2.path": "/dev/video0", "node.name": "v4l2_input.usb"],
      caps: caps, launch: "pipewiresrc target-object=\"v4l2_input.usb\"")
    let libcamera = Device(
      kind: .camera, name: "\\_SB_.PCI0.XHC_.RHUB.HS01-1:1.0-046d:0825", properties: [:], caps: caps,
      launch: "libcamerasrc camera-name=\"x\"")
    let sensor = Device(
      kind: .camera, name: "/base/soc/i2c0mux/i2c@1/imx219@10",
      properties: ["api.libcamera.Location": "CameraLocationBack"], caps: caps,
      launch: "libcamerasrc camera-name=\"y\"")
    let found = FoundDevices([pipewire, libcamera, try node(0, "usb-1"), sensor])
    #expect(found.cameras.map(\.id) == ["usb-1", "/base/soc/i2c0mux/i2c@1/imx219@10"])
    #expect(found.cameras.map(\.position) == [.external, .rear])
    #expect(FoundDevices([pipewire]).cameras.map(\.source.launch) == [pipewire.launch])
  }

  /// A built-in camera looks at the user.
  @Test(arguments: [("fixed", .front), ("removable", .external), (nil, .external)] as [(String?, Position)])
  func positionFollowsFromTheSocket(removable: String?, position: Position) throws {
    let path = "/sys/devices/pci0000:00/0000:00:14.0/usb1/1-5/1-5:1.0/video4linux/video0"
    let device = try node(0, "usb-0000:00:14.0-5", path: path)
    let found = FoundDevices([device]) { file in
      file == "/sys/devices/pci0000:00/0000:00:14.0/usb1/1-5/removable" ? removable : nil
    }
    #expect(found.cameras.map(\.position) == [position])
  }

  @Test func microphonesAreThoseOfTheSoundServerOrOfTheKernel() {
    let card = microphone("USB", "alsasrc device=\"hw:1,0\"", ["alsa.id": "Device", "alsa.card": "1"])
    let other = microphone("Loopback", "alsasrc device=\"hw:0,1\"", ["alsa.id": "Loopback"])
    let alone = FoundDevices([other, card])
    #expect(alone.microphones.map(\.id) == ["hw:Loopback,1", "hw:Device,0"])
    #expect(
      alone.microphones.map(\.source.launch) == ["alsasrc device=\"hw:Loopback,1\"", "alsasrc device=\"hw:Device,0\""])
    let monitor = microphone("Monitor", "pulsesrc device=\"out.monitor\"", ["device.class": "monitor"])
    let headset = microphone("Headset", "pulsesrc device=\"headset\"", ["node.name": "headset"])
    let built = microphone("Built-in", "pulsesrc device=\"in\"", ["node.name": "in", "is-default": "true"])
    #expect(FoundDevices([card, monitor, headset, built]).microphones.map(\.id) == ["in", "headset"])
  }
}
