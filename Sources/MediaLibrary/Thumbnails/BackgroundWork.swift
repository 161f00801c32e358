public import CameraProtocol
import Synchronization
import Glibc

/// Work that may wait and that blocks: each piece on a thread of its own, of low priority, at most as many at once as there
/// are processors.
public final class BackgroundWork: Sendable {
  /// More requests than these don't wait.
  public static let longestQueue = 256
  private static let niceness: Int32 = 10

  private struct State {
    var free: Int
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Mutex<State>

  /// `places`: how many pieces run at once; nil for one on each processor.
  public init(places: Int? = nil) {
    state = Mutex(State(free: places ?? max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))))
  }

  /// Runs the body when there is a place. Throws `queueFull` where too many wait.
  public func run<Value: Sendable>(
    _ body: @escaping @Sendable () throws(CameraError) -> Value
  ) async throws(CameraError) -> Value {
    guard state.withLock({ $0.waiting.count < Self.longestQueue }) else {
      throw CameraError(.queueFull, "\(Self.longestQueue) requests are waiting already; ask again later")
    }
    await enter()
    defer { leave() }
    return try await Self.onThread(body).get()
  }

  private func enter() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        guard state.free == 0 else {
          state.free -= 1
          return true
        }
        state.waiting.append(continuation)
        return false
      }
      if isFree { continuation.resume() }
    }
  }

  private func leave() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
      state.free += 1
      return nil
    }
    next?.resume()
  }

  private static func onThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws(CameraError) -> Value
  ) async -> Result<Value, CameraError> {
    await withCheckedContinuation { continuation in
      let number = BackgroundThread.run(niceness: niceness) {
        do throws(CameraError) {
          continuation.resume(returning: .success(try body()))
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
      guard number != 0 else { return }
      let reason = String(cString: strerror(number))
      continuation.resume(
        returning: .failure(CameraError(.internalError, "a thread can't be made: \(reason)", cause: reason)))
    }
  }
}
