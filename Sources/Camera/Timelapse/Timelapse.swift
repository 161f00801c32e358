import CameraProtocol
import GStreamer
import Synchronization

/// A time-lapse that runs.
final class Timelapse: Sendable {
  /// Why it is to end.
  struct End: Sendable {
    var reason: TimelapseReason
    var message: String?
  }

  let request: TimelapseRequest
  let movie: TimelapseMovie?
  /// When its first picture was due.
  let time: Timestamp
  let consumer: Consumer
  /// Comes when it is to end.
  let end = Promise<End>()
  /// Comes when it has ended.
  let result = Promise<TimelapseResult>()
  /// Whether the camera stays open from picture to picture.
  private let staysWarm: Bool
  private let isPreparing = Mutex(false)

  init(_ request: TimelapseRequest, movie: TimelapseMovie?, time: Timestamp, idleTimeout: Duration) {
    self.request = request
    self.movie = movie
    self.time = time
    consumer = request.requester.consumer(.timelapse)
    // closed and opened again at once it would never be at rest
    let coldInterval = idleTimeout + .nanoseconds(CameraSession.wakeTime)
    staysWarm = .nanoseconds(request.interval) <= coldInterval
  }

  /// Whether the camera must not be closed for want of use.
  var holdsCamera: Bool { staysWarm || isPreparing.withLock { $0 } }

  /// Whether the camera is opened for each picture.
  var wakesCamera: Bool { !staysWarm }

  /// Keeps the camera open for the picture that is due next.
  func prepares(_ isPreparing: Bool) { self.isPreparing.withLock { $0 = isPreparing } }

  /// Waits for a running time; why it is to end, where that comes before.
  func wait(until runningTime: UInt64, _ clock: SystemClock) async -> End? {
    await end.value(within: .nanoseconds(max(0, -clock.age(of: runningTime))))
  }
}
