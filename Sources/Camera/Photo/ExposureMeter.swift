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

  /// The longest time that a camera is given.
  static let limit = Duration.milliseconds(2200)

  private let judgement = Mutex(Judgement())
  private let steady = Promise<Void>()
  private let pipeline: Pipeline
  private let input: AppSource
  private let caps: Caps

  /// Makes the little pipeline that shrinks a frame to a few dots.
  private init(_ source: SourceFormat, caps: Caps, camera: String, clock: SystemClock) throws {
    let decoding = try Decoding.elements(for: source, camera: camera)
    pipeline = try Pipeline(
      launch: "appsrc name=input format=time max-bytes=0 ! \(decoding)videoscale method=nearest-neighbour ! "
        + "video/x-raw,width=64,height=48 ! videoconvert ! video/x-raw,format=GRAY8 ! "
        + "appsink name=output sync=false enable-last-sample=false", clock: clock)
    input = try AppSource(pipeline, "input")
    self.caps = caps
    input.setCaps(caps)
    let steady = steady
    try AppSink(pipeline, "output").onSample { [weak self] sample in
      guard let self else { return }
      let mean = try? sample.withBytes { bytes in
        bytes.isEmpty ? 0 : Double(bytes.reduce(into: 0) { $0 += Int($1) }) / Double(bytes.count)
      }
      if let mean, self.judgement.withLock({ $0.isSteady(mean) }) { steady.fulfil(()) }
    }
    try pipeline.play()
  }

  func consume(_ frame: borrowing Sample) {
    guard input.queuedBuffers < 4 else { return }
    input.push(frame)
  }

  /// Waits until the exposure is steady, or the limit is reached.
  static func settle(_ tap: FrameTap, source: SourceFormat, caps: Caps, camera: String, clock: SystemClock) async throws
  {
    let meter = try ExposureMeter(source, caps: caps, camera: camera, clock: clock)
    tap.add(meter)
    _ = await meter.steady.value(within: limit)
    tap.remove(meter)
    meter.pipeline.stop()
  }
}
