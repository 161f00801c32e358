public import CameraProtocol

/// Carries out tasks.
public protocol EditRunner: Sendable {
  /// Does a task. `target` nil: for one that writes nothing. `progress`, from 0 to 1, comes at most four times a second.
  /// Where the caller's task is cancelled it ends within moments and throws `cancelled`. Both descriptors stay the
  /// caller's.
  func run(
    _ task: EditTask, source: Int32, target: Int32?, progress: @escaping @Sendable (Double) -> Void
  ) async throws(CameraError) -> EditOutcome
}
