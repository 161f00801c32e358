import CameraProtocol
import Dispatch
import Synchronization

/// Whether the album's files are read, and who hears of its changes.
final class ScanSchedule: Sendable {
  struct State {
    var isStarted = false
    var isScheduled = false
    /// Scans that run or wait for their turn.
    var running = 0
    var watch: FolderWatch?
    var isWatchMissing = false
    /// Paths that events said are gone.
    var gone: [String] = []
    var willTidy = false
    /// The number of the last alarm; older ones don't count any more.
    var alarm = 0
  }

  let state = Mutex(State())
  /// One scan at a time.
  let turn = Mutex(())
  /// One change of what the index says of files that were found: a scan and the kernel's news would undo each other's.
  let taking = Mutex(())
  /// One removal of what is old.
  let retiring = Mutex(())
  let queue = DispatchQueue(label: "camd.album", qos: .utility)
  /// For room on the disk, which can't wait for those.
  let roomQueue = DispatchQueue(label: "camd.album.room")
  /// Asks for a scan; set once the album is looked after.
  let request = Mutex<(@Sendable () -> Void)?>(nil)
}

extension Mutex where Value == Void {
  /// Runs the body while nobody else is in here.
  func inTurn<Result: Sendable>(_ body: () throws(CameraError) -> Result) throws(CameraError) -> Result {
    try withLock { _ -> Swift.Result<Result, CameraError> in
      do throws(CameraError) {
        return .success(try body())
      } catch {
        return .failure(error)
      }
    }.get()
  }
}
