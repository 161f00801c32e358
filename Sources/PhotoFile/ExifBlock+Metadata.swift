public import CameraProtocol

extension ExifBlock {
  /// How the camera's own block says that the picture has to be turned.
  public var orientation: Orientation? {
    text("Exif.Image.Orientation").flatMap { Int($0) }.flatMap(Orientation.init(rawValue:))
  }

  /// Takes up what is known of the photo. What the camera's own block says of maker, model and exposure stays; a small
  /// picture stays as long as the large one is the camera's own (`isUnchanged`).
  public func fill(_ metadata: PhotoMetadata, format: PhotoFormat, isUnchanged: Bool) throws(PhotoFileError) {
    try fillDevice(metadata)
    try fillTime(metadata.time)
    try set("Exif.Image.Orientation", "\(metadata.orientation.rawValue)")
    try set("Exif.Photo.PixelXDimension", "\(metadata.width)")
    try set("Exif.Photo.PixelYDimension", "\(metadata.height)")
    try fillFormat(format)
    try fillExposure(metadata)
    try fillPlace(metadata.place, taken: metadata.time)
    if !isUnchanged { removeThumbnail() }
  }

  private func fillDevice(_ metadata: PhotoMetadata) throws(PhotoFileError) {
    if !(has("Exif.Image.Make") && has("Exif.Image.Model")) {
      for (tag, value) in [("Exif.Image.Make", metadata.maker), ("Exif.Image.Model", metadata.model)] {
        guard let value = value.map(Self.printable), !value.isEmpty else { continue }
        try set(tag, value)
      }
    }
    if let software = metadata.software { try set("Exif.Image.Software", software) }
  }

  private func fillTime(_ time: Timestamp) throws(PhotoFileError) {
    let local = time.localFields
    let date = "\(Self.padded(local.year, 4)):\(Self.padded(local.month)):\(Self.padded(local.day))"
    let clock = "\(Self.padded(local.hour)):\(Self.padded(local.minute)):\(Self.padded(local.second))"
    let minutes = abs(time.offset) / 60
    let offset = "\(time.offset < 0 ? "-" : "+")\(Self.padded(minutes / 60)):\(Self.padded(minutes % 60))"
    let fraction = Self.padded(time.nanoseconds / 1_000_000, 3)
    for (tag, suffix) in [
      ("Exif.Image.DateTime", ""), ("Exif.Photo.DateTimeOriginal", "Original"),
      ("Exif.Photo.DateTimeDigitized", "Digitized"),
    ] {
      try set(tag, "\(date) \(clock)")
      try set("Exif.Photo.OffsetTime\(suffix)", offset)
      try set("Exif.Photo.SubSecTime\(suffix)", fraction)
    }
  }

  /// What the standard demands beside what anybody wants to know.
  func fillFormat(_ format: PhotoFormat) throws(PhotoFileError) {
    try set("Exif.Photo.ExifVersion", "48 50 51 50")
    try complete("Exif.Photo.ColorSpace", "1")
    try complete("Exif.Image.XResolution", "72/1")
    try complete("Exif.Image.YResolution", "72/1")
    try complete("Exif.Image.ResolutionUnit", "2")
    try complete("Exif.Photo.FlashpixVersion", "48 49 48 48")
    if format == .jpeg {
      try complete("Exif.Image.YCbCrPositioning", "1")
      try complete("Exif.Photo.ComponentsConfiguration", "1 2 3 0")
    }
  }

  private func fillExposure(_ metadata: PhotoMetadata) throws(PhotoFileError) {
    if let seconds = metadata.exposureTime, seconds > 0, seconds < 100_000 {
      let (whole, parts) = (seconds >= 0.3, Int((1 / seconds).rounded()))
      try complete("Exif.Photo.ExposureTime", whole ? "\(Int((seconds * 1000).rounded()))/1000" : "1/\(parts)")
    }
    switch metadata.flash {
    case .none?: try complete("Exif.Photo.Flash", "32")
    case .used(let lit, let isAutomatic)?:
      try set("Exif.Photo.Flash", "\((isAutomatic ? 0x18 : lit ? 0x08 : 0x10) | (lit ? 1 : 0))")
    case nil: break
    }
  }

  private func fillPlace(_ place: PhotoMetadata.Place, taken: Timestamp) throws(PhotoFileError) {
    guard place != .unknown else { return }
    removeAll("Exif.GPSInfo.")
    guard case .location(let location) = place else {
      remove("Exif.Image.GPSTag")
      return
    }
    let isLive = location.source == .live
    // A position set by hand holds at the moment of the photo; a receiver's has a moment of its own.
    let time = isLive ? location.time : taken
    let clock = Timestamp(seconds: time.seconds, nanoseconds: time.nanoseconds).localFields
    let milliseconds = clock.second * 1000 + time.nanoseconds / 1_000_000
    try set("Exif.GPSInfo.GPSVersionID", "2 3 0 0")
    try set("Exif.GPSInfo.GPSLatitudeRef", location.latitude < 0 ? "S" : "N")
    try set("Exif.GPSInfo.GPSLatitude", Self.degrees(location.latitude))
    try set("Exif.GPSInfo.GPSLongitudeRef", location.longitude < 0 ? "W" : "E")
    try set("Exif.GPSInfo.GPSLongitude", Self.degrees(location.longitude))
    if let altitude = location.altitude {
      try set("Exif.GPSInfo.GPSAltitudeRef", altitude < 0 ? "1" : "0")
      try set("Exif.GPSInfo.GPSAltitude", Self.thousandths(altitude))
    }
    if let accuracy = location.accuracy {
      try set("Exif.GPSInfo.GPSHPositioningError", Self.thousandths(accuracy))
    }
    try set("Exif.GPSInfo.GPSTimeStamp", "\(clock.hour)/1 \(clock.minute)/1 \(milliseconds)/1000")
    try set(
      "Exif.GPSInfo.GPSDateStamp",
      "\(Self.padded(clock.year, 4)):\(Self.padded(clock.month)):\(Self.padded(clock.day))")
    try set("Exif.GPSInfo.GPSMapDatum", "WGS-84")
    try set("Exif.GPSInfo.GPSProcessingMethod", "charset=Ascii \(isLive ? "GPS" : "MANUAL")")
  }

  /// Degrees, minutes and ten-thousandths of a second: 3 mm.
  private static func degrees(_ value: Double) -> String {
    let parts = Int((abs(value) * 36_000_000).rounded())
    return "\(parts / 36_000_000)/1 \(parts / 600_000 % 60)/1 \(parts % 600_000)/10000"
  }

  private static func thousandths(_ value: Double) -> String { "\(Int((abs(value) * 1000).rounded()))/1000" }

  static func padded(_ number: Int, _ digits: Int = 2) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }

  /// One line without control characters.
  private static func printable(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value >= 32 && $0.value != 127 }.prefix(200)))
  }
}
