import CameraProtocol
import GStreamer

extension TranscodePlan {
  /// Bytes of compressed pictures that may wait to be decoded.
  private static let waiting = 8 << 20

  /// From the file to raw pictures at the appsink `video`, and to sound, raw or as it is, at `audio`. Decoders are those
  /// that need no device: recordings may need it.
  func reader(_ movie: SourceMovie, path: String) throws(CameraError) -> String {
    let video = try movie.video()
    let sink = "appsink sync=false enable-last-sample=false"
    var line = "filesrc location=\(LaunchLine.quote(path)) ! parsebin name=streams  streams. ! \(video.encoding) ! "
    line += "queue max-size-buffers=0 max-size-time=0 max-size-bytes=\(Self.waiting) ! "
    line += "decodebin force-sw-decoders=true ! video/x-raw ! "
    if video.isInterlaced { line += "deinterlace ! " }
    line += "\(sink) name=video max-buffers=2"
    guard let sound, let audio = movie.info.audio else { return line }
    line +=
      "  streams. ! \(audio.encoding) ! queue max-size-buffers=0 max-size-time=0 max-size-bytes=\(Self.waiting) ! "
    switch sound {
    case .kept:
      line += "aacparse ! audio/mpeg,mpegversion=4,stream-format=raw ! "
    case .encoded(_, let channels, let sampleRate):
      line += "decodebin ! audioconvert ! audioresample ! "
      line += "audio/x-raw,format=F32LE,layout=interleaved,rate=\(sampleRate),channels=\(channels) ! "
      line += "audiorate skip-to-first=true ! "
    }
    return line + "\(sink) name=audio"
  }

  /// From the appsrc elements `video` and `audio` to `file`, whose location is still to be set. What is encoded waits for
  /// the other stream without a bound, so that a file whose streams lie far apart can't bring it to a stop.
  func writer(_ movie: SourceMovie) throws(CameraError) -> String {
    let video = try movie.video()
    var line = "appsrc name=video format=time is-live=false block=true max-buffers=4 max-bytes=0 max-time=0 ! "
    if video.pixelAspectRatio.value != 1 {
      let (fullWidth, fullHeight) = (
        Int((Double(video.width) * video.pixelAspectRatio.value).rounded()), video.height
      )
      line += "videoscale add-borders=false ! "
      line += "video/x-raw,width=\(fullWidth),height=\(fullHeight),pixel-aspect-ratio=1/1 ! "
    }
    if margins != PictureMargins() {
      line += "videocrop left=\(margins.left) right=\(margins.right) top=\(margins.top) bottom=\(margins.bottom) ! "
    }
    // players of H.264 take the full range of JPEG for the limited one; see docs/architecture.md
    let range = video.encoding == "image/jpeg" ? ",colorimetry=bt709" : ""
    line += "videoscale add-borders=false ! videoconvert ! "
    line += "video/x-raw,format=I420,width=\(width),height=\(height),pixel-aspect-ratio=1/1\(range) ! "
    line += "\(try encoder()) ! \(Self.queue) ! mp4mux name=muxer fragment-duration=2000 ! "
    line += "filesink name=file buffer-mode=unbuffered async=false sync=false"
    guard let sound else { return line }
    line += "  appsrc name=audio format=time is-live=false block=false max-buffers=0 max-bytes=0 max-time=0 ! "
    if case .encoded(let bitRate, _, _) = sound { line += "audioconvert ! avenc_aac bitrate=\(bitRate) ! " }
    return line + "\(Self.queue) ! muxer."
  }

  private static let queue = "queue max-size-buffers=0 max-size-bytes=0 max-size-time=0"

  /// One that needs no device: recordings may need it. Pictures come out in the order in which they are shown.
  private func encoder() throws(CameraError) -> String {
    let keyInterval = max(1, Int((frameRate * 2).rounded()))
    if GStreamer.hasElement("x264enc") {
      return "x264enc bitrate=\(max(1, bitRate / 1000)) key-int-max=\(keyInterval) speed-preset=veryfast bframes=0 "
        + "! video/x-h264,profile=high"
    }
    guard GStreamer.hasElement("openh264enc") else {
      throw CameraError(
        .notSupported, "GStreamer has no element here that encodes h264; install x264enc or openh264enc")
    }
    return "openh264enc bitrate=\(bitRate) gop-size=\(keyInterval) rate-control=bitrate ! h264parse"
  }
}
