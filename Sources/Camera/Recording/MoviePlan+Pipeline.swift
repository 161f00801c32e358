import CameraProtocol
import GStreamer

extension MoviePlan {
  /// JPEG pictures use the full range of values, which many players of H.264 take for the limited one: the blacks
  /// drown. BT.709 and not JPEG's own matrix: videoconvert of GStreamer 1.22 leaves the range as it is otherwise.
  private func range(_ source: SourceFormat) -> String {
    source.mediaType == SourceFormat.jpeg ? ",colorimetry=bt709" : ""
  }

  /// The elements that cut and scale a raw picture of the source to the movie's.
  func pictureElements(_ source: SourceFormat) -> String {
    var elements = ""
    if crop != Crop() {
      elements += "videocrop left=\(crop.left) right=\(crop.right) top=\(crop.top) bottom=\(crop.bottom) ! "
    }
    let cut = (source.width - crop.left - crop.right, source.height - crop.top - crop.bottom)
    if cut != (width, height) { elements += "videoscale add-borders=false ! " }
    return elements
  }

  /// The recording's pipeline. Frames and sound enter at the appsrc elements `video` and `audio`; the file is written
  /// by `file`, whose location is still to be set.
  ///
  /// The encoder holds back no frame (zerolatency), so that a kill loses only the fragment that is being filled.
  func pipeline(_ source: SourceFormat, camera: String, audio: Bool) throws(CameraError) -> String {
    let queue = "format=time is-live=false block=false max-bytes=0 max-buffers=0 max-time=0"
    let keyInterval = max(1, Int((frameRate.value * 2).rounded()))
    var line = "appsrc name=video \(queue) ! \(try Decoding.elements(for: source, camera: camera))"
    line += "\(pictureElements(source))videoconvert ! "
    line += "video/x-raw,format=I420,width=\(width),height=\(height),pixel-aspect-ratio=1/1\(range(source)) ! "
    line += "x264enc bitrate=\(videoBitRate / 1000) key-int-max=\(keyInterval) speed-preset=veryfast tune=zerolatency "
    line += "! video/x-h264,profile=high ! "
    line += "mp4mux name=muxer fragment-duration=300 ! filesink name=file buffer-mode=unbuffered async=false sync=false"
    if audio {
      line += " appsrc name=audio \(queue) caps=\(LaunchLine.quote(SoundFormat.caps)) ! audioconvert ! "
      line += "audio/x-raw,channels=\(audioChannels) ! avenc_aac bitrate=\(audioBitRate) ! muxer."
    }
    return line
  }
}
