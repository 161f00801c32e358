import Foundation

/// What exiftool says of a photo.
public struct PhotoJudge: Sendable {
  /// The file.
  public let path: String

  /// Judges that file.
  public init(_ path: String) { self.path = path }

  /// Everything that exiftool finds wrong; empty for nothing.
  public func complaints() throws -> String {
    let result = try Tool.run(["exiftool", "-validate", "-warning", "-error", "-a", "-s3", path])
    // 'OK' is what -validate says of a file without a fault
    return result.output.split(separator: "\n").filter { $0 != "OK" }.joined(separator: "\n") + result.errors
  }

  /// Every tag by its name, numbers as numbers.
  public func tags() throws -> [String: String] {
    let result = try Tool.run(["exiftool", "-n", "-j", path])
    guard let list = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]],
      let tags = list.first
    else { throw MakerError(description: "exiftool: \(result.output) \(result.errors)") }
    return tags.mapValues { "\($0)" }
  }

  /// The position in degrees and metres; throws where there is none.
  public func position() throws -> (latitude: Double, longitude: Double, altitude: Double?) {
    let tags = try tags()
    guard let latitude = tags["GPSLatitude"].flatMap(Double.init),
      let longitude = tags["GPSLongitude"].flatMap(Double.init)
    else { throw MakerError(description: "\(path) has no position") }
    return (latitude, longitude, tags["GPSAltitude"].flatMap(Double.init))
  }
}
