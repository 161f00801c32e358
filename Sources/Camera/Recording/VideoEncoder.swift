import CameraProtocol
import GStreamer
import Glibc
import Synchronization

/// An element that encodes pictures, with what it is told. None holds back a frame for longer than it must, so that a
/// kill loses only what is being encoded.
struct VideoEncoder: Sendable, Equatable {
  /// The GStreamer element.
  var element: String
  /// Whether it may be there and not work, as what needs a device may.
  var isHardware = false
  /// Whether GStreamer itself ranks it below use by default, so that its rank says nothing.
  var isUnranked = false

  /// The name of the element in a pipeline.
  static let name = "encoder"
  /// What stands in the status for a camera's own pictures.
  static let camera = "camera"

  /// The elements for a codec, the best first.
  static func candidates(for codec: VideoCodec) -> [VideoEncoder] {
    switch codec {
    case .h264:
      [
        VideoEncoder(element: "v4l2h264enc", isHardware: true),
        VideoEncoder(element: "vah264lpenc", isHardware: true, isUnranked: true),
        VideoEncoder(element: "vah264enc", isHardware: true, isUnranked: true),
        VideoEncoder(element: "x264enc"), VideoEncoder(element: "openh264enc"),
      ]
    case .vp8: [VideoEncoder(element: "vp8enc")]
    case .vp9: [VideoEncoder(element: "vp9enc")]
    }
  }

  /// Threads of an encoder that waits for its own by spinning: with more of them than free processors it is dozens of
  /// times slower.
  private static let threads = max(1, min(4, sysconf(Int32(_SC_NPROCESSORS_ONLN)) / 2))

  /// As a part of a launch line. `bitRate` in bits per second, `keyInterval` in frames.
  func launch(bitRate: Int, keyInterval: Int) -> String {
    let kilobits = max(1, bitRate / 1000)
    let settings =
      switch element {
      case "x264enc":
        "bitrate=\(kilobits) key-int-max=\(keyInterval) speed-preset=veryfast tune=zerolatency "
          + "! video/x-h264,profile=high"
      case "openh264enc":
        "bitrate=\(bitRate) gop-size=\(keyInterval) rate-control=bitrate usage-type=camera complexity=low ! h264parse"
      case "v4l2h264enc":
        // the level has to be asked for where the driver's own is too low for the size
        "extra-controls=\"controls,video_bitrate=\(bitRate),h264_i_frame_period=\(keyInterval),repeat_sequence_header=1\""
          + " ! video/x-h264,level=(string)4.2 ! h264parse"
      case "vah264enc", "vah264lpenc":
        "bitrate=\(kilobits) key-int-max=\(keyInterval) b-frames=0 rate-control=vbr ! h264parse"
      default:
        // a negative number is a speed, a positive one the share of a processor that VP8 takes all of before it is quick
        "target-bitrate=\(bitRate) keyframe-max-dist=\(keyInterval) deadline=1 lag-in-frames=0 "
          + "end-usage=vbr threads=\(Self.threads) \(element == "vp9enc" ? "cpu-used=8 row-mt=true" : "cpu-used=-8")"
      }
    return "\(element) name=\(Self.name) \(settings)"
  }

  /// Whether GStreamer has it and nobody has ranked it out of use.
  var isInstalled: Bool {
    guard let rank = GStreamer.rank(ofElement: element) else { return false }
    return isUnranked || rank > 0
  }
}

/// Which encoders work here. Hardware is tried once, with a few pictures of the size in question at the first
/// recording that could use it; what fails is left alone until the daemon ends.
final class EncoderChoice: Sendable {
  /// The longest that a trial may take.
  private static let patience: UInt64 = 3_000_000_000

  private let verdicts = Mutex<[String: Bool]>([:])
  private let candidates: @Sendable (VideoCodec) -> [VideoEncoder]
  private let clock: SystemClock
  private let log: Logger

  init(
    clock: SystemClock, log: @escaping Logger,
    candidates: @escaping @Sendable (VideoCodec) -> [VideoEncoder] = { VideoEncoder.candidates(for: $0) }
  ) {
    self.candidates = candidates
    self.clock = clock
    self.log = log
  }

  /// The encoders that may be tried for a codec, the best first. Throws `notSupported` where there is none. Blocks at the
  /// first call while hardware is tried.
  func encoders(for codec: VideoCodec) throws(CameraError) -> [VideoEncoder] {
    let candidates = candidates(codec)
    let working = candidates.filter { $0.isInstalled && works($0) }
    guard !working.isEmpty else {
      throw CameraError(
        .notSupported,
        "GStreamer has no element here that encodes \(codec.rawValue); install one of "
          + candidates.map(\.element).joined(separator: ", "))
    }
    return working
  }

  /// Leaves an encoder alone from now on.
  func exclude(_ encoder: VideoEncoder) { verdicts.withLock { $0[encoder.element] = false } }

  private func works(_ encoder: VideoEncoder) -> Bool {
    if let verdict = verdicts.withLock({ $0[encoder.element] }) { return verdict }
    guard encoder.isHardware else { return true }
    let verdict = tryOut(encoder)
    log(.info, "encoder \(encoder.element) \(verdict ? "works" : "is there but doesn't work; it is not used")")
    verdicts.withLock { $0[encoder.element] = verdict }
    return verdict
  }

  /// Encodes a few pictures.
  private func tryOut(_ encoder: VideoEncoder) -> Bool {
    do {
      let pipeline = try Pipeline(
        launch: "videotestsrc num-buffers=8 ! video/x-raw,format=I420,width=640,height=360,framerate=30/1 ! "
          + "videoconvert ! \(encoder.launch(bitRate: 1_000_000, keyInterval: 30)) ! appsink name=output sync=false",
        clock: clock)
      defer { pipeline.stop() }
      let output = try AppSink(pipeline, "output")
      try pipeline.play()
      return output.pull(timeout: Self.patience) != nil
    } catch {
      log(.debug, "\(encoder.element): \(error)")
      return false
    }
  }
}
