import CGStreamer

/// A device that GStreamer found.
public struct Device: Sendable {
  /// What kind it is.
  public enum Kind: Sendable { case camera, microphone }
  /// What kind it is.
  public var kind: Kind
  /// For people.
  public var name: String
  /// What the provider knows about it, such as `device.path`, `device.api`; numbers as decimal text.
  public var properties: [String: String]
  /// What it delivers.
  public var caps: Caps?
  /// The element that opens it, with the properties to set, as a launch line.
  public var launch: String

  /// A device of these values.
  public init(kind: Kind, name: String, properties: [String: String], caps: Caps?, launch: String) {
    self.kind = kind
    self.name = name
    self.properties = properties
    self.caps = caps
    self.launch = launch
  }
}

/// Lists cameras and microphones, and tells when they come and go.
public final class DeviceMonitor: @unchecked Sendable {
  private let pointer: UnsafeMutablePointer<GstDeviceMonitor>
  /// A value each time that a device came or went. One reader.
  public let changes: AsyncStream<Void>

  /// Starts watching. Lists what is there before it returns.
  public init() throws(GStreamerError) {
    pointer = gst_device_monitor_new()
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    changes = stream
    gst_device_monitor_add_filter(pointer, "Video/Source", nil)
    gst_device_monitor_add_filter(pointer, "Audio/Source", nil)
    let bus = gst_device_monitor_get_bus(pointer)
    gst_bus_set_sync_handler(
      bus,
      { _, message, context in
        guard let message, let context else { return GST_BUS_DROP }
        let kinds = [GST_MESSAGE_DEVICE_ADDED, GST_MESSAGE_DEVICE_REMOVED, GST_MESSAGE_DEVICE_CHANGED]
        if kinds.contains(message.pointee.type) {
          Unmanaged<ChangeHandler>.fromOpaque(context).takeUnretainedValue().continuation.yield()
        }
        gst_mini_object_unref(UnsafeMutableRawPointer(message).assumingMemoryBound(to: GstMiniObject.self))
        return GST_BUS_DROP
      }, Unmanaged.passRetained(ChangeHandler(continuation)).toOpaque(),
      { context in context.map { Unmanaged<ChangeHandler>.fromOpaque($0).release() } })
    gst_object_unref(bus)
    guard gst_device_monitor_start(pointer) != 0 else {
      throw GStreamerError("no provider of devices could be started")
    }
  }

  // It watches until the process ends: PipeWire's provider (0.3.65) frees a node that has gone a second time when it is
  // stopped, which aborts the process.

  /// The devices there are now.
  public var devices: [Device] {
    var devices: [Device] = []
    let list = gst_device_monitor_get_devices(pointer)
    var node = list
    while let current = node {
      node = current.pointee.next
      guard let raw = current.pointee.data else { continue }
      let device = raw.assumingMemoryBound(to: GstDevice.self)
      if let found = Self.read(device) { devices.append(found) }
      gst_object_unref(raw)
    }
    g_list_free(list)
    return devices
  }

  private static func read(_ device: UnsafeMutablePointer<GstDevice>) -> Device? {
    guard let name = gst_device_get_display_name(device), let deviceClass = gst_device_get_device_class(device) else {
      return nil
    }
    defer {
      g_free(name)
      g_free(deviceClass)
    }
    let kind: Device.Kind = String(cString: deviceClass).hasPrefix("Video") ? .camera : .microphone
    var properties: [String: String] = [:]
    if let structure = gst_device_get_properties(device) {
      for index in 0..<gst_structure_n_fields(structure) {
        guard let field = gst_structure_nth_field_name(structure, guint(index)),
          let value = text(of: field, in: structure)
        else { continue }
        properties[String(cString: field)] = value
      }
      gst_structure_free(structure)
    }
    guard let launch = launchLine(device) else { return nil }
    return Device(
      kind: kind, name: String(cString: name), properties: properties,
      caps: gst_device_get_caps(device).map { Caps(adopting: $0) }, launch: launch)
  }

  private static func text(of field: UnsafePointer<CChar>, in structure: UnsafePointer<GstStructure>) -> String? {
    if let text = gst_structure_get_string(structure, field) { return String(cString: text) }
    guard let value = gst_structure_get_value(structure, field), let text = gst_value_serialize(value) else {
      return nil
    }
    defer { g_free(text) }
    return String(cString: text)
  }

  private static func launchLine(_ device: UnsafeMutablePointer<GstDevice>) -> String? {
    guard let made = gst_device_create_element(device, nil) else { return nil }
    let element = Element(sinking: made)
    guard let factory = gst_element_get_factory(element.pointer),
      let name = factoryName(factory)
    else { return nil }
    var line = name
    for property in ["device", "path", "target-object", "camera-name"] {
      if element.hasProperty(property), let value = element.text(property) {
        line += " \(property)=\(LaunchLine.quote(value))"
      }
    }
    // not every PipeWire node says when a picture was taken; those that do keep their time
    if name == "pipewiresrc" { line += " do-timestamp=true" }
    return line
  }

  private static func factoryName(_ factory: OpaquePointer) -> String? {
    guard let name = gst_object_get_name(UnsafeMutablePointer<GstObject>(factory))
    else { return nil }
    defer { g_free(name) }
    return String(cString: name)
  }
}

/// Keeps the continuation alive for the bus.
private final class ChangeHandler: Sendable {
  let continuation: AsyncStream<Void>.Continuation
  init(_ continuation: AsyncStream<Void>.Continuation) { self.continuation = continuation }
}
