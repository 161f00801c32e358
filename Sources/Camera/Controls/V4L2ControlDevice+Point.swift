import CVideo4Linux
import CameraProtocol
import Glibc

/// The point of interest, which is the region of interest of USB cameras.
extension V4L2ControlDevice {
  func setPointOfInterest(x: Double, y: Double, focus: Bool?, exposure: Bool?) throws(CameraError) {
    try withDevice { device throws(CameraError) in
      var query = v4l2_query_ext_ctrl()
      query.id = UInt32(CV4L_REGION_AUTOMATICS)
      var automatics: Int64 = 0
      // a device without it says so
      guard cv4l_query(device, &query) == 0, cv4l_get(device, query.id, query.type, &automatics) == 0 else {
        throw unsupported("focus or measure the light")
      }
      var wanted = UInt32(truncatingIfNeeded: automatics)
      for (bit, choice, what) in [
        (CV4L_AUTOMATIC_FOCUS, focus, "focus"), (CV4L_AUTOMATIC_EXPOSURE, exposure, "measure the light"),
      ] {
        let bit = UInt32(bit)
        let can = UInt64(bitPattern: query.maximum) & UInt64(bit) != 0
        if choice == true, !can { throw unsupported(what) }
        if choice ?? can { wanted |= bit } else { wanted &= ~bit }
      }
      guard wanted & UInt32(CV4L_AUTOMATIC_FOCUS | CV4L_AUTOMATIC_EXPOSURE) != 0 else {
        throw unsupported("focus or measure the light")
      }
      var largest = v4l2_rect()
      var number = cv4l_largest_region(device, &largest)
      guard number == 0 else { throw failure("read the region of interest of", number) }
      var region = Self.region(x: x, y: y, in: largest)
      number = cv4l_set_region(device, &region, wanted)
      guard number == 0 else { throw failure("set the region of interest of", number) }
    }
  }

  /// A quarter of the width and of the height around a point, moved so that it lies within the picture.
  static func region(x: Double, y: Double, in largest: v4l2_rect) -> v4l2_rect {
    func side(_ position: Double, _ start: Int32, _ length: UInt32) -> (start: Int32, length: UInt32) {
      let part = max(1, length / 4)
      let wanted = position * Double(length) - Double(part) / 2
      let offset = min(max(0, wanted), Double(length) - Double(min(part, length)))
      return (start + Int32(offset), part)
    }
    let horizontal = side(x, largest.left, largest.width)
    let vertical = side(y, largest.top, largest.height)
    return v4l2_rect(
      left: horizontal.start, top: vertical.start, width: horizontal.length, height: vertical.length)
  }

  private func unsupported(_ what: String) -> CameraError {
    CameraError(.notSupported, "camera '\(camera)' can't \(what) at a point", camera: camera)
  }
}
