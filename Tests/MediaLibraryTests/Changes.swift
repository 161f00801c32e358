import CameraProtocol
import Dispatch
import MediaLibrary
import Synchronization

/// Keeps what an album tells.
final class Changes: Sendable {
  private let changes = Mutex<[LibraryChange]>([])
  private let news = DispatchSemaphore(value: 0)

  var all: [LibraryChange] { changes.withLock { $0 } }

  func take(_ change: LibraryChange) {
    changes.withLock { $0.append(change) }
    news.signal()
  }

  /// Waits for a change, and forgets it and those before it; nil after ten seconds.
  func next(_ isMeant: (LibraryChange) -> Bool) -> LibraryChange? {
    let deadline = DispatchTime.now() + .seconds(10)
    while true {
      let found = changes.withLock { changes -> LibraryChange? in
        guard let index = changes.firstIndex(where: isMeant) else { return nil }
        defer { changes.removeFirst(index + 1) }
        return changes[index]
      }
      if found != nil || news.wait(timeout: deadline) == .timedOut { return found }
    }
  }

  /// The next change, whatever it is.
  func any() -> LibraryChange? { next { _ in true } }

  func added() -> Asset? {
    if case .added(let asset)? = next({ if case .added = $0 { true } else { false } }) { asset } else { nil }
  }

  func removed() -> Asset? {
    if case .removed(let asset)? = next({ if case .removed = $0 { true } else { false } }) { asset } else { nil }
  }

  func changed() -> Asset? {
    if case .changed(let asset)? = next({ if case .changed = $0 { true } else { false } }) { asset } else { nil }
  }

  func warning() -> String? {
    if case .warning(let text)? = next({ if case .warning = $0 { true } else { false } }) { text } else { nil }
  }
}

extension LibraryChange {
  /// The asset's id where the change is of that kind.
  func asset(_ kind: String) -> String? {
    switch (self, kind) {
    case (.added(let asset), "added"), (.changed(let asset), "changed"), (.removed(let asset), "removed"): asset.id
    default: "\(self)"
    }
  }
}
