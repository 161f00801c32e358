import CGStreamer

/// What streams are in a file, found out by decoding the beginning of each.
public struct MediaInfo: Sendable, Equatable {
  /// A stream of pictures.
  public struct Video: Sendable, Equatable {
    /// The media type of the encoded stream, such as `video/x-h264`.
    public var encoding: String
    /// Pixels, as they are stored.
    public var width: Int
    /// Pixels, as they are stored.
    public var height: Int
    /// How much wider than high a pixel is.
    public var pixelAspectRatio: Fraction
    /// Frames per second; nil where it varies or isn't said.
    public var frameRate: Fraction?
    /// Whether its frames consist of two fields.
    public var isInterlaced: Bool
    /// Whether it is a single picture.
    public var isImage: Bool
  }

  /// A stream of sound.
  public struct Audio: Sendable, Equatable {
    /// The media type of the encoded stream, such as `audio/mpeg`.
    public var encoding: String
    /// What is said of that type, in the form of caps.
    public var caps: String
    /// How many.
    public var channels: Int
    /// Samples per second.
    public var sampleRate: Int
    /// Bits per second; nil where that isn't said.
    public var bitRate: Int?
  }

  /// The first stream of pictures.
  public var video: Video?
  /// The first stream of sound.
  public var audio: Audio?
  /// Seconds; 0 where that isn't known.
  public var duration: Double

  /// Looks into a file. Blocks until it is known, at most so many nanoseconds. Throws where it can't be decoded.
  public init(path: String, timeout: UInt64) throws(GStreamerError) {
    var error: UnsafeMutablePointer<GError>?
    guard let discoverer = gst_discoverer_new(GstClockTime(timeout), &error) else {
      throw GStreamerError(adopting: error, element: nil, debug: nil)
    }
    defer { g_object_unref(discoverer) }
    guard let uri = gst_filename_to_uri(path, nil) else { throw GStreamerError("'\(path)' is no path") }
    defer { g_free(uri) }
    let found = gst_discoverer_discover_uri(discoverer, uri, &error)
    defer { if let found { g_object_unref(UnsafeMutableRawPointer(found)) } }
    guard let found else { throw GStreamerError(adopting: error, element: nil, debug: nil) }
    switch gst_discoverer_info_get_result(found) {
    case GST_DISCOVERER_OK: break
    case GST_DISCOVERER_TIMEOUT: throw GStreamerError("nothing could be decoded of it in time")
    case GST_DISCOVERER_MISSING_PLUGINS where Self.canDecode(found): break
    case GST_DISCOVERER_MISSING_PLUGINS:
      throw GStreamerError("GStreamer has no element here that decodes it")
    default:
      throw error == nil
        ? GStreamerError("it can't be decoded") : GStreamerError(adopting: error, element: nil, debug: nil)
    }
    g_clear_error(&error)
    let length = gst_discoverer_info_get_duration(found)
    duration = length == GstClockTime.max ? 0 : Double(length) / 1e9
    video = Self.first(gst_discoverer_info_get_video_streams(found), Self.video)
    audio = Self.first(gst_discoverer_info_get_audio_streams(found), Self.audio)
  }

  /// Whether what is missing is for streams besides picture and sound.
  private static func canDecode(_ info: OpaquePointer) -> Bool {
    let streams = gst_discoverer_info_get_video_streams(info)
    defer { gst_discoverer_stream_info_list_free(streams) }
    return first(streams, video)?.encoding.hasPrefix("video/") ?? false
  }

  /// Reads the first stream of a list, which it takes over.
  private static func first<Value>(
    _ list: UnsafeMutablePointer<GList>?, _ read: (OpaquePointer) -> Value?
  ) -> Value? {
    defer { gst_discoverer_stream_info_list_free(list) }
    return list?.pointee.data.flatMap { read(OpaquePointer($0)) }
  }

  private static func caps(_ stream: OpaquePointer) -> Caps? {
    gst_discoverer_stream_info_get_caps(stream).map { Caps(adopting: $0) }
  }

  private static func video(_ stream: OpaquePointer) -> Video? {
    guard let encoding = caps(stream)?.structures.first?.name else { return nil }
    let (upper, lower) = (
      Int(gst_discoverer_video_info_get_framerate_num(stream)),
      Int(gst_discoverer_video_info_get_framerate_denom(stream))
    )
    let shape = Fraction(
      Int(gst_discoverer_video_info_get_par_num(stream)), Int(gst_discoverer_video_info_get_par_denom(stream)))
    return Video(
      encoding: encoding, width: Int(gst_discoverer_video_info_get_width(stream)),
      height: Int(gst_discoverer_video_info_get_height(stream)),
      pixelAspectRatio: shape.numerator > 0 && shape.denominator > 0 ? shape : Fraction(1),
      frameRate: upper > 0 && lower > 0 ? Fraction(upper, lower) : nil,
      isInterlaced: gst_discoverer_video_info_is_interlaced(stream) != 0,
      isImage: gst_discoverer_video_info_is_image(stream) != 0)
  }

  private static func audio(_ stream: OpaquePointer) -> Audio? {
    guard let caps = caps(stream), let encoding = caps.structures.first?.name else { return nil }
    let bitRate = Int(gst_discoverer_audio_info_get_bitrate(stream))
    return Audio(
      encoding: encoding, caps: caps.description, channels: Int(gst_discoverer_audio_info_get_channels(stream)),
      sampleRate: Int(gst_discoverer_audio_info_get_sample_rate(stream)), bitRate: bitRate > 0 ? bitRate : nil)
  }
}
