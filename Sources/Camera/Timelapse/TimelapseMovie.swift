import CameraProtocol
import GStreamer
import MediaLibrary
import MovieFile
import Synchronization

/// The movie of a time-lapse: a recording whose frames come when they come, and are shown one after the other at its rate.
final class TimelapseMovie: Sendable {
  let recorder: MovieRecorder
  let frameRate: Fraction
  private let source: SourceFormat
  private let camera: String
  private let clock: SystemClock
  /// Running time of the first frame.
  private let start: UInt64
  private let frames = Mutex(0)

  /// Begins the file; `start` is the running time at which the first frame is due. Blocks for some milliseconds.
  init(
    _ request: TimelapseRequest.Movie, source: SourceFormat, camera: String, start: UInt64, settings: SessionSettings,
    metadata: MovieMetadata
  ) throws(CameraError) {
    var source = source
    frameRate = Fraction(request.millihertz, 1000)
    source.frameRate = frameRate
    var plan = try MoviePlan(request.quality, source: source, camera: camera)
    plan.frameRate = frameRate
    // minutes may lie between two frames: each goes to the disk as soon as the muxer lets it, which is when the second
    // one behind it comes
    plan.fragmentDuration = 1
    recorder = try MovieRecorder(
      plan: plan, source: source, camera: camera, audio: false, limits: .init(), microphone: MicrophoneSwitch(),
      encoders: settings.encoders, library: settings.library, metadata: metadata, clock: settings.clock,
      log: settings.log)
    self.source = source
    self.camera = camera
    self.clock = settings.clock
    self.start = start
  }

  /// Adds a frame. Throws where it is of another format than the first. Blocks for some milliseconds.
  func add(_ frame: Frame) throws(CameraError) {
    let picture = try StillDecoder.picture(of: frame, camera: camera, clock: clock)
    guard let caps = picture.sample.caps, var format = SourceFormat(caps) else {
      throw CameraError(.captureFailed, "camera '\(camera)' delivers frames without a size", camera: camera)
    }
    format.frameRate = frameRate
    guard format == source else {
      throw CameraError(
        .captureFailed,
        "camera '\(camera)' delivers \(format.caps) now, and the movie was begun with \(source.caps); set the mode as "
          + "it was", camera: camera)
    }
    let (number, next) = frames.withLock { frames in
      frames += 1
      return (frames - 1, frames)
    }
    let time = position(number)
    guard
      let sample = picture.sample.copied(
        runningTime: start + time, duration: position(next) - time, caps: caps.with(frameRate: frameRate))
    else { throw CameraError(.captureFailed, "there is no memory for a frame of camera '\(camera)'", camera: camera) }
    recorder.feed.consume(sample)
  }

  /// Nanoseconds into the movie of a frame.
  private func position(_ frame: Int) -> UInt64 {
    UInt64((Double(frame) * 1e9 / frameRate.value).rounded())
  }
}
