public import CameraProtocol
import Synchronization

/// Something that happened to the album.
public enum LibraryChange: Sendable, Equatable {
  /// A file came that camd didn't take just now.
  case added(Asset)
  /// A file is gone, or went into the trash.
  case removed(Asset)
  /// A file was moved or written anew, or what is known of it has changed.
  case changed(Asset)
  /// Retention has removed it.
  case retired(RetiredAsset)
  /// So much at once that it is told as a whole.
  case rescanned(RescanProgress)
  /// Something is not as it should be.
  case warning(String)
}

/// Tells one observer what happens to the album.
final class LibraryReporter: Sendable {
  private let observer = Mutex<(@Sendable (LibraryChange) -> Void)?>(nil)

  func observe(_ body: @escaping @Sendable (LibraryChange) -> Void) { observer.withLock { $0 = body } }

  func report(_ change: LibraryChange) {
    let observer = observer.withLock { $0 }
    observer?(change)
  }

  /// Tells of several changes, of too many as a whole: who is told of thousands can't keep up.
  func report(_ changes: [LibraryChange]) {
    guard changes.count > Self.mostTold else { return changes.forEach { report($0) } }
    var progress = RescanProgress()
    for change in changes {
      switch change {
      case .added: progress.added += 1
      case .changed: progress.changed += 1
      case .removed: progress.removed += 1
      default: report(change)
      }
    }
    report(.rescanned(progress))
  }

  /// More changes than this are told as a whole.
  static let mostTold = 100

  func warn(_ message: String) { report(.warning(message)) }
}
