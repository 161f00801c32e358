public import CameraProtocol

/// A control as a device knows it: whole numbers in the device's units.
public struct DeviceControl: Sendable, Equatable {
  /// What the device calls it by.
  public var key: UInt32
  /// The field's name.
  public var name: String
  /// What kind of value it has; a number where `unit` isn't 1.
  public var type: ControlType
  /// The value now.
  public var value: Int64
  /// The value of a reset.
  public var defaultValue: Int64
  /// The values that it can have.
  public var range: ClosedRange<Int64>
  /// From one value to the next, counted from the least; at least 1.
  public var step: Int64
  /// The choices of a menu.
  public var entries: [ControlEntry]
  /// True where it can't be set.
  public var readOnly: Bool
  /// True where another control makes it of no effect.
  public var inactive: Bool
  /// True where the device takes it as 64 bits.
  public var isWide: Bool
  /// How many of the device's units make one of the field's.
  public var unitsPerOne: Double

  /// A control of these values.
  public init(
    key: UInt32, name: String, type: ControlType, value: Int64, defaultValue: Int64, range: ClosedRange<Int64>,
    step: Int64 = 1, entries: [ControlEntry] = [], readOnly: Bool = false, inactive: Bool = false,
    isWide: Bool = false, unitsPerOne: Double = 1
  ) {
    self.key = key
    self.name = name
    self.type = type
    self.value = value
    self.defaultValue = defaultValue
    self.range = range
    self.step = max(1, step)
    self.entries = entries
    self.readOnly = readOnly
    self.inactive = inactive
    self.isWide = isWide
    self.unitsPerOne = unitsPerOne
  }

  /// As clients see it.
  public var control: Control {
    Control(
      name: name, type: type, value: inUnits(value), default: inUnits(defaultValue),
      minimum: inUnits(range.lowerBound), maximum: inUnits(range.upperBound), step: inUnits(step),
      entries: type == .menu ? entries : nil, readOnly: readOnly, inactive: inactive)
  }

  /// A value of the device in the field's unit.
  func inUnits(_ value: Int64) -> Double { Double(value) / unitsPerOne }

  /// The device's value for what a client wants; throws `valueOutOfRange`, which says what it can be.
  func value(for wanted: ControlValue, camera: String) throws(CameraError) -> Int64 {
    let found: Int64?
    switch (wanted.value, wanted.entry) {
    case (let number?, nil): found = value(for: number)
    case (nil, let entry?): found = value(for: entry)
    default:
      throw CameraError(
        .valueOutOfRange, "control '\(name)' of camera '\(camera)' needs either a value or an entry", camera: camera)
    }
    guard let found else {
      let given = wanted.entry.map { "'\($0)'" } ?? wanted.value.map(Self.text) ?? ""
      throw CameraError(
        .valueOutOfRange, "control '\(name)' of camera '\(camera)' can't be \(given): it takes \(choices)",
        camera: camera)
    }
    return found
  }

  private func value(for number: Double) -> Int64? {
    guard number.isFinite else { return nil }
    let device = number * unitsPerOne
    let rounded: Double
    if type == .number {
      let origin = Double(range.lowerBound)
      rounded = origin + ((device - origin) / Double(step)).rounded() * Double(step)
    } else {
      rounded = device
    }
    guard let value = Int64(exactly: rounded), range.contains(value) else { return nil }
    if type == .menu { return entries.contains { Int64($0.value) == value } ? value : nil }
    let (distance, overflow) = value.subtractingReportingOverflow(range.lowerBound)
    return overflow || distance % step == 0 ? value : nil
  }

  private func value(for entry: String) -> Int64? {
    let wanted = entry.lowercased()
    switch type {
    case .menu: return entries.first { $0.name.lowercased() == wanted }.map { Int64($0.value) }
    case .boolean: return ["on": 1, "true": 1, "off": 0, "false": 0][wanted]
    case .integer, .number: return nil
    }
  }

  /// The values that it takes, in words.
  private var choices: String {
    switch type {
    case .boolean: return "on (1) or off (0)"
    case .menu: return entries.map { "\($0.name) (\($0.value))" }.joined(separator: ", ")
    case .integer, .number:
      let limits = control
      return "\(Self.text(limits.minimum)) to \(Self.text(limits.maximum)) in steps of \(Self.text(limits.step))"
    }
  }

  private static func text(_ number: Double) -> String {
    Int64(exactly: number).map { "\($0)" } ?? "\(number)"
  }
}
