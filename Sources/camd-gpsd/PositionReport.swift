import CameraProtocol
import FoundationEssentials

/// What gpsd says of time and place: an object of class `TPV` of its JSON protocol.
struct PositionReport: Decodable {
  /// The object's class.
  var `class`: String
  /// 2: a place; 3: with its altitude.
  var mode: Int?
  /// RFC 3339.
  var time: String?
  /// Degrees.
  var lat: Double?, lon: Double?
  /// Metres above sea level; the second is the older name.
  var altMSL: Double?, alt: Double?
  /// Metres of likely error: along the ground, to the east, to the north.
  var eph: Double?, epx: Double?, epy: Double?

  /// The report of a line; nil where it is of another class, or no report.
  init?(line: [UInt8]) {
    guard let report = try? JSONDecoder().decode(Self.self, from: Data(line)), report.class == "TPV" else { return nil }
    self = report
  }

  /// Seconds that a receiver's clock and this machine's may be apart.
  private static let clockDifference = 30.0

  /// What it says of the place; nil where it knows none.
  ///
  /// gpsd reports what it has just learnt. A time that says otherwise is wrong by itself: old receivers are 1024 weeks
  /// late, and a machine without a clock of its own wakes up in another year. Then the place is one of now.
  func location(now: Timestamp) -> SetLocation.Parameters? {
    guard let mode, mode >= 2, let lat, let lon else { return nil }
    let found = time.flatMap(Timestamp.init).flatMap { time in
      abs(time.timeInterval(since: now)) <= Self.clockDifference ? time : nil
    }
    let error = eph ?? [epx, epy].compactMap { $0 }.max()
    return SetLocation.Parameters(
      latitude: lat, longitude: lon, altitude: mode >= 3 ? altMSL ?? alt : nil, accuracy: error,
      time: found, source: .live)
  }
}
