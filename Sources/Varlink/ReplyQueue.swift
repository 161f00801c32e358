/// Replies that a client has not read yet.
struct ReplyQueue: Sendable {
  private struct Item {
    var bytes: ArraySlice<UInt8>
    var descriptors: [FileDescriptor]
  }

  private var items: [Item] = []
  private var first = 0
  /// Bytes that wait.
  private(set) var bytes = 0

  var count: Int { items.count - first }
  var isEmpty: Bool { count == 0 }

  mutating func append(_ message: [UInt8], descriptors: [FileDescriptor]) {
    items.append(Item(bytes: message[...], descriptors: descriptors))
    bytes += message.count
  }

  /// Writes what there is room for; true where something was written.
  mutating func flush(to socket: CInt) throws(SystemError) -> Bool {
    var wrote = false
    while first < items.count {
      switch Transport.send(socket, items[first].bytes, descriptors: items[first].descriptors) {
      case .full: return wrote
      case .failed(let error): throw error
      case .sent(let count):
        wrote = true
        bytes -= count
        if count < items[first].bytes.count {
          items[first].bytes.removeFirst(count)
          items[first].descriptors = []
        } else {
          items[first] = Item(bytes: [], descriptors: [])
          first += 1
        }
      }
    }
    items = []
    first = 0
    return wrote
  }
}
