#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A box in a file. What it claims is not to be trusted: `end` may lie past the end of the file at the top level.
struct Box {
  var type: FourCharacterCode
  var start: Int
  var payload: Int
  var end: Int
  /// True where the box says no size: it goes on to the end of the file.
  var isOpenEnded = false
  /// True where the size is written in 64 bits.
  var isLarge: Bool { payload - start == 16 }
}

/// A file of boxes, read in place. Holds a descriptor that belongs to the caller.
struct BoxFile {
  /// The most that is ever read into memory at once.
  static let largestRead = 32 << 20

  let descriptor: Int32
  let size: Int

  init(descriptor: Int32) throws(MovieFileError) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .system("can't look at the file", errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw MovieFileError(.notAMovie, "not a regular file") }
    self.descriptor = descriptor
    size = Int(status.st_size)
  }

  /// Up to `count` bytes; fewer at the end of the file.
  func read(at offset: Int, count: Int) throws(MovieFileError) -> [UInt8] {
    let count = min(count, max(0, size - offset))
    guard count > 0 else { return [] }
    guard count <= Self.largestRead else { throw MovieFileError(.tooLarge, "a box of \(count) bytes is not plausible") }
    do throws(PositionedFile.Failure) {
      return try PositionedFile.read(descriptor, at: offset, count: count)
    } catch {
      throw .system("can't read the file", error.number)
    }
  }

  /// The box at an offset; nil where there is no room for one or what stands there is none.
  func box(at offset: Int, within limit: Int) throws(MovieFileError) -> Box? {
    guard offset >= 0, limit - offset >= 8 else { return nil }
    var cursor = ByteCursor(try read(at: offset, count: min(16, limit - offset)))
    guard cursor.remaining >= 8 else { return nil }
    var size = try cursor.uint(4)
    let type = try cursor.code()
    var header = 8
    var isOpenEnded = false
    if size == 1 {
      guard cursor.remaining >= 8 else { return nil }
      size = try cursor.uint64()
      header = 16
    } else if size == 0 {
      guard type == .mdat else { return nil }  // zeros are what a lost write leaves behind
      size = UInt64(limit - offset)
      isOpenEnded = true
    }
    guard size >= UInt64(header), size <= UInt64(Int.max - offset) else { return nil }
    return Box(
      type: type, start: offset, payload: offset + header, end: offset + Int(size), isOpenEnded: isOpenEnded)
  }

  /// The boxes within a box.
  func children(of parent: Box, skipping: Int = 0) throws(MovieFileError) -> [Box] {
    var children: [Box] = []
    var offset = parent.payload + skipping
    let end = min(parent.end, size)
    while let child = try box(at: offset, within: end) {
      guard child.end <= end else {
        throw MovieFileError(.damaged, "the box '\(child.type.text)' is larger than '\(parent.type.text)' around it")
      }
      guard children.count < 1024 else {
        throw MovieFileError(.tooLarge, "'\(parent.type.text)' holds more boxes than is plausible")
      }
      children.append(child)
      offset = child.end
    }
    return children
  }

  /// A box's payload, at most `limit` bytes of it.
  func payload(of box: Box, limit: Int = largestRead) throws(MovieFileError) -> ByteCursor {
    ByteCursor(try read(at: box.payload, count: min(limit, box.end - box.payload)))
  }
}
