import CameraProtocol
import GStreamer
import MovieFile

/// What is to be known of a movie before it is edited.
struct SourceMovie: Sendable {
  /// Nanoseconds that looking into a file may take.
  private static let patience: UInt64 = 60_000_000_000

  var info: MediaInfo
  /// What an MP4 says; nil for other files.
  var description: MovieDescription?
  /// Size of the file.
  var bytes: Int

  /// Looks into the file behind a descriptor. Throws `notCompatible` with the reason where it is no movie that can be
  /// decoded.
  init(_ descriptor: Int32) throws(CameraError) {
    bytes = try EditFile.check(descriptor)
    do throws(GStreamerError) {
      info = try MediaInfo(path: EditFile.path(descriptor), timeout: Self.patience)
    } catch {
      throw CameraError(.notCompatible, "the file can't be decoded: \(error.message)", cause: error.description)
    }
    // others are read by GStreamer alone
    description = try? MovieFile.read(descriptor: descriptor)
  }

  /// The pictures. Throws `notCompatible` where there are none.
  func video() throws(CameraError) -> MediaInfo.Video {
    guard let video = info.video, !video.isImage else {
      throw CameraError(
        .notCompatible, info.video == nil ? "there is no picture in it" : "it is a picture and no movie")
    }
    return video
  }

  /// Seconds.
  var duration: Double { info.duration > 0 ? info.duration : description?.duration ?? 0 }

  /// The movie as plans see it. Throws `notCompatible` where there is no picture.
  func planned() throws(CameraError) -> TranscodePlan.Source {
    let video = try video()
    let seconds = max(duration, 0.001)
    let average = description?.video.map { Double($0.sampleCount) / max($0.duration, 0.001) }
    let rate = video.frameRate?.value ?? 30
    // a file that says one rate and has another, as time-lapses and films of varying rate do
    let frameRate = average.map { abs($0 - rate) > rate * 0.05 ? $0 : rate } ?? rate
    let sound = info.audio.map { $0.bitRate ?? 128_000 } ?? 0
    let total = Int(Double(bytes) * 8 / seconds)
    let shape = video.pixelAspectRatio.value
    return TranscodePlan.Source(
      width: max(2, Int((Double(video.width) * shape).rounded())), height: video.height,
      frameRate: min(max(frameRate, 0.1), 1000), bitRate: max(10_000, total - min(sound, total / 2)),
      audio: info.audio)
  }
}
