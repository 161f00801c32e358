#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Ends an Ogg recording of Opus sound in order: what lies behind the last whole page is cut off.
enum OggFinisher {
  /// Opus counts its samples at this rate, whatever it was made from.
  private static let rate = 48_000.0

  private struct Scan {
    var pages = 0
    var end = 0
    var preSkip = 0
    var position = 0
  }

  static func isOgg(_ file: BoxFile) throws(MovieFileError) -> Bool {
    try file.read(at: 0, count: 4) == Array("OggS".utf8)
  }

  static func finish(_ file: BoxFile) throws(MovieFileError) -> FinishedMovie {
    let scan = try scan(file)
    if scan.end < file.size {
      guard ftruncate(file.descriptor, off_t(scan.end)) == 0 else { throw .system("can't cut the sound's end", errno) }
    }
    guard fdatasync(file.descriptor) == 0 else { throw .system("can't write the sound to the disk", errno) }
    return movie(scan, alreadyFinished: scan.end == file.size)
  }

  static func describe(_ file: BoxFile) throws(MovieFileError) -> FinishedMovie {
    movie(try scan(file), alreadyFinished: true)
  }

  private static func movie(_ scan: Scan, alreadyFinished: Bool) -> FinishedMovie {
    FinishedMovie(
      duration: Double(max(0, scan.position - scan.preSkip)) / rate, frames: 0, bytes: scan.end, hasAudio: true,
      width: nil, height: nil, alreadyFinished: alreadyFinished)
  }

  /// Reads the headers of all pages (RFC 3533). Throws where none holds sound.
  private static func scan(_ file: BoxFile) throws(MovieFileError) -> Scan {
    var scan = Scan()
    while true {
      let head = try file.read(at: scan.end, count: 27 + 255)
      guard head.count >= 27, head.starts(with: "OggS".utf8), head.count >= 27 + Int(head[26]) else { break }
      let payload = scan.end + 27 + Int(head[26])
      let end = payload + head[27..<27 + Int(head[26])].reduce(0) { $0 + Int($1) }
      guard end <= file.size else { break }
      if scan.pages == 0 {
        let opus = try file.read(at: payload, count: 12)
        guard opus.starts(with: "OpusHead".utf8), opus.count == 12 else {
          throw MovieFileError(.unsupported, "the sound is not Opus")
        }
        scan.preSkip = Int(opus[10]) | Int(opus[11]) << 8
      }
      let position = (0..<8).reduce(UInt64(0)) { $0 | UInt64(head[6 + $1]) << UInt64(8 * $1) }
      if position != .max { scan.position = max(scan.position, Int(clamping: position)) }
      scan.pages += 1
      scan.end = end
    }
    guard scan.pages > 2, scan.position > 0 else {
      throw MovieFileError(.noSamples, "the recording ended before its first piece of sound was written")
    }
    return scan
  }
}
