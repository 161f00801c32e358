import CameraProtocol
import GStreamer
import MovieFile

extension EdgeCodec {
  /// How the edges of a track of VP8 or VP9 are encoded. Each of their key frames says everything anew, so that nothing
  /// has to fit the neighbours. Throws `notCompatible` where GStreamer lacks an element.
  init(webM track: MatroskaIndex.Track) throws(CameraError) {
    let name = track.codec == "V_VP8" ? "vp8" : "vp9"
    for element in ["\(name)dec", "\(name)enc"] where !GStreamer.hasElement(element) {
      throw CameraError(
        .notCompatible,
        "the movie can be cut at its key frames only: GStreamer has no \(element) here; install "
          + "gstreamer1.0-plugins-good")
    }
    input =
      "video/x-\(name),framerate=(fraction)25/1,width=(int)\(max(1, track.width)),height=(int)\(max(1, track.height))"
    decoder = "\(name)dec"
    encoder =
      "\(name)enc end-usage=cq cq-level=8 min-quantizer=0 max-quantizer=20 target-bitrate=100000000 lag-in-frames=0 "
      + "auto-alt-ref=false keyframe-max-dist=1000000 deadline=1 threads=2 "
      + (name == "vp9" ? "cpu-used=5 row-mt=true" : "cpu-used=4")
  }
}
