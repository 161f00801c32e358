internal import Synchronization

/// The descriptors that came with a call, until somebody takes them.
final class CallDescriptors: Sendable {
  private let descriptors: Mutex<[FileDescriptor?]>
  let count: Int

  init(_ descriptors: [FileDescriptor]) {
    count = descriptors.count
    self.descriptors = Mutex(descriptors)
  }

  func take(_ index: Int) -> FileDescriptor? {
    descriptors.withLock { descriptors in
      guard descriptors.indices.contains(index) else { return nil }
      defer { descriptors[index] = nil }
      return descriptors[index]
    }
  }

  /// Closes what nobody took.
  func closeAll() {
    descriptors.withLock { $0 = $0.map { _ in nil } }
  }
}
