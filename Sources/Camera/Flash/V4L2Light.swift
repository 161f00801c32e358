import CVideo4Linux
import Glibc
import Synchronization

/// The flash controls of an open V4L2 node.
protocol FlashControls: Sendable {
  /// The largest value of a control, in a menu one that is offered; nil where there is no such control.
  func largest(_ control: Int32) -> Int64?
  /// Whether a menu has an entry of that index.
  func offers(_ entry: Int64, of control: Int32) -> Bool
  func set(_ control: Int32, to value: Int64) throws(LightError)
}

/// A flash with V4L2's controls, on a sub-device or on the camera's own node. A LED that can strobe does that for
/// photos, with its largest current and time; any other one shines as a torch.
final class V4L2Light: Light {
  private let open: @Sendable () throws(LightError) -> any FlashControls
  // Open as long as it shines: there are drivers that turn the light off with the last one who has the node open.
  private let node = Mutex<(any FlashControls)?>(nil)

  init(_ open: @escaping @Sendable () throws(LightError) -> any FlashControls) { self.open = open }

  func set(_ lighting: Lighting) throws(LightError) {
    let held = node.withLock { $0 }
    let controls = if let held { held } else { try open() }
    node.withLock { $0 = controls }
    switch lighting {
    case .off:
      try controls.set(V4L2_CID_FLASH_LED_MODE, to: Int64(V4L2_FLASH_LED_MODE_NONE.rawValue))
      node.withLock { $0 = nil }
    case .torch:
      try controls.set(V4L2_CID_FLASH_LED_MODE, to: Int64(V4L2_FLASH_LED_MODE_TORCH.rawValue))
    case .flash:
      let mode = Int64(V4L2_FLASH_LED_MODE_FLASH.rawValue)
      guard controls.offers(mode, of: V4L2_CID_FLASH_LED_MODE), controls.largest(V4L2_CID_FLASH_STROBE) != nil else {
        return try set(.torch)
      }
      try controls.set(V4L2_CID_FLASH_LED_MODE, to: mode)
      let software = Int64(V4L2_FLASH_STROBE_SOURCE_SOFTWARE.rawValue)
      if controls.offers(software, of: V4L2_CID_FLASH_STROBE_SOURCE) {
        try controls.set(V4L2_CID_FLASH_STROBE_SOURCE, to: software)
      }
      for control in [V4L2_CID_FLASH_TIMEOUT, V4L2_CID_FLASH_INTENSITY] {
        if let largest = controls.largest(control) { try controls.set(control, to: largest) }
      }
      try controls.set(V4L2_CID_FLASH_STROBE, to: 1)
    }
  }
}

/// An open V4L2 node.
final class V4L2FlashNode: FlashControls {
  private let path: String
  private let descriptor: Int32

  init(_ path: String) throws(LightError) {
    self.path = path
    descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw LightError("can't open \(path): \(String(cString: strerror(errno)))") }
  }

  deinit { close(descriptor) }

  func largest(_ control: Int32) -> Int64? {
    var query = v4l2_query_ext_ctrl()
    query.id = UInt32(control)
    guard cv4l_query(descriptor, &query) == 0, query.flags & UInt32(V4L2_CTRL_FLAG_DISABLED) == 0 else { return nil }
    return query.maximum
  }

  func offers(_ entry: Int64, of control: Int32) -> Bool {
    var name = [CChar](repeating: 0, count: 32)
    var number: Int64 = 0
    return cv4l_entry(descriptor, UInt32(control), UInt32(entry), &name, &number) == 0
  }

  func set(_ control: Int32, to value: Int64) throws(LightError) {
    // none of these is wide
    let code = cv4l_set(descriptor, [UInt32(control)], [0], [value], 1)
    guard code != 0 else { return }
    let why = code == EINVAL || code == ENOTTY ? "it has no such flash control" : String(cString: strerror(code))
    throw LightError("can't set control \(String(control, radix: 16)) of \(path): \(why)")
  }
}
