/// The boxes of a track that go into another movie as they are, and where its tables stand.
struct TrackBoxes: Sendable {
  /// An entry of an edit list.
  struct Edit: Sendable {
    /// Ticks of the movie.
    var duration: Int
    /// Ticks of the media; below 0 for a time without media.
    var mediaTime: Int
  }

  /// The payload of `tkhd`, `mdhd` and `hdlr`.
  var trackHeader: [UInt8] = []
  var mediaHeader: [UInt8] = []
  var handler: [UInt8] = []
  /// Whole boxes of `trak`, `mdia`, `minf` and `stbl` beside the tables.
  var trackOthers: [UInt8] = []
  var mediaOthers: [UInt8] = []
  var informationOthers: [UInt8] = []
  var rollGroups: [UInt8] = []
  var edits: [Edit] = []
  /// The tables, by name.
  var tables: [FourCharacterCode: Box] = [:]

  private static let tableNames: Set<FourCharacterCode> = [.stts, .ctts, .stsc, .stsz, .stz2, .stco, .co64, .stss]
  private static let informationNames: Set<FourCharacterCode> = [
    .vmhd, .smhd, .nmhd, .sthd, FourCharacterCode("gmhd"), .hdlr, .dinf,
  ]

  init(_ file: BoxFile, trak: Box, timescale: UInt32) throws(MovieFileError) {
    for box in try file.children(of: trak) {
      switch box.type {
      case .tkhd: trackHeader = try Self.payload(file, box)
      case .edts:
        for child in try file.children(of: box) where child.type == .elst { try readEdits(file, child) }
      case .mdia: try readMedia(file, box)
      case .udta, .meta, FourCharacterCode("tapt"): trackOthers += try Self.whole(file, box)
      default: break
      }
    }
  }

  private mutating func readMedia(_ file: BoxFile, _ mdia: Box) throws(MovieFileError) {
    for box in try file.children(of: mdia) {
      switch box.type {
      case .mdhd: mediaHeader = try Self.payload(file, box)
      case .hdlr: handler = try Self.payload(file, box)
      case FourCharacterCode("elng"): mediaOthers += try Self.whole(file, box)
      case .minf:
        for child in try file.children(of: box) {
          if Self.informationNames.contains(child.type) { informationOthers += try Self.whole(file, child) }
          if child.type == .dinf { try checkReferences(file, child) }
          if child.type == .stbl { try readTable(file, child) }
        }
      default: break
      }
    }
  }

  private mutating func readTable(_ file: BoxFile, _ stbl: Box) throws(MovieFileError) {
    for box in try file.children(of: stbl) {
      if Self.tableNames.contains(box.type) { tables[box.type] = box }
      // how many packets a decoder of sound needs before the first good one
      guard box.type == FourCharacterCode("sgpd"), box.end - box.payload <= 64 else { continue }
      let payload = try Self.payload(file, box)
      if payload.dropFirst(4).starts(with: "roll".utf8) { rollGroups = makeBox(box.type, payload) }
    }
  }

  /// The media must lie in this same file.
  private func checkReferences(_ file: BoxFile, _ dinf: Box) throws(MovieFileError) {
    for dref in try file.children(of: dinf) where dref.type == .dref {
      for entry in try file.children(of: dref, skipping: 8) {
        var cursor = try file.payload(of: entry, limit: 4)
        guard try cursor.versionAndFlags().flags & 1 != 0 else {
          throw MovieFileError(.unsupported, "its pictures or its sound lie in another file")
        }
      }
    }
  }

  private mutating func readEdits(_ file: BoxFile, _ elst: Box) throws(MovieFileError) {
    var cursor = try file.payload(of: elst, limit: 8 + 20 * 256)
    let width = try cursor.versionAndFlags().version == 1 ? 8 : 4
    for _ in 0..<Int(try cursor.uint32()) {
      let duration = Int(clamping: try cursor.uint(width))
      let raw = try cursor.uint(width)
      let time = width == 8 ? Int(Int64(bitPattern: raw)) : Int(Int32(truncatingIfNeeded: raw))
      guard try cursor.uint32() == 0x1_0000 || time < 0 else {
        throw MovieFileError(.unsupported, "its edit list plays a part at another speed")
      }
      edits.append(Edit(duration: min(duration, 1 << 50), mediaTime: min(time, 1 << 50)))
    }
    // behind the last part nothing is shown anyway
    while let last = edits.last, last.mediaTime < 0 { edits.removeLast() }
    guard let first = edits.firstIndex(where: { $0.mediaTime >= 0 }) else { return }
    guard edits[first...].allSatisfy({ $0.mediaTime >= 0 }), edits.count - first == 1 else {
      throw MovieFileError(.unsupported, "its edit list joins several parts of it")
    }
  }

  func presentation(timescale: UInt32, movie: UInt32) -> MovieIndex.Presentation {
    var delay = 0
    for edit in edits {
      guard edit.mediaTime >= 0 else {
        delay += edit.duration
        continue
      }
      let end = edit.duration > 0 ? edit.mediaTime + rescale(edit.duration, from: movie, to: timescale) : nil
      return MovieIndex.Presentation(delay: Double(delay) / Double(movie), start: edit.mediaTime, end: end)
    }
    return MovieIndex.Presentation(delay: 0, start: 0, end: nil)
  }

  private static func payload(_ file: BoxFile, _ box: Box) throws(MovieFileError) -> [UInt8] {
    guard box.end - box.payload <= 64 << 10 else {
      throw MovieFileError(.tooLarge, "a '\(box.type.text)' of \(box.end - box.payload) bytes is not plausible")
    }
    return try file.read(at: box.payload, count: box.end - box.payload)
  }

  /// The box with its header; nothing for one that is larger than text and numbers are.
  private static func whole(_ file: BoxFile, _ box: Box) throws(MovieFileError) -> [UInt8] {
    guard box.end - box.start <= 1 << 20 else { return [] }
    return try file.read(at: box.start, count: box.end - box.start)
  }
}
