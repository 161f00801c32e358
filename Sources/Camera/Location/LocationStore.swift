public import CameraProtocol
import FoundationEssentials
import Glibc
import Synchronization

/// Where the machine is: a position that was set by hand and is kept in a file, and the last one of a receiver, which
/// goes before it as long as it is fresh.
public final class LocationStore: Sendable {
  /// Seconds that a receiver's position holds, where the configuration says nothing else.
  public static let defaultMaxAge = 60.0

  private struct Fix {
    var location: GeoLocation
    /// When it came. This clock isn't set, and runs on while the machine sleeps.
    var arrival: ContinuousClock.Instant
    /// Seconds that it was old then.
    var age: Double
  }

  private struct State {
    var manual: GeoLocation?
    var live: Fix?
  }

  /// Whether positions are written into captures.
  public let geotag: Bool
  private let path: String?
  private let maxAge: Double
  private let state: Mutex<State>
  /// One write to the disk at a time; captures don't wait for it.
  private let writing = Mutex(())

  /// Reads the position that was set by hand from a JSON file, which needn't be there; nil for none. `maxAge`: seconds
  /// that a receiver's position holds. What can't be read is given to `log`, and counts as nothing.
  public init(path: String?, geotag: Bool = true, maxAge: Double = defaultMaxAge, log: Logger) {
    self.path = path
    self.geotag = geotag
    self.maxAge = maxAge
    var kept: GeoLocation?
    if let path, access(path, F_OK) == 0 {
      do {
        let location = try JSONDecoder().decode(GeoLocation.self, from: try Data(contentsOf: URL(filePath: path)))
        try Self.check(location)
        kept = location
      } catch {
        log(.warning, "the position in '\(path)' can't be read, and counts as not set: \(error)")
      }
    }
    state = Mutex(State(manual: kept))
  }

  /// The position of now; nil where there is none, or only one that is too old.
  public var current: GeoLocation? {
    let now = ContinuousClock.now
    return state.withLock { state in
      if let live = state.live {
        if live.age + (now - live.arrival).seconds <= maxAge { return live.location }
        state.live = nil
      }
      return state.manual
    }
  }

  /// The position that a capture of now gets.
  var forCaptures: GeoLocation? { geotag ? current : nil }

  /// Takes a position. One that was set by hand is kept on the disk; blocks for as long as that takes. Throws
  /// `valueOutOfRange`, or `libraryUnavailable` where it can't be kept; then nothing is changed.
  public func set(_ location: GeoLocation) throws(CameraError) {
    try Self.check(location)
    switch location.source {
    case .live:
      let age = Timestamp.now.timeInterval(since: location.time)
      // A receiver's clock may be a little ahead, and this machine's far behind.
      let fix = Fix(location: location, arrival: .now, age: max(0, age))
      state.withLock { $0.live = fix }
    case .manual: try keep(location)
    }
  }

  /// Forgets the position, that of a receiver and, on the disk as well, that set by hand. Throws as `set` does.
  public func clear() throws(CameraError) {
    try keep(nil)
    state.withLock { $0.live = nil }
  }

  private func keep(_ location: GeoLocation?) throws(CameraError) {
    let failure = writing.withLock { _ -> CameraError? in
      guard state.withLock({ $0.manual }) != location else { return nil }
      do throws(CameraError) {
        try write(location)
        state.withLock { $0.manual = location }
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
  }

  private func write(_ location: GeoLocation?) throws(CameraError) {
    guard let path else {
      throw CameraError(.libraryUnavailable, "there is no folder to keep the position in: HOME is not set")
    }
    do {
      guard let location else {
        guard unlink(path) == 0 || errno == ENOENT else { throw StateFile.SystemError(number: errno) }
        return
      }
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
      try StateFile.replace(path, with: Array(try encoder.encode(location)))
    } catch {
      let reason = (error as? StateFile.SystemError).map { String(cString: strerror($0.number)) } ?? "\(error)"
      throw CameraError(
        .libraryUnavailable, "the position can't be kept in '\(path)': \(reason)", path: path, cause: reason)
    }
  }

  private static func check(_ location: GeoLocation) throws(CameraError) {
    func require(_ value: Double?, _ name: String, _ range: ClosedRange<Double>, _ unit: String) throws(CameraError) {
      guard let value, !range.contains(value) else { return }
      throw CameraError(
        .valueOutOfRange,
        "\(name) \(value) is not on earth: it goes from \(Int(range.lowerBound)) to \(Int(range.upperBound)) \(unit)")
    }
    try require(location.latitude, "latitude", -90...90, "degrees")
    try require(location.longitude, "longitude", -180...180, "degrees")
    try require(location.altitude, "altitude", -12_000...100_000, "metres")
    try require(location.accuracy, "accuracy", 0...20_000_000, "metres")
  }
}

extension Duration {
  fileprivate var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
