import CSQLite
import Glibc

/// How far two places are apart.
enum Distance {
  /// The mean radius of the earth.
  private static let radius = 6371.0088

  /// Kilometres on the surface between two places in degrees.
  static func kilometres(_ latitude: Double, _ longitude: Double, _ otherLatitude: Double, _ otherLongitude: Double)
    -> Double
  {
    let (from, to) = (latitude * .pi / 180, otherLatitude * .pi / 180)
    let rise = sin((to - from) / 2)
    let turn = sin((otherLongitude - longitude) * .pi / 360)
    return 2 * radius * asin(min(1, (rise * rise + cos(from) * cos(to) * turn * turn).squareRoot()))
  }

  /// Degrees of latitude that so many kilometres are.
  static func degrees(_ kilometres: Double) -> Double { kilometres / radius * 180 / .pi }

  /// Gives a database the function `distance(latitude, longitude, latitude, longitude)`.
  static func register(with database: OpaquePointer) {
    sqlite3_create_function_v2(
      database, "distance", 4, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil,
      { context, _, values in
        guard let values else { return sqlite3_result_null(context) }
        let numbers = (0..<4).map { sqlite3_value_double(values[$0]) }
        sqlite3_result_double(context, Distance.kilometres(numbers[0], numbers[1], numbers[2], numbers[3]))
      }, nil, nil, nil)
  }
}
