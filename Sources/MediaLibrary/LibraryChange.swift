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

  func warn(_ message: String) { report(.warning(message)) }
}
