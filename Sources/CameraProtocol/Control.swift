/// What kind of value a control has.
public enum ControlType: String, Codable, Sendable, CaseIterable {
  /// A whole number.
  case integer
  /// A number in the unit that the control's name stands for.
  case number
  /// 0 or 1.
  case boolean
  /// The value of one of its entries.
  case menu
}

/// One choice of a menu.
public struct ControlEntry: Codable, Sendable, Hashable {
  /// What to set to choose it.
  public var value: Int
  /// What it is called.
  public var name: String

  /// An entry of these values.
  public init(value: Int, name: String) {
    self.value = value
    self.name = name
  }
}

/// Something that can be set on a camera.
public struct Control: Codable, Sendable, Equatable {
  /// The field's name, such as `exposureTime`; see the interface file for the units.
  public var name: String
  /// What kind of value it has.
  public var type: ControlType
  /// The value now.
  public var value: Double
  /// The value that a reset sets.
  public var `default`: Double
  /// The least value.
  public var minimum: Double
  /// The greatest value.
  public var maximum: Double
  /// The distance from one value to the next; 1 for menus, some of whose values may be missing.
  public var step: Double
  /// The choices of a menu; nil for the other types.
  public var entries: [ControlEntry]?
  /// True where it can't be set, ever or as long as the camera streams.
  public var readOnly: Bool
  /// True where another control makes it of no effect for now.
  public var inactive: Bool

  /// A control of these values.
  public init(
    name: String, type: ControlType, value: Double, default: Double, minimum: Double, maximum: Double, step: Double,
    entries: [ControlEntry]? = nil, readOnly: Bool = false, inactive: Bool = false
  ) {
    self.name = name
    self.type = type
    self.value = value
    self.default = `default`
    self.minimum = minimum
    self.maximum = maximum
    self.step = step
    self.entries = entries
    self.readOnly = readOnly
    self.inactive = inactive
  }
}

/// What to set a control to.
public struct ControlValue: Codable, Sendable, Equatable {
  /// The control.
  public var name: String
  /// The value; nil where the entry says it.
  public var value: Double?
  /// The name of a menu's entry, or `on` or `off`; nil where the value is given.
  public var entry: String?

  /// That control at a value.
  public init(name: String, value: Double) {
    self.name = name
    self.value = value
  }

  /// That control at an entry.
  public init(name: String, entry: String) {
    self.name = name
    self.entry = entry
  }
}
