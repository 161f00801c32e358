import CVideo4Linux
import CameraProtocol
import Glibc

/// The controls of a V4L2 device. It is opened for each call and closed again, which disturbs nobody who captures.
struct V4L2ControlDevice: ControlDevice {
  /// Such as `/dev/video0`.
  var node: String
  /// The camera's id, for errors.
  var camera: String

  func controls() throws(CameraError) -> [DeviceControl] {
    try withDevice { device throws(CameraError) in
      var controls: [DeviceControl] = []
      var query = v4l2_query_ext_ctrl()
      while true {
        let last = query.id
        query.id |= UInt32(V4L2_CTRL_FLAG_NEXT_CTRL)
        let number = cv4l_query(device, &query)
        // a driver that doesn't go on would never end
        if number == EINVAL || number == ENOTTY || number == 0 && query.id <= last { return controls }
        guard number == 0 else { throw failure("read the controls of", number) }
        if var control = control(device, &query) {
          if controls.contains(where: { $0.name == control.name }) { control.name += String(query.id, radix: 16) }
          controls.append(control)
        }
      }
    }
  }

  func set(_ changes: [ControlChange]) throws(CameraError) {
    try withDevice { device throws(CameraError) in
      let number = cv4l_set(
        device, changes.map(\.control.key), changes.map { $0.control.isWide ? wideType : 0 }, changes.map(\.value),
        UInt32(changes.count))
      guard number == 0 else {
        throw failure("set \(changes.map { "'\($0.control.name)'" }.joined(separator: ", ")) of", number)
      }
    }
  }

  /// What a control is; nil for one that isn't offered: buttons, texts, bit masks, compound ones, what can't be read,
  /// and the flash, which has methods of its own.
  private func control(_ device: Int32, _ query: inout v4l2_query_ext_ctrl) -> DeviceControl? {
    func has(_ flag: Int32) -> Bool { query.flags & UInt32(flag) != 0 }
    guard !has(V4L2_CTRL_FLAG_DISABLED), !has(V4L2_CTRL_FLAG_WRITE_ONLY),
      query.id & 0x0fff_0000 != UInt32(V4L2_CTRL_CLASS_FLASH), query.minimum <= query.maximum
    else { return nil }
    let unitsPerOne = ControlNames.unitsPerOne(query.id)
    let type: ControlType
    switch v4l2_ctrl_type(query.type) {
    case V4L2_CTRL_TYPE_INTEGER, V4L2_CTRL_TYPE_INTEGER64: type = unitsPerOne == 1 ? .integer : .number
    case V4L2_CTRL_TYPE_BOOLEAN: type = .boolean
    case V4L2_CTRL_TYPE_MENU, V4L2_CTRL_TYPE_INTEGER_MENU: type = .menu
    default: return nil
    }
    var value: Int64 = 0
    guard cv4l_get(device, query.id, query.type, &value) == 0 else { return nil }
    return DeviceControl(
      key: query.id, name: ControlNames.name(query.id, driver: String(cString: cv4l_name(&query))), type: type,
      value: value, defaultValue: query.default_value, range: query.minimum...query.maximum,
      step: Int64(clamping: query.step), entries: type == .menu ? entries(device, query) : [],
      readOnly: has(V4L2_CTRL_FLAG_READ_ONLY) || has(V4L2_CTRL_FLAG_GRABBED), inactive: has(V4L2_CTRL_FLAG_INACTIVE),
      isWide: query.type == wideType, unitsPerOne: unitsPerOne)
  }

  /// The entries of a menu, of which drivers may leave out some.
  private func entries(_ device: Int32, _ query: v4l2_query_ext_ctrl) -> [ControlEntry] {
    // a menu has at most 64 entries; a driver that says more is wrong
    (max(0, query.minimum)...max(0, min(query.maximum, 255))).compactMap { index in
      var name = [CChar](repeating: 0, count: 32)
      var number: Int64 = 0
      guard cv4l_entry(device, query.id, UInt32(index), &name, &number) == 0 else { return nil }
      let text =
        query.type == V4L2_CTRL_TYPE_INTEGER_MENU.rawValue
        ? "\(number)" : String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      return ControlEntry(value: Int(index), name: ControlNames.entry(query.id, index: Int(index), driver: text))
    }
  }

  private var wideType: UInt32 { V4L2_CTRL_TYPE_INTEGER64.rawValue }

  func withDevice<Value>(_ body: (Int32) throws(CameraError) -> Value) throws(CameraError) -> Value {
    let device = open(node, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard device >= 0 else { throw failure("open", errno) }
    defer { close(device) }
    return try body(device)
  }

  /// What the system refused; `action` reads on after "can't".
  func failure(_ action: String, _ number: Int32) -> CameraError {
    let reason = String(cString: strerror(number))
    let kind: CameraError.Kind =
      switch number {
      case ENOENT, ENODEV, ENXIO: .cameraDisconnected
      case EBUSY: .cameraBusy
      case ERANGE: .valueOutOfRange
      default: .cameraFailed
      }
    return CameraError(
      kind, "can't \(action) camera '\(camera)' (\(node)): \(reason)", camera: camera, path: node, cause: reason)
  }
}
