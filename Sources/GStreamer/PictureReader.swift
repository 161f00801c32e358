import CGStreamer

/// Reads decoded pictures from a movie or a picture file, at low priority. Used by one thread at a time, which blocks; never
/// on the cooperative pool.
public final class PictureReader {
  /// How a file is decoded.
  public enum Decoder: Sendable, Equatable {
    /// H.264 in MP4.
    case h264InMP4
    /// Another codec in MP4.
    case mp4
    /// Matroska or WebM.
    case matroska
    /// A JPEG picture.
    case jpeg
    /// A PNG picture.
    case png
    /// A WebP picture.
    case webp
    /// Whatever GStreamer finds.
    case automatic

    var elements: String {
      switch self {
      // a picture with holes isn't the one that is shown
      case .h264InMP4: "qtdemux ! h264parse ! avdec_h264 output-corrupt=false ! "
      case .mp4: "qtdemux name=demuxer demuxer.video_0 ! decodebin ! "
      case .matroska: "matroskademux name=demuxer demuxer.video_0 ! decodebin ! "
      case .jpeg: "jpegdec ! "
      case .png: "pngdec ! "
      case .webp: "webpdec ! "
      case .automatic: "decodebin ! "
      }
    }

    /// H.264 in MP4 by the shortest way, where its elements are installed.
    public static var plainMP4: Decoder {
      ["h264parse", "avdec_h264"].allSatisfy(GStreamer.hasElement) ? .h264InMP4 : .mp4
    }
  }

  /// Where a seek goes: to the key frame before the time, or to the one behind it.
  public enum Direction: Sendable { case before, after }

  private let pipeline: BackgroundPipeline
  private let sink: Element
  /// Nanoseconds in which something must happen.
  private let patience: UInt64
  private var isPlaying = false

  /// Opens a file and decodes its first picture. `patience`: nanoseconds without a picture after which a wait is given up.
  /// Throws what GStreamer reports, such as a file that is damaged.
  public init(path: String, decoder: Decoder, patience: UInt64) throws(GStreamerError) {
    self.patience = patience
    pipeline = try BackgroundPipeline(
      launch: "filesrc name=file ! \(decoder.elements)"
        + "appsink name=output sync=false max-buffers=2 enable-last-sample=false caps=video/x-raw")
    sink = try pipeline.element("output")
    try pipeline.element("file").set("location", path)
    try pipeline.setState(GST_STATE_PAUSED)
    switch try pipeline.next(timeout: patience) {
    case .ready?: break
    case .endOfStream?: throw GStreamerError("there is no picture in it")
    case nil: throw GStreamerError("no picture came out of it in time", situation: .silent)
    }
  }

  /// The picture that the file begins with; its running time is its time in the file, in nanoseconds. Before any seek.
  public func first() throws(GStreamerError) -> Sample {
    guard let pulled = gst_app_sink_try_pull_preroll(appSink, GstClockTime(patience)),
      let sample = Self.sample(pulled)
    else {
      try reportFailure()
      throw GStreamerError("there is no picture in it")
    }
    return sample
  }

  /// Nanoseconds; nil where the file doesn't tell.
  public var duration: UInt64? { pipeline.duration }

  /// How the pictures have to be turned to stand upright, in GStreamer's words, such as `rotate-90`; nil for not at all.
  public var orientation: String? { pipeline.orientation }

  /// Goes to the key frame that is nearest to a time in the file in that direction; `next` delivers it. False where the file
  /// can't be sought in.
  public func seek(to time: UInt64, _ direction: Direction = .before) -> Bool {
    let snap = direction == .before ? GST_SEEK_FLAG_SNAP_BEFORE : GST_SEEK_FLAG_SNAP_AFTER
    return pipeline.seek(
      to: time,
      flags: GstSeekFlags(rawValue: GST_SEEK_FLAG_FLUSH.rawValue | GST_SEEK_FLAG_KEY_UNIT.rawValue | snap.rawValue))
  }

  /// The next picture; its running time is its time in the file, in nanoseconds. nil at the end.
  public func next() throws(GStreamerError) -> Sample? {
    if !isPlaying {
      isPlaying = true
      try pipeline.setState(GST_STATE_PLAYING)
    }
    if let pulled = gst_app_sink_try_pull_sample(appSink, GstClockTime(patience)) {
      return Self.sample(pulled)
    }
    try reportFailure()
    guard gst_app_sink_is_eos(appSink) != 0 else {
      throw GStreamerError("no picture came out of it in time", situation: .silent)
    }
    return nil
  }

  /// A sample of its own: the sink goes on using the one that it lent.
  private static func sample(_ pulled: OpaquePointer) -> Sample? {
    defer { gst_mini_object_unref(UnsafeMutablePointer<GstMiniObject>(pulled)) }
    guard let buffer = gst_sample_get_buffer(pulled) else { return nil }
    return gst_sample_new(buffer, gst_sample_get_caps(pulled), gst_sample_get_segment(pulled), nil).flatMap {
      Sample.adopting($0, timeInStream: true)
    }
  }

  private func reportFailure() throws(GStreamerError) {
    while try pipeline.next(timeout: 0) != nil {}
  }

  private var appSink: UnsafeMutablePointer<GstAppSink> {
    UnsafeMutableRawPointer(sink.pointer).assumingMemoryBound(to: GstAppSink.self)
  }
}
