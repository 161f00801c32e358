import CGStreamer

/// Finds out whether the sound of a file can be decoded, at low priority. Blocks.
public enum SoundReader {
  /// Decodes the first piece of sound of a file. `patience`: nanoseconds. Throws what GStreamer reports where it can't.
  public static func check(path: String, patience: UInt64) throws(GStreamerError) {
    let pipeline = try BackgroundPipeline(
      launch: "filesrc name=file ! decodebin ! audio/x-raw ! fakesink name=output sync=false enable-last-sample=false")
    try pipeline.element("file").set("location", path)
    try pipeline.setState(GST_STATE_PAUSED)
    switch try pipeline.next(timeout: patience) {
    case .ready?: return
    case .endOfStream?: throw GStreamerError("there is no sound in it")
    case nil: throw GStreamerError("no sound came out of it in time", situation: .silent)
    }
  }
}
