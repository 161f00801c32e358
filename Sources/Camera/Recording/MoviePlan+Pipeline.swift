import CameraProtocol
import GStreamer
import MovieFile
import PhotoFile

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

  private var turnElement: String {
    guard turn != .none, let orientation = Orientation(degrees: turn.rawValue) else { return "" }
    return "videoflip video-direction=\(orientation.direction) ! "
  }

  /// The recording's pipeline. Frames and sound enter at the appsrc elements `video` and `audio`; the file is written
  /// by `file`, whose location is still to be set. `encoder` is for pictures that aren't passed on as they come.
  func pipeline(
    _ source: SourceFormat, camera: String, audio: Bool, encoder: VideoEncoder?
  ) throws(CameraError) -> String {
    var branches: [String] = []
    if format.video != nil { branches.append(try videoBranch(source, camera: camera, encoder)) }
    if audio { branches.append(audioBranch) }
    var line = branches[0] + " ! \(format.container.muxer(fragmentDuration: fragmentDuration)) ! "
    line += "filesink name=file buffer-mode=unbuffered async=false sync=false"
    for branch in branches.dropFirst() { line += " \(branch) ! muxer." }
    return line
  }

  private static let queue = "format=time is-live=false block=false max-bytes=0 max-buffers=0 max-time=0"

  /// From the appsrc `video` to encoded pictures; with `encoder` nil they are that already. `keySeconds`: seconds between
  /// two key frames.
  func videoBranch(
    _ source: SourceFormat, camera: String, _ encoder: VideoEncoder?, keySeconds: Double = 2
  ) throws(CameraError) -> String {
    let input = "appsrc name=video \(Self.queue) ! "
    guard let encoder else { return "\(input)h264parse" }
    let keyInterval = max(1, Int((frameRate.value * keySeconds).rounded()))
    return input + (try Decoding.elements(for: source, camera: camera))
      + "\(pictureElements(source))videoconvert ! "
      + "video/x-raw,format=I420,width=\(width),height=\(height),pixel-aspect-ratio=1/1\(range(source)) ! "
      + turnElement + encoder.launch(bitRate: videoBitRate, keyInterval: keyInterval)
  }

  private var audioBranch: String {
    let encoder =
      format.audio == .aac
      ? "avenc_aac bitrate=\(audioBitRate)" : "opusenc bitrate=\(audioBitRate) audio-type=generic"
    return "appsrc name=audio \(Self.queue) caps=\(LaunchLine.quote(SoundFormat.caps)) ! audioconvert ! "
      + "audio/x-raw,channels=\(audioChannels) ! \(encoder)"
  }
}
