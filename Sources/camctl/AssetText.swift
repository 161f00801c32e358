import CameraProtocol

/// Assets as people type and read them.
enum AssetText {
  /// `photo`, `movie,audio`.
  static func kinds(_ text: String) -> [AssetKind]? {
    let known = [
      "photo": AssetKind.image, "photos": .image, "image": .image, "movie": .movie, "movies": .movie,
      "video": .movie, "audio": .audio,
    ]
    let kinds = text.split(separator: ",", omittingEmptySubsequences: false).map { known[String($0)] }
    return kinds.isEmpty || kinds.contains(nil) ? nil : kinds.compactMap(\.self)
  }

  /// `LAT,LON` or `LAT,LON,KM`.
  static func circle(_ text: String) -> Circle? {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
    let numbers = parts.compactMap(\.self)
    guard numbers.count == parts.count, (2...3).contains(numbers.count), numbers.allSatisfy(\.isFinite),
      abs(numbers[0]) <= 90, abs(numbers[1]) <= 180, numbers.count < 3 || numbers[2] >= 0
    else { return nil }
    return Circle(latitude: numbers[0], longitude: numbers[1], kilometres: numbers.count > 2 ? numbers[2] : 1)
  }

  /// A line for each, of at most 80 columns as long as ids are those of captures.
  static func table(_ assets: [Asset]) -> [String] {
    let lines = Text.table(
      assets.map { asset in
        [
          asset.favorite ? "★" : " ", kind(asset.kind), time(asset.time),
          asset.duration.map(Text.duration) ?? Text.bytes(asset.bytes), clipped(asset.camera ?? "", 11), asset.id,
        ]
      })
    return zip(lines, assets).flatMap { line, asset in asset.damage.map { [line, "   \($0)"] } ?? [line] }
  }

  static func kind(_ kind: AssetKind) -> String { kind == .image ? "photo" : kind.rawValue }

  /// To the minute, as the clock showed it where it was taken.
  static func time(_ time: Timestamp) -> String {
    let text = time.description
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5))"
  }

  /// A text without what would disturb a terminal, cut off behind so many characters.
  static func clipped(_ text: String, _ count: Int) -> String {
    let plain = text.map { $0.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 } ? $0 : "?" }
    return plain.count <= count ? String(plain) : String(plain.prefix(count - 1)) + "…"
  }
}

/// Moments as they are typed.
enum TimeText {
  static let expected = "a date (2026-11-30), a time (2026-11-30T11:00:00Z) or an age (12h, 2d)"

  /// The moment, of a date its beginning; nil for anything else.
  static func start(_ text: String, now: Timestamp = .now) -> Timestamp? {
    if let age = age(text) { return now - age }
    return day(text, 0) ?? moment(text)
  }

  /// The moment, of a date its end.
  static func end(_ text: String, now: Timestamp = .now) -> Timestamp? {
    if let age = age(text) { return now - age }
    return day(text, 1) ?? moment(text)
  }

  private static func age(_ text: String) -> Double? {
    let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]
    guard let unit = text.last.flatMap({ units[$0] }) else { return nil }
    let digits = text.dropLast()
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) || $0 == 46 }), let number = Double(digits)
    else { return nil }
    return number * unit < 1e10 ? number * unit : nil
  }

  private static func day(_ text: String, _ days: Int) -> Timestamp? {
    guard text.utf8.count == 10, let midnight = Timestamp("\(text)T00:00:00Z") else { return nil }
    return Timestamp(localClock: Timestamp(seconds: midnight.seconds + days * 86_400))
  }

  /// RFC 3339; without an offset, by the clock of this machine.
  private static func moment(_ text: String) -> Timestamp? {
    Timestamp(text) ?? Timestamp("\(text)Z").map { Timestamp(localClock: $0) }
      ?? Timestamp("\(text):00Z").map { Timestamp(localClock: $0) }
  }
}
