import Glibc

/// Runs something long on a thread of its own, behind everything else that wants the processor.
enum BackgroundThread {
  private final class Work: Sendable {
    let niceness: Int32
    let body: @Sendable () -> Void

    init(_ niceness: Int32, _ body: @escaping @Sendable () -> Void) { (self.niceness, self.body) = (niceness, body) }
  }

  /// Begins it, with a niceness from 0 to 19. Returns the system's number where there can be no more threads, else 0.
  static func run(niceness: Int32, _ body: @escaping @Sendable () -> Void) -> Int32 {
    var thread = pthread_t()
    let work = Unmanaged.passRetained(Work(niceness, body))
    let code = pthread_create(
      &thread, nil,
      { pointer in
        guard let pointer else { return nil }
        let work = Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue()
        // of Linux's threads each has a priority of its own
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, work.niceness)
        work.body()
        return nil
      }, work.toOpaque())
    guard code == 0 else {
      work.release()
      return code
    }
    pthread_detach(thread)
    return 0
  }
}
