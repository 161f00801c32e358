import CameraProtocol
import GStreamer

/// The cameras and microphones among what GStreamer found on the machine, each with an id that stays.
struct FoundDevices {
  /// A camera, with the id of its hardware.
  struct Camera {
    var id: String
    var name: String
    /// Who made it; nil where nobody knows.
    var maker: String?
    var position: Position
    var source: DeviceSource
  }

  private(set) var cameras: [Camera] = []
  private(set) var microphones: [MicrophoneDefinition] = []

  /// Sorts out what is offered. `readFile` gives the first line of a file of sysfs.
  init(_ devices: [Device], readFile: (String) -> String? = SystemFile.firstLine) {
    cameras = Self.cameras(devices.filter { $0.kind == .camera }, readFile)
    microphones = Self.microphones(devices.filter { $0.kind == .microphone && !$0.isMonitor })
  }

  // MARK: Cameras

  private static func cameras(_ devices: [Device], _ readFile: (String) -> String?) -> [Camera] {
    var offered = devices.filter { $0.isVideoCapture && !$0.isMediaGraphNode && !$0.isProcessor }
    offered = withoutDuplicates(offered)
    let formats = offered.map { device in device.caps.map(SourceFormat.all) ?? [] }
    let colourful = Set(
      zip(offered, formats).filter { !$1.isGrey }.compactMap { device, _ in device.hardware })
    var ids: [String: Int] = [:]
    return zip(offered, formats).compactMap { device, formats in
      let isInfrared =
        formats.isGrey && (device.namesInfrared || device.hardware.map(colourful.contains) ?? false)
      guard !formats.isEmpty, !isInfrared else { return nil }
      let base = device.hardware ?? device.properties["node.name"] ?? device.name
      ids[base, default: 0] += 1
      return Camera(
        id: ids[base] == 1 ? base : "\(base)-\(ids[base] ?? 0)", name: device.name, maker: device.maker(readFile),
        position: device.position(readFile),
        source: DeviceSource(launch: device.launch, formats: formats, node: device.node))
    }
  }

  /// One camera is often found by several providers; the kernel's node comes first, since it has the controls. The nodes
  /// of one device are in the order of their numbers.
  private static func withoutDuplicates(_ devices: [Device]) -> [Device] {
    let direct = devices.filter { $0.launch.hasPrefix("v4l2src") }
    let nodes = Set(direct.compactMap(\.node))
    return direct.sorted { ($0.node ?? "").isNumberedBefore($1.node ?? "") }
      + devices.filter { device in
        guard !device.launch.hasPrefix("v4l2src") else { return false }
        return !(device.node.map(nodes.contains) ?? false) && (direct.isEmpty || !device.isUSBOfLibcamera)
      }
  }

  // MARK: Microphones

  /// The default one of the sound system first. Where a sound server runs, the kernel's devices are its own.
  private static func microphones(_ devices: [Device]) -> [MicrophoneDefinition] {
    let served = devices.filter { !$0.launch.hasPrefix("alsasrc") }
    let offered = served.isEmpty ? devices : served
    var ids: Set<String> = []
    let sorted = offered.filter(\.isDefault) + offered.filter { !$0.isDefault }
    return sorted.compactMap { device in
      let pcm = device.alsaName
      let id = pcm ?? device.properties["node.name"] ?? device.properties["device.string"] ?? device.name
      guard ids.insert(id).inserted else { return nil }
      let launch = pcm.map { "alsasrc device=\(LaunchLine.quote($0))" } ?? device.launch
      return MicrophoneDefinition(id: id, name: device.name, source: DeviceSource(launch: launch))
    }
  }
}

extension [SourceFormat] {
  /// Whether it delivers nothing but shades of grey.
  fileprivate var isGrey: Bool { !isEmpty && allSatisfy { $0.pixelFormat?.hasPrefix("GRAY") ?? false } }
}

extension String {
  /// Whether its number at the end is lower: video2 before video10.
  fileprivate func isNumberedBefore(_ other: String) -> Bool {
    (count, self) < (other.count, other)
  }
}

