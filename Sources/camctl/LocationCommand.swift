import CameraClient
import CameraProtocol

/// `camctl location set`
struct LocationSetCommand: Command {
  static let words = ["location", "set"]
  static let usage = "LAT LON [ALT]"
  static let summary = "say where the machine is"
  static let details = """
    Degrees, north and east are positive, and metres above sea level. Photos and
    movies get the position from then on, after a restart of the daemon too. A live
    one, from a receiver, goes before it.
    """
  static let options = [Option("--accuracy", value: "M", "metres around it within which the true place lies")]
  static let maxArguments = 3

  private let numbers: [Double]
  private let accuracy: Double?

  init(_ words: CommandLineWords) throws(UsageError) {
    var numbers: [Double] = []
    for word in words.arguments {
      guard let number = Double(word), number.isFinite else {
        throw UsageError("'\(word)' is no number of degrees or metres, such as -33.8688")
      }
      numbers.append(number)
    }
    guard numbers.count >= 2 else { throw UsageError("'location set' needs latitude and longitude behind it") }
    self.numbers = numbers
    accuracy = try words.value("--accuracy", expected: "metres") { text in
      Double(text).flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
    }
  }

  func run(_ context: Context) throws {
    let answer = try context.connect().call(
      SetLocation.self,
      SetLocation.Parameters(
        latitude: numbers[0], longitude: numbers[1], altitude: numbers.count > 2 ? numbers[2] : nil,
        accuracy: accuracy), timeout: Context.shortTimeout)
    if context.json { return try Output.json(answer.json) }
    try answer.value.show()
  }
}

/// `camctl location clear`
struct LocationClearCommand: Command {
  static let words = ["location", "clear"]
  static let summary = "forget where the machine is"

  init(_ words: CommandLineWords) throws(UsageError) {}

  func run(_ context: Context) throws {
    let answer = try context.connect().call(ClearLocation.self, timeout: Context.shortTimeout)
    if context.json { try Output.json(answer.json) }
  }
}

/// `camctl location show`
struct LocationShowCommand: Command {
  static let words = ["location", "show"]
  static let summary = "show the position that captures get"

  init(_ words: CommandLineWords) throws(UsageError) {}

  func run(_ context: Context) throws {
    let answer = try context.connect().call(GetLocation.self, timeout: Context.shortTimeout)
    if context.json { return try Output.json(answer.json) }
    try answer.value.show()
  }
}

extension GetLocation.Reply {
  /// One line; what is beside the position goes to standard error.
  fileprivate func show() throws {
    guard let location else { return Output.note("no position is known") }
    let place = [location.latitude, location.longitude] + (location.altitude.map { [$0] } ?? [])
    var line = place.map { "\($0)" }.joined(separator: " ")
    if Output.isTerminal { line += " (\(location.source == .live ? "live" : "set by hand"), \(location.time))" }
    try Output.line(line)
    if !geotag { Output.note("captures don't get it: Geotag=no in the configuration") }
  }
}
