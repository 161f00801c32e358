import GStreamer
import Synchronization

/// Watches the brightness of a source that was just opened, until its automatic exposure has come to rest.
final class ExposureMeter: FrameConsumer {
  /// Decides from the mean brightness (0 ... 255) of frame after frame.
  struct Judgement: Sendable {
    /// Frames that must agree.
    static let agreeing = 5
    /// Frames that must agree where all is black: a camera that has not begun to see looks like a dark room.
    static let agreeingDark = 15
    private var recent: [Double] = []

    /// Takes the next frame's brightness; true when it is steady.
    mutating func isSteady(_ brightness: Double) -> Bool {
      recent.append(brightness)
      if recent.count > Self.agreeingDark { recent.removeFirst() }
      let needed = brightness < 6 ? Self.agreeingDark : Self.agreeing
      guard recent.count >= needed else { return false }
      let last = recent.suffix(needed)
      guard let low = last.min(), let high = last.max() else { return false }
      return high - low <= max(1.5, high * 0.03)
    }
  }

  /// A judgement that a streaming thread makes.
  private final class Judge: Sendable {
    private let judgement = Mutex(Judgement())
    func isSteady(_ brightness: Double) -> Bool { judgement.withLock { $0.isSteady(brightness) } }
  }

  /// The longest time that a camera is given.
  static let limit = Duration.milliseconds(2200)

  private let steady = Promise<Void>()
  private let meter: BrightnessMeter

  private init(_ source: SourceFormat, camera: String, clock: SystemClock) throws {
    let (judge, steady) = (Judge(), steady)
    meter = try BrightnessMeter(source, camera: camera, clock: clock) { brightness in
      if judge.isSteady(brightness) { steady.fulfil(()) }
    }
  }

  func consume(_ frame: borrowing Sample) { meter.push(frame) }

  /// Waits until the exposure is steady, or the limit is reached.
  static func settle(_ pictures: PictureTap, source: SourceFormat, camera: String, clock: SystemClock) async throws {
    let meter = try ExposureMeter(source, camera: camera, clock: clock)
    pictures.add(meter)
    _ = await meter.steady.value(within: limit)
    pictures.remove(meter)
    meter.meter.close()
  }
}
