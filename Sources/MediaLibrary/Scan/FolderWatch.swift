@preconcurrency import Dispatch
import Synchronization
import Glibc

/// Hears from the kernel what changes in folders. Costs nothing while nothing changes.
final class FolderWatch: Sendable {
  /// What happened.
  enum Event: Sendable, Equatable {
    /// A file is complete there: written and closed, moved there, or linked.
    case file(folder: String, name: String, isLink: Bool)
    /// A folder is there.
    case folder(String)
    /// A file or folder is no longer there.
    case gone(String)
    /// Some events were lost.
    case lost
    /// The root is gone.
    case ended
  }

  private static let mask =
    UInt32(IN_CLOSE_WRITE) | UInt32(IN_MOVED_TO) | UInt32(IN_MOVED_FROM) | UInt32(IN_DELETE) | UInt32(IN_CREATE)
    | UInt32(IN_ONLYDIR) | UInt32(IN_DONT_FOLLOW) | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF)

  private let root: String
  private let descriptor: Int32
  private let source: any DispatchSourceRead
  private let take: @Sendable ([Event]) -> Void
  private let folders = Mutex<[Int32: String]>([:])

  /// Begins to listen; `take` is called on the queue. Nil, with `errno` set, where the kernel refuses.
  init?(root: String, queue: DispatchQueue, take: @escaping @Sendable ([Event]) -> Void) {
    self.root = root
    let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    guard descriptor >= 0 else { return nil }
    self.descriptor = descriptor
    source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    self.take = take
    source.setEventHandler { [weak self] in
      self?.deliver()
    }
    source.setCancelHandler { close(descriptor) }
    source.activate()
  }

  deinit { source.cancel() }

  /// Hands over what has happened until now. On the queue.
  func deliver() {
    let events = read()
    if !events.isEmpty { take(events) }
  }

  /// Watches a folder, given by its path from the root on, from now on. False, with `errno` set, where that can't be.
  func add(_ folder: String) -> Bool {
    folders.withLock { folders in
      let path = folder.isEmpty ? root : "\(root)/\(folder)"
      let number = inotify_add_watch(descriptor, path, Self.mask)
      guard number >= 0 else { return errno == ENOENT || errno == ENOTDIR }
      folders[number] = folder
      return true
    }
  }

  private func read() -> [Event] {
    var events: [Event] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return events }
      buffer.withUnsafeBytes { bytes in
        var offset = 0
        let head = MemoryLayout<inotify_event>.size
        while offset + head <= count {
          let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
          let name = bytes[offset + head..<offset + head + Int(event.len)].prefix { $0 != 0 }
          note(event, String(decoding: name, as: UTF8.self), &events)
          offset += head + Int(event.len)
        }
      }
    }
  }

  private func note(_ event: inotify_event, _ name: String, _ events: inout [Event]) {
    func has(_ flag: Int) -> Bool { event.mask & UInt32(flag) != 0 }
    if has(Int(IN_Q_OVERFLOW)) { return events.append(.lost) }
    let found = folders.withLock { folders in
      has(Int(IN_IGNORED)) ? folders.removeValue(forKey: event.wd) : folders[event.wd]
    }
    guard let folder = found else { return }
    if has(Int(IN_IGNORED)) || has(Int(IN_UNMOUNT)) || has(Int(IN_DELETE_SELF)) || has(Int(IN_MOVE_SELF)) {
      if folder.isEmpty { events.append(.ended) }
      return
    }
    guard !name.isEmpty, !name.hasPrefix(".") else { return }
    let path = joined(folder, name)
    let isCreation = has(Int(IN_CREATE))
    if has(Int(IN_DELETE)) || has(Int(IN_MOVED_FROM)) {
      events.append(.gone(path))
    } else if has(Int(IN_ISDIR)) {
      events.append(.folder(path))
    } else {
      events.append(.file(folder: folder, name: name, isLink: isCreation))
    }
  }
}
