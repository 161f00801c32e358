import Synchronization

/// Whether a session's microphone is heard. From any thread.
final class MicrophoneSwitch: Sendable {
  private let muted = Atomic<Bool>(false)

  /// Silence is recorded in place of the sound.
  var isMuted: Bool {
    get { muted.load(ordering: .relaxed) }
    set { muted.store(newValue, ordering: .relaxed) }
  }
}
