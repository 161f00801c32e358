/// What a decoder of HEVC has to know beforehand: the payload of a `hvcC` box (ISO/IEC 14496-15, 8.3.2).
struct HEVCConfiguration: Equatable {
  /// The kinds of NAL units that stand in it.
  enum Kind {
    static let video: UInt8 = 32
    static let sequence: UInt8 = 33
    static let picture: UInt8 = 34
  }

  /// NAL units of one kind; `head` has the kind in its lower six bits.
  private struct List: Equatable {
    var head: UInt8
    var units: [[UInt8]]
  }

  /// Profile, level and the like.
  private let start: [UInt8]
  private var lists: [List] = []

  /// Reads it; nil where it contradicts itself.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 23, bytes[0] == 1, bytes[21] & 3 != 2, bytes[22] <= 64 else { return nil }
    start = Array(bytes[..<22])
    var position = 23
    for _ in 0..<bytes[22] {
      guard position + 3 <= bytes.count else { return nil }
      var list = List(head: bytes[position], units: [])
      let count = Int(bytes[position + 1]) << 8 | Int(bytes[position + 2])
      position += 3
      for _ in 0..<count {
        guard position + 2 <= bytes.count else { return nil }
        let size = Int(bytes[position]) << 8 | Int(bytes[position + 1])
        guard size > 2, position + 2 + size <= bytes.count else { return nil }
        list.units.append(Array(bytes[position + 2..<position + 2 + size]))
        position += 2 + size
      }
      lists.append(list)
    }
  }

  /// Bytes of the length before each NAL unit: 1, 2 or 4.
  var lengthSize: Int { Int(start[21] & 3) + 1 }

  /// The payload.
  var bytes: [UInt8] {
    var bytes: [UInt8] = start
    bytes.append(UInt8(lists.count))
    for list in lists {
      bytes.append(list.head)
      Self.append(list.units.count, to: &bytes)
      for unit in list.units {
        Self.append(unit.count, to: &bytes)
        bytes += unit
      }
    }
    return bytes
  }

  private static func append(_ value: Int, to bytes: inout [UInt8]) {
    bytes += [UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF)]
  }

  /// The units of a kind.
  func units(_ kind: UInt8) -> [[UInt8]] { lists.filter { $0.head & 63 == kind }.flatMap(\.units) }

  /// The same with more units of a kind.
  mutating func add(_ units: [[UInt8]], _ kind: UInt8) {
    if let index = lists.firstIndex(where: { $0.head & 63 == kind }) {
      lists[index].units += units
    } else {
      lists.append(List(head: 0x80 | kind, units: units))
    }
  }
}

/// The numbers by which the parameter sets of HEVC name each other (ITU-T H.265, 7.3.2).
struct HEVCNumbers: Equatable {
  var video: UInt32
  var sequence: UInt32
  /// 15 ... 30: takes exactly eight bits more than 0, so that in a slice nothing but whole bytes move.
  var picture: UInt32

  /// Numbers that none of the sets has; nil where all are taken.
  init?(freeIn configuration: HEVCConfiguration) {
    func first(_ range: Range<UInt32>, _ kind: UInt8, _ number: ([UInt8]) -> UInt32) -> UInt32? {
      let taken = Set(configuration.units(kind).map(number))
      return range.reversed().first { !taken.contains($0) }
    }
    guard
      let video = first(
        0..<16, HEVCConfiguration.Kind.video,
        { unit in
          var reader = BitReader(unit: unit)
          _ = reader.bits(16)
          return reader.bits(4)
        }),
      let sequence = first(0..<16, HEVCConfiguration.Kind.sequence, { Self.sequence(in: $0).number }),
      let picture = first(
        15..<31, HEVCConfiguration.Kind.picture,
        { unit in
          var reader = BitReader(unit: unit)
          _ = reader.bits(16)
          return reader.unsigned()
        })
    else { return nil }
    self.video = video
    self.sequence = sequence
    self.picture = picture
  }

  /// Where the number of a sequence parameter set stands, and the number.
  private static func sequence(in unit: [UInt8]) -> (position: Int, number: UInt32) {
    var reader = BitReader(unit: unit)
    _ = reader.bits(20)
    let layers = Int(reader.bits(3))
    _ = reader.flag()
    for _ in 0..<3 { _ = reader.bits(32) }
    var present: [(profile: Bool, level: Bool)] = []
    for _ in 0..<layers { present.append((reader.flag(), reader.flag())) }
    if layers > 0 { for _ in layers..<8 { _ = reader.bits(2) } }
    for layer in present {
      if layer.profile { for _ in 0..<11 { _ = reader.bits(8) } }
      if layer.level { _ = reader.bits(8) }
    }
    let position = reader.position
    return (position, reader.unsigned())
  }

  /// A parameter set of an encoder with these numbers in place of its own.
  func renumbered(set unit: [UInt8], _ kind: UInt8) -> [UInt8] {
    var reader = BitReader(unit: unit)
    var writer = BitWriter()
    writer.copy(&reader, to: 16)
    if kind == HEVCConfiguration.Kind.picture {
      for number in [picture, sequence] {
        _ = reader.unsigned()
        writer.unsigned(number)
      }
    } else {
      _ = reader.bits(4)
      writer.bits(video, 4)
    }
    if kind == HEVCConfiguration.Kind.sequence {
      writer.copy(&reader, to: Self.sequence(in: unit).position)
      _ = reader.unsigned()
      writer.unsigned(sequence)
    }
    writer.copy(&reader, to: reader.count)
    return writer.unit()
  }

  /// A slice that names the picture parameter set of these numbers in place of number 0; nil for one that names another.
  func renumbered(slice unit: [UInt8]) -> [UInt8]? {
    guard unit.count > 3 else { return nil }
    var reader = BitReader(unit: unit)
    var writer = BitWriter()
    let isIntra = (16...23).contains(unit[0] >> 1 & 63)
    writer.copy(&reader, to: isIntra ? 18 : 17)
    guard reader.unsigned() == 0 else { return nil }
    writer.unsigned(picture)
    writer.copy(&reader, to: reader.count)
    return writer.unit()
  }
}
