import CameraClient
import CameraProtocol

/// `camctl control list`
struct ControlListCommand: Command {
  static let words = ["control", "list"]
  static let summary = "list what can be set on the camera"
  static let details = """
    Inactive ones are those that another control, such as exposureMode, decides.
    """

  init(_ words: CommandLineWords) throws(UsageError) {}

  func run(_ context: Context) throws {
    let answer = try context.connect().call(
      ListControls.self, CameraSelection(camera: context.camera), timeout: Context.shortTimeout)
    if context.json { return try Output.json(answer.json) }
    if answer.value.controls.isEmpty { return Output.note("the camera has no controls") }
    let rows = answer.value.controls.map { control in
      [control.name, control.text(control.value), control.text(control.default), control.choices]
    }
    for line in Text.table([["NAME", "VALUE", "DEFAULT", "CAN BE"]] + rows) { try Output.line(line) }
  }
}

/// `camctl control set`
struct ControlSetCommand: Command {
  static let words = ["control", "set"]
  static let usage = "NAME=VALUE ..."
  static let summary = "set controls of the camera, all or none"
  static let details = """
    VALUE is a number, on or off, or the name of a menu's entry. The values are set
    again whenever the camera is opened, until the daemon ends.
    """
  static let options = [Option("--persist", "set them again after the daemon has been\nrestarted, too")]
  static let maxArguments = 64

  private let values: [ControlValue]
  private let persist: Bool

  init(_ words: CommandLineWords) throws(UsageError) {
    persist = words.has("--persist")
    guard !words.arguments.isEmpty else { throw UsageError("'control set' needs NAME=VALUE behind it") }
    var values: [ControlValue] = []
    for word in words.arguments {
      guard let equals = word.firstIndex(of: "="), equals > word.startIndex, word.index(after: equals) < word.endIndex
      else { throw UsageError("'\(word)' is not NAME=VALUE") }
      let (name, text) = (String(word[..<equals]), String(word[word.index(after: equals)...]))
      if let number = Double(text), number.isFinite {
        values.append(ControlValue(name: name, value: number))
      } else {
        values.append(ControlValue(name: name, entry: text))
      }
    }
    self.values = values
  }

  func run(_ context: Context) throws {
    let answer = try context.connect().call(
      SetControls.self, SetControls.Parameters(camera: context.camera, values: values, persist: persist),
      timeout: Context.shortTimeout)
    if context.json { return try Output.json(answer.json) }
    for control in answer.value.controls { try Output.line("\(control.name)=\(control.text(control.value))") }
  }
}

/// `camctl control reset`
struct ControlResetCommand: Command {
  static let words = ["control", "reset"]
  static let usage = "[NAME ...]"
  static let summary = "set controls, or all, to their defaults"
  static let details = "The daemon keeps no value for them any more."
  static let maxArguments = 64

  private let names: [String]?

  init(_ words: CommandLineWords) throws(UsageError) {
    names = words.arguments.isEmpty ? nil : words.arguments
  }

  func run(_ context: Context) throws {
    let answer = try context.connect().call(
      ResetControls.self, ResetControls.Parameters(camera: context.camera, names: names),
      timeout: Context.shortTimeout)
    if context.json { return try Output.json(answer.json) }
    for control in answer.value.controls { try Output.line("\(control.name)=\(control.text(control.value))") }
  }
}

/// `camctl control point`
struct ControlPointCommand: Command {
  static let words = ["control", "point"]
  static let usage = "X Y"
  static let summary = "focus and measure light at a point"
  static let details = """
    X goes from 0 at the left to 1 at the right, Y from 0 at the top to 1 at the
    bottom.
    """
  static let options = [
    Option("--no-focus", "leave the focus alone"), Option("--no-exposure", "leave the exposure alone"),
  ]
  static let maxArguments = 2

  private let point: (x: Double, y: Double)
  private let focus: Bool
  private let exposure: Bool

  init(_ words: CommandLineWords) throws(UsageError) {
    let numbers = words.arguments.compactMap(Double.init)
    guard numbers.count == 2, words.arguments.count == 2, numbers.allSatisfy((0...1).contains) else {
      throw UsageError("'control point' needs two numbers from 0 to 1 behind it")
    }
    point = (numbers[0], numbers[1])
    (focus, exposure) = (!words.has("--no-focus"), !words.has("--no-exposure"))
    guard focus || exposure else { throw UsageError("'--no-focus' and '--no-exposure' together leave nothing to do") }
  }

  func run(_ context: Context) throws {
    let parameters = SetPointOfInterest.Parameters(
      camera: context.camera, x: point.x, y: point.y, focus: focus ? nil : false,
      exposure: exposure ? nil : false)
    let answer = try context.connect().call(SetPointOfInterest.self, parameters, timeout: Context.shortTimeout)
    if context.json { try Output.json(answer.json) }
  }
}

extension Control {
  /// One of its values, as people read it and as `control set` takes it.
  fileprivate func text(_ value: Double) -> String {
    switch type {
    case .boolean: return value == 0 ? "off" : "on"
    case .menu:
      if let entry = entries?.first(where: { Double($0.value) == value }) { return entry.name }
    case .integer, .number: break
    }
    return Int(exactly: value).map { "\($0)" } ?? "\(value)"
  }

  /// What it can be set to, and whether it can be set now.
  fileprivate var choices: String {
    let values =
      switch type {
      case .boolean: "off, on"
      case .menu: (entries ?? []).map(\.name).joined(separator: ", ")
      case .integer, .number: "\(text(minimum)) to \(text(maximum))\(step == 1 ? "" : " by \(text(step))")"
      }
    return values + (readOnly ? " (read-only)" : "") + (inactive ? " (inactive)" : "")
  }
}
