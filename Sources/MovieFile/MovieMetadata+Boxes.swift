extension MovieMetadata {
  /// The keys under `moov/meta` (handler `mdta`), as cameras write them, and the one of our own: the camera's id.
  enum Key {
    static let location = "com.apple.quicktime.location.ISO6709"
    static let date = "com.apple.quicktime.creationdate"
    static let maker = "com.apple.quicktime.make"
    static let model = "com.apple.quicktime.model"
    static let software = "com.apple.quicktime.software"
    static let camera = "org.camd.camera"
  }

  /// Texts longer than this are cut off.
  private static let longestText = 1024

  /// Takes up what a `udta` or `meta` box of the movie says; what can't be read is left out.
  mutating func read(_ file: BoxFile, _ box: Box) throws(MovieFileError) {
    guard box.end - box.start <= 1 << 20 else { return }
    let bytes = try file.read(at: box.payload, count: box.end - box.payload)
    var found = MovieMetadata(rotation: rotation)
    do throws(MovieFileError) {
      if box.type == .udta { try found.readUserData(bytes) } else { try found.readKeys(bytes) }
    } catch {
      // Metadata of other programs may look odd; the movie is none the worse for it.
      guard error.kind == .damaged else { throw error }
    }
    location = found.location ?? location
    localDate = found.localDate ?? localDate
    maker = found.maker ?? maker
    model = found.model ?? model
    software = found.software ?? software
    camera = found.camera ?? camera
  }

  private mutating func readUserData(_ bytes: [UInt8]) throws(MovieFileError) {
    var cursor = ByteCursor(bytes)
    while let box = try cursor.nextBox() {
      guard [.location, .day, .maker, .model, .software].contains(box.type) else { continue }
      var text = ByteCursor(bytes, in: box.range)
      let length = Int(try text.uint16())
      try text.skip(2)
      guard length <= text.remaining else { continue }
      let value = String(decoding: bytes[text.position..<text.position + length], as: UTF8.self)
      switch box.type {
      case .location: location = Location(iso6709: value)
      case .day: localDate = value
      case .maker: maker = value
      case .model: model = value
      default: software = value
      }
    }
  }

  private mutating func readKeys(_ bytes: [UInt8]) throws(MovieFileError) {
    var cursor = ByteCursor(bytes)
    // ISO says version and flags come first, QuickTime says they don't.
    if bytes.count >= 8, !bytes[4..<8].elementsEqual("hdlr".utf8) { try cursor.skip(4) }
    var names: [String] = []
    while let box = try cursor.nextBox() {
      var inner = ByteCursor(bytes, in: box.range)
      if box.type == .keys {
        try inner.skip(8)
        while let key = try inner.nextBox(), names.count < 256 {
          names.append(String(decoding: bytes[key.range], as: UTF8.self))
        }
      } else if box.type == .ilst {
        while let item = try inner.nextBox() {
          var value = ByteCursor(bytes, in: item.range)
          let index = Int(item.type.rawValue)
          guard (1...max(names.count, 1)).contains(index), index <= names.count,
            let data = try value.nextBox(), data.type == .data, data.range.count >= 8
          else { continue }
          let text = String(decoding: bytes[data.range.dropFirst(8)], as: UTF8.self)
          switch names[index - 1] {
          case Key.location: location = Location(iso6709: text)
          case Key.date: localDate = text
          case Key.maker: maker = text
          case Key.model: model = text
          case Key.software: software = text
          case Key.camera: camera = text
          default: break
          }
        }
      }
    }
  }

  /// The `udta` box: what players and galleries of phones read.
  var userDataBox: [UInt8]? {
    let entries: [(FourCharacterCode, String?)] = [
      (.location, location?.iso6709), (.day, localDate), (.maker, maker), (.model, model), (.software, software),
    ]
    let boxes = entries.flatMap { type, value -> [UInt8] in
      guard let text = value.map(Self.clipped), !text.isEmpty else { return [] }
      // 0x15C7: the packed code of 'eng'. QuickTime's text boxes know no 'undetermined' in that place.
      return makeBox(type, bigEndian(UInt64(text.count), 2) + bigEndian(0x15C7, 2) + text)
    }
    return boxes.isEmpty ? nil : makeBox(.udta, boxes)
  }

  /// The `meta` box: the same by key, and the camera's id.
  var keysBox: [UInt8]? {
    let entries: [(String, String?)] = [
      (Key.location, location?.iso6709), (Key.date, localDate), (Key.maker, maker), (Key.model, model),
      (Key.software, software), (Key.camera, camera),
    ]
    var names: [UInt8] = []
    var items: [UInt8] = []
    var count: UInt64 = 0
    for (name, value) in entries {
      guard let text = value.map(Self.clipped), !text.isEmpty else { continue }
      count += 1
      names += makeBox(.mdta, Array(name.utf8))
      items += makeBox(
        FourCharacterCode(rawValue: UInt32(count)), makeBox(.data, bigEndian(1, 4) + bigEndian(0, 4) + text))
    }
    guard count > 0 else { return nil }
    let type = bigEndian(UInt64(FourCharacterCode.mdta.rawValue), 4)
    let handler = makeBox(.hdlr, bigEndian(0, 8) + type + bigEndian(0, 13))
    let keys = makeBox(.keys, bigEndian(0, 4) + bigEndian(count, 4) + names)
    // Without version and flags, as QuickTime has it: in this place readers of metadata expect no others.
    return makeBox(.meta, handler + keys + makeBox(.ilst, items))
  }

  private static func clipped(_ text: String) -> [UInt8] {
    var clipped = text[...]
    while clipped.utf8.count > longestText { clipped.removeLast() }
    return Array(clipped.utf8)
  }
}

