import CameraProtocol
import Glibc

extension ExifBlock {
  /// The moment of capture: original, digitised or last changed, with fraction and offset where they are known.
  var time: Timestamp? {
    for (tag, suffix) in [
      ("Exif.Photo.DateTimeOriginal", "Original"), ("Exif.Photo.DateTimeDigitized", "Digitized"),
      ("Exif.Image.DateTime", ""),
    ] {
      guard let text = text(tag), text.utf8.count >= 19 else { continue }
      let fraction = self.text("Exif.Photo.SubSecTime\(suffix)")?.prefix { $0.isNumber }
      let offset = self.text("Exif.Photo.OffsetTime\(suffix)") ?? self.text("Exif.Photo.OffsetTime")
      if let time = Self.time(text, fraction.map(String.init), offset) { return time }
    }
    return nil
  }

  /// The position.
  var coordinates: Coordinates? {
    guard let latitude = degrees("Latitude", negative: "S"), let longitude = degrees("Longitude", negative: "W"),
      abs(latitude) <= 90, abs(longitude) <= 180
    else { return nil }
    let altitude = text("Exif.GPSInfo.GPSAltitude").flatMap(Self.fraction).map {
      text("Exif.GPSInfo.GPSAltitudeRef")?.hasPrefix("1") == true ? -$0 : $0
    }
    return Coordinates(latitude: latitude, longitude: longitude, altitude: altitude)
  }

  private func degrees(_ name: String, negative: String) -> Double? {
    guard let text = text("Exif.GPSInfo.GPS\(name)") else { return nil }
    let parts = text.split(separator: " ").compactMap { Self.fraction(String($0)) }
    guard parts.count == 3 else { return nil }
    // camd writes ten-thousandths of a second; seven places are more than those
    let value = ((parts[0] + parts[1] / 60 + parts[2] / 3600) * 1e7).rounded() / 1e7
    return self.text("Exif.GPSInfo.GPS\(name)Ref")?.hasPrefix(negative) == true ? -value : value
  }

  private static func fraction(_ text: String) -> Double? {
    let parts = text.split(separator: "/")
    guard let first = parts.first.flatMap({ Double($0) }) else { return nil }
    guard parts.count == 2 else { return parts.count == 1 ? first : nil }
    guard let second = Double(parts[1]), second != 0 else { return nil }
    return first / second
  }

  /// `2026:11:30 16:51:15`, with a fraction's digits and `+05:45`.
  private static func time(_ text: String, _ fraction: String?, _ offset: String?) -> Timestamp? {
    var date = Array(text.utf8.prefix(19))
    date[4] = UInt8(ascii: "-")
    date[7] = UInt8(ascii: "-")
    date[10] = UInt8(ascii: "T")
    let clock = String(decoding: date, as: UTF8.self) + (fraction.flatMap { $0.isEmpty ? nil : ".\($0)" } ?? "")
    if let offset, let time = Timestamp(clock + offset) { return time }
    guard let time = Timestamp(clock + "Z") else { return nil }
    return Timestamp(localClock: time)
  }
}
