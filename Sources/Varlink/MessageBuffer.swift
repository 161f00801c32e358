internal import Glibc

/// Bytes that came in, cut into messages, with the descriptors that came beside them.
///
/// Descriptors belong to the message that holds the last byte they came with: the system ends a read behind the
/// piece that descriptors are attached to, and senders don't put another message into that piece.
struct MessageBuffer {
  /// A message without its NUL.
  struct Message {
    var bytes: [UInt8]
    var descriptors: [FileDescriptor]
  }

  private var bytes: [UInt8] = []
  /// Where the next message begins.
  private var start = 0
  /// Up to where there is no NUL.
  private var scanned = 0
  /// Each with the index of the byte that it belongs to.
  private var descriptors: [(index: Int, descriptor: FileDescriptor)] = []

  /// Bytes that wait.
  var count: Int { bytes.count - start }
  /// Descriptors that wait.
  var descriptorCount: Int { descriptors.count }

  /// True where `next` returns a message.
  var hasMessage: Bool { end != nil }

  /// Where the next NUL is.
  private var end: Int? {
    bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress, scanned < bytes.count,
        let found = memchr(start + scanned, 0, bytes.count - scanned)
      else { return nil }
      return UnsafeRawPointer(found) - start
    }
  }

  mutating func append(_ chunk: UnsafeRawBufferPointer, descriptors new: [FileDescriptor]) {
    bytes.append(contentsOf: chunk)
    for descriptor in new { descriptors.append((bytes.count - 1, descriptor)) }
  }

  /// The next complete message.
  mutating func next() -> Message? {
    guard let end else {
      scanned = bytes.count
      compact()
      return nil
    }
    let message = Message(
      bytes: Array(bytes[start..<end]), descriptors: descriptors.prefix { $0.index <= end }.map(\.descriptor))
    descriptors.removeFirst(message.descriptors.count)
    start = end + 1
    scanned = start
    if start == bytes.count { compact() }
    return message
  }

  /// Gives back what was read already.
  private mutating func compact() {
    guard start > 0 else { return }
    if start == bytes.count { bytes = [] } else { bytes.removeFirst(start) }
    for index in descriptors.indices { descriptors[index].index -= start }
    scanned -= start
    start = 0
  }
}