extension Location {
  /// ISO 6709 as cameras write it: `+33.8688+151.2093+039.000/`.
  var iso6709: String {
    var text = Self.number(latitude, digits: 2, places: 4...7) + Self.number(longitude, digits: 3, places: 4...7)
    if let altitude { text += Self.number(altitude, digits: 3, places: 3...3) }
    return text + "/"
  }

  /// Reads ISO 6709 in degrees; nil for anything else.
  init?(iso6709 text: String) {
    var numbers: [Double] = []
    var current = ""
    for character in text.prefix(80) {
      if character == "+" || character == "-" || character == "/" || character == "C" {
        if !current.isEmpty {
          guard let number = Double(current) else { return nil }
          numbers.append(number)
        }
        current = character == "-" ? "-" : ""
        if character == "/" || character == "C" { break }
      } else {
        current.append(character)
      }
    }
    guard numbers.count >= 2, abs(numbers[0]) <= 90, abs(numbers[1]) <= 180 else { return nil }
    self.init(latitude: numbers[0], longitude: numbers[1], altitude: numbers.count > 2 ? numbers[2] : nil)
  }

  /// A number with a sign, leading zeros and a point, whatever the locale is.
  private static func number(_ value: Double, digits: Int, places: ClosedRange<Int>) -> String {
    let bounded = value.isFinite ? min(max(value, -99_999), 99_999) : 0
    let scale = (0..<places.upperBound).reduce(1) { scale, _ in scale * 10 }
    let scaled = Int((abs(bounded) * Double(scale)).rounded())
    let whole = String(scaled / scale)
    var fraction = String(scaled % scale)
    fraction = String(repeating: "0", count: places.upperBound - fraction.count) + fraction
    while fraction.count > places.lowerBound, fraction.last == "0" { fraction.removeLast() }
    let padding = String(repeating: "0", count: max(0, digits - whole.count))
    return "\(bounded < 0 && scaled != 0 ? "-" : "+")\(padding)\(whole).\(fraction)"
  }
}