/// What the kernel, PipeWire and libcamera say of a device.
extension Device {
  /// The V4L2 node behind it.
  fileprivate var node: String? { properties["device.path"] ?? properties["api.v4l2.path"] }

  /// Where the hardware is plugged in.
  fileprivate var hardware: String? {
    properties["v4l2.device.bus_info"] ?? properties["device.bus_path"] ?? properties["device.bus-path"]
  }

  /// Bits of `device_caps`, see linux/videodev2.h; nil where the provider doesn't know them.
  private var capabilities: UInt32? { properties["v4l2.device.device_caps"].flatMap { UInt32($0) } }

  /// Not one that delivers metadata only: video capture, on one plane or several.
  fileprivate var isVideoCapture: Bool { capabilities.map { $0 & 0x1001 != 0 } ?? true }

  /// A part of a graph that somebody has to set up first, which libcamera does (`V4L2_CAP_IO_MC`).
  fileprivate var isMediaGraphNode: Bool { capabilities.map { $0 & 0x2000_0000 != 0 } ?? false }

  /// An image processor or codec whose output is another driver's picture.
  fileprivate var isProcessor: Bool {
    ["bcm2835-codec", "bcm2835-isp", "pispbe", "rpivid", "rpi-hevc-dec"].contains(properties["v4l2.device.driver"])
  }

  /// The sensor that recognises faces in the dark.
  fileprivate var namesInfrared: Bool {
    let words = name.lowercased().split { !$0.isLetter }
    return words.contains("ir") || words.contains("infrared")
  }

  /// A USB camera as libcamera names it: its path, then the numbers of maker and product.
  fileprivate var isUSBOfLibcamera: Bool {
    guard launch.hasPrefix("libcamerasrc") else { return false }
    let numbers = name.split(separator: "-").last?.split(separator: ":") ?? []
    return numbers.count == 2 && numbers.allSatisfy { $0.count == 4 && $0.allSatisfy(\.isHexDigit) }
  }

  /// A built-in USB camera looks at who sits before the machine; libcamera and PipeWire know it of other built-in ones.
  fileprivate func position(_ readFile: (String) -> String?) -> Position {
    switch properties["api.libcamera.location"] ?? properties["api.libcamera.Location"] {
    case "front", "CameraLocationFront": return .front
    case "back", "CameraLocationBack": return .rear
    default: break
    }
    if let path = properties["sysfs.path"], path.contains("/usb") {
      // .../usb1/1-5/1-5:1.0/video4linux/video0
      let device = path.split(separator: "/").dropLast(3).joined(separator: "/")
      if readFile("/\(device)/removable") == "fixed" { return .front }
    }
    return .external
  }

  /// What a USB device says itself, else what the system's lists say, else its driver's name.
  fileprivate func maker(_ readFile: (String) -> String?) -> String? {
    let path = (properties["sysfs.path"] ?? node.flatMap { SystemFile.sysfsPath(ofVideo: $0) }) ?? ""
    var own: String?
    if path.contains("/usb") {
      let device = path.split(separator: "/").dropLast(3).joined(separator: "/")
      own = readFile("/\(device)/manufacturer")
    }
    let known = [own, properties["device.vendor.name"], properties["v4l2.device.driver"]]
    return known.lazy.compactMap { $0 }.first { !$0.isEmpty }
  }

  // MARK: Microphones

  /// What an output plays.
  fileprivate var isMonitor: Bool { properties["device.class"] == "monitor" }

  fileprivate var isDefault: Bool { properties["is-default"] == "true" }

  /// ALSA's name by the card's id, which stays when the cards are numbered anew; nil for what isn't ALSA's.
  fileprivate var alsaName: String? {
    guard launch.hasPrefix("alsasrc"), let card = properties["alsa.id"],
      let number = launch.split(separator: ",").last.map({ $0.prefix { $0.isNumber } }), !number.isEmpty
    else { return nil }
    return "hw:\(card),\(number)"
  }
}
