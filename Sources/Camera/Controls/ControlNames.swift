import CVideo4Linux
import CameraProtocol

/// What V4L2's controls are called here, and the units of their values.
enum ControlNames {
  private static let names: [Int32: String] = [
    V4L2_CID_BRIGHTNESS: "brightness", V4L2_CID_CONTRAST: "contrast", V4L2_CID_SATURATION: "saturation",
    V4L2_CID_HUE: "hue", V4L2_CID_HUE_AUTO: "autoHue", V4L2_CID_GAMMA: "gamma", V4L2_CID_GAIN: "gain",
    V4L2_CID_AUTOGAIN: "autoGain", V4L2_CID_ANALOGUE_GAIN: "analogueGain", V4L2_CID_SHARPNESS: "sharpness",
    V4L2_CID_AUTOBRIGHTNESS: "autoBrightness", V4L2_CID_BACKLIGHT_COMPENSATION: "backlightCompensation",
    V4L2_CID_POWER_LINE_FREQUENCY: "powerLineFrequency", V4L2_CID_COLORFX: "colorEffect",
    V4L2_CID_HFLIP: "horizontalFlip", V4L2_CID_VFLIP: "verticalFlip", V4L2_CID_ROTATE: "rotation",
    V4L2_CID_AUTO_WHITE_BALANCE: "autoWhiteBalance", V4L2_CID_WHITE_BALANCE_TEMPERATURE: "whiteBalanceTemperature",
    V4L2_CID_AUTO_N_PRESET_WHITE_BALANCE: "whiteBalanceMode", V4L2_CID_RED_BALANCE: "redBalance",
    V4L2_CID_BLUE_BALANCE: "blueBalance", V4L2_CID_EXPOSURE: "exposure", V4L2_CID_EXPOSURE_AUTO: "exposureMode",
    V4L2_CID_EXPOSURE_ABSOLUTE: "exposureTime", V4L2_CID_EXPOSURE_AUTO_PRIORITY: "exposureDynamicFrameRate",
    V4L2_CID_AUTO_EXPOSURE_BIAS: "exposureCompensation", V4L2_CID_EXPOSURE_METERING: "exposureMetering",
    V4L2_CID_ISO_SENSITIVITY: "isoSensitivity", V4L2_CID_ISO_SENSITIVITY_AUTO: "isoSensitivityMode",
    V4L2_CID_IRIS_ABSOLUTE: "iris", V4L2_CID_FOCUS_ABSOLUTE: "focus", V4L2_CID_FOCUS_AUTO: "autoFocus",
    V4L2_CID_AUTO_FOCUS_RANGE: "autoFocusRange", V4L2_CID_ZOOM_ABSOLUTE: "zoom", V4L2_CID_PAN_ABSOLUTE: "pan",
    V4L2_CID_TILT_ABSOLUTE: "tilt", V4L2_CID_WIDE_DYNAMIC_RANGE: "wideDynamicRange",
    V4L2_CID_IMAGE_STABILIZATION: "imageStabilization", V4L2_CID_SCENE_MODE: "sceneMode",
    V4L2_CID_PRIVACY: "privacy",
  ]

  /// The entries of V4L2's standard menus that drivers call by long names.
  private static let exposureModes = ["auto", "manual", "shutterPriority", "aperturePriority"]

  /// The field's name, else the driver's as one word.
  static func name(_ key: UInt32, driver: String) -> String {
    names[Int32(bitPattern: key)] ?? camelCase(driver, key)
  }

  /// The name of a menu's entry.
  static func entry(_ key: UInt32, index: Int, driver: String) -> String {
    guard key == UInt32(V4L2_CID_EXPOSURE_AUTO), exposureModes.indices.contains(index) else { return driver }
    return exposureModes[index]
  }

  /// How many of V4L2's units make one of ours: a second has 10000 times the 100 microseconds of an exposure.
  static func unitsPerOne(_ key: UInt32) -> Double { key == UInt32(V4L2_CID_EXPOSURE_ABSOLUTE) ? 10_000 : 1 }

  /// "White Balance, Automatic" becomes "whiteBalanceAutomatic".
  static func camelCase(_ text: String, _ key: UInt32) -> String {
    let words = text.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
    guard let first = words.first else { return "control\(String(key, radix: 16))" }
    return first + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }
}
