/// The names of the Matroska elements that matter here (RFC 9559).
enum MatroskaID {
  static let header: UInt32 = 0x1A45_DFA3
  static let segment: UInt32 = 0x1853_8067
  static let seekHead: UInt32 = 0x114D_9B74
  static let seek: UInt32 = 0x4DBB
  static let seekID: UInt32 = 0x53AB
  static let seekPosition: UInt32 = 0x53AC
  static let info: UInt32 = 0x1549_A966
  static let timestampScale: UInt32 = 0x2A_D7B1
  static let duration: UInt32 = 0x4489
  static let date: UInt32 = 0x4461
  static let tracks: UInt32 = 0x1654_AE6B
  static let track: UInt32 = 0xAE
  static let trackNumber: UInt32 = 0xD7
  static let trackType: UInt32 = 0x83
  static let defaultDuration: UInt32 = 0x23_E383
  static let video: UInt32 = 0xE0
  static let width: UInt32 = 0xB0
  static let height: UInt32 = 0xBA
  static let cluster: UInt32 = 0x1F43_B675
  static let timestamp: UInt32 = 0xE7
  static let simpleBlock: UInt32 = 0xA3
  static let blockGroup: UInt32 = 0xA0
  static let block: UInt32 = 0xA1
  static let reference: UInt32 = 0xFB
  static let cues: UInt32 = 0x1C53_BB6B
  static let cuePoint: UInt32 = 0xBB
  static let cueTime: UInt32 = 0xB3
  static let cueTrackPositions: UInt32 = 0xB7
  static let cueTrack: UInt32 = 0xF7
  static let cueClusterPosition: UInt32 = 0xF1
  static let void: UInt32 = 0xEC
  static let codec: UInt32 = 0x86
  static let codecPrivate: UInt32 = 0x63A2
  static let codecDelay: UInt32 = 0x56AA
  static let audio: UInt32 = 0xE1
  static let samplingFrequency: UInt32 = 0xB5
  static let blockDuration: UInt32 = 0x9B
  static let discardPadding: UInt32 = 0x75A2
  static let title: UInt32 = 0x7BA9
  static let muxer: UInt32 = 0x4D80
  static let writer: UInt32 = 0x5741
  static let contentEncodings: UInt32 = 0x6D80
  static let trackUID: UInt32 = 0x73C5
  static let attachments: UInt32 = 0x1941_A469
  static let tags: UInt32 = 0x1254_C367
  static let tag: UInt32 = 0x7373
  static let targets: UInt32 = 0x63C0
  static let simpleTag: UInt32 = 0x67C8
  static let tagName: UInt32 = 0x45A3
  static let tagText: UInt32 = 0x4487
}

/// An element in a file. What it claims is not to be trusted: `end` may lie past the end of the file.
struct MatroskaElement {
  var id: UInt32
  var start: Int
  /// Where its size is written.
  var sizeOffset: Int
  var payload: Int
  /// nil where it is open: it goes on to the next element of its level.
  var end: Int?
  var sizeWidth: Int { payload - sizeOffset }
}

/// Reads a file from front to back, a part at a time.
struct MatroskaReader {
  let file: BoxFile
  private let window: Int
  private var start = 0
  private var bytes: [UInt8] = []

  /// `window`: bytes that are read at once, at least 64.
  init(_ file: BoxFile, window: Int = 64 << 10) {
    self.file = file
    self.window = window
  }

  /// Up to `count` bytes, which must be fewer than the window has; fewer at the end of the file.
  mutating func bytes(at offset: Int, count: Int) throws(MovieFileError) -> ArraySlice<UInt8> {
    guard count > 0, offset >= 0, offset < file.size else { return [] }
    if offset < start || offset + count > start + bytes.count {
      start = offset
      bytes = try file.read(at: offset, count: window)
    }
    let from = min(offset - start, bytes.count)
    return bytes[from..<min(from + count, bytes.count)]
  }

  /// The element at an offset; nil where there is no room for one or what stands there is none.
  mutating func element(at offset: Int, within limit: Int) throws(MovieFileError) -> MatroskaElement? {
    guard offset < limit else { return nil }
    let head = Array(try bytes(at: offset, count: min(12, limit - offset)))
    guard let first = head.first, first >= 0x10 else { return nil }
    let idWidth = first.leadingZeroBitCount + 1
    guard head.count > idWidth, head[idWidth] != 0 else { return nil }
    let sizeWidth = head[idWidth].leadingZeroBitCount + 1
    guard head.count >= idWidth + sizeWidth else { return nil }
    let id = head[..<idWidth].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    let size = head[idWidth..<idWidth + sizeWidth].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } & Self.ones(sizeWidth)
    let payload = offset + idWidth + sizeWidth
    let isOpen = size == Self.ones(sizeWidth)
    guard isOpen || size <= UInt64(Int.max - payload) else { return nil }
    return MatroskaElement(
      id: id, start: offset, sizeOffset: offset + idWidth, payload: payload, end: isOpen ? nil : payload + Int(size))
  }

  /// The elements within one that is whole and small.
  mutating func children(of parent: MatroskaElement) throws(MovieFileError) -> [MatroskaElement] {
    var children: [MatroskaElement] = []
    var offset = parent.payload
    let limit = min(parent.end ?? file.size, file.size)
    while offset < limit, children.count < 1024, let child = try element(at: offset, within: limit) {
      guard let end = child.end, end <= limit else { break }
      children.append(child)
      offset = end
    }
    return children
  }

  /// The number that an element holds.
  mutating func number(_ element: MatroskaElement) throws(MovieFileError) -> UInt64 {
    guard let end = element.end, end - element.payload <= 8 else { return 0 }
    return try bytes(at: element.payload, count: end - element.payload).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The largest value of so many bytes, which means an open element.
  static func ones(_ width: Int) -> UInt64 { (1 << UInt64(7 * width)) - 1 }
}

/// Writes elements into memory.
enum MatroskaWriting {
  static func element(_ id: UInt32, _ payload: [UInt8]) -> [UInt8] {
    let name = bigEndian(UInt64(id), (39 - id.leadingZeroBitCount) / 8)
    return name + size(payload.count, width: 8) + payload
  }

  static func element(_ id: UInt32, _ number: UInt64) -> [UInt8] {
    element(id, bigEndian(number, max(1, (71 - number.leadingZeroBitCount) / 8)))
  }

  /// A size in so many bytes.
  static func size(_ count: Int, width: Int) -> [UInt8] {
    bigEndian(UInt64(count) | 1 << UInt64(7 * width), width)
  }

  /// An element that says nothing and takes exactly so many bytes, 2 ... 128.
  static func void(_ count: Int) -> [UInt8] {
    [UInt8(MatroskaID.void)] + size(count - 2, width: 1) + [UInt8](repeating: 0, count: count - 2)
  }
}
