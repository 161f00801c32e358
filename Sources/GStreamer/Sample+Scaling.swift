import CGStreamer

/// A raw picture: rows of red, green and blue, 8 bits each, without gaps.
public struct PixelBytes: Sendable, Equatable {
  /// Pixels.
  public var width: Int
  /// Pixels.
  public var height: Int
  /// Three for each pixel, from the top left, row by row.
  public var bytes: [UInt8]

  /// A picture of these values; `bytes` are three for each pixel.
  public init(width: Int, height: Int, bytes: [UInt8]) {
    self.width = width
    self.height = height
    self.bytes = bytes
  }
}

/// The size of a raw picture, and the shape of its pixels.
public struct PictureSize: Sendable, Equatable {
  /// Pixels.
  public var width: Int
  /// Pixels.
  public var height: Int
  /// How much wider than high a pixel is shown; 1 for square ones.
  public var pixelAspectRatio: Double
}

extension Sample {
  /// The size of its picture; nil where it is no raw one.
  public var pictureSize: PictureSize? {
    var information = GstVideoInfo()
    gst_video_info_init(&information)
    guard let caps = gst_sample_get_caps(pointer), gst_video_info_from_caps(&information, caps) != 0 else { return nil }
    let (wide, high) = (information.par_n, information.par_d)
    return PictureSize(
      width: Int(information.width), height: Int(information.height),
      pixelAspectRatio: wide > 0 && high > 0 ? Double(wide) / Double(high) : 1)
  }

  /// Nanoseconds that a frame is shown, by the rate that the caps tell; nil where they tell none.
  public var frameInterval: UInt64? {
    var information = GstVideoInfo()
    gst_video_info_init(&information)
    guard let caps = gst_sample_get_caps(pointer), gst_video_info_from_caps(&information, caps) != 0,
      information.fps_n > 0, information.fps_d > 0
    else { return nil }
    return UInt64(1e9 * Double(information.fps_d) / Double(information.fps_n))
  }

  /// The raw picture at another size, on the calling thread. Throws where it is no raw picture.
  public borrowing func scaled(width: Int, height: Int) throws(GStreamerError) -> PixelBytes {
    var source = GstVideoInfo()
    var target = GstVideoInfo()
    guard width > 0, height > 0, let caps = gst_sample_get_caps(pointer), gst_video_info_from_caps(&source, caps) != 0,
      gst_video_info_set_format(&target, GST_VIDEO_FORMAT_RGB, guint(width), guint(height)) != 0
    else { throw GStreamerError("a frame is no picture that can be scaled") }
    // a converter changes neither; a picture alone has no rate
    (source.fps_n, source.fps_d, target.fps_n, target.fps_d) = (0, 1, 0, 1)
    target.interlace_mode = source.interlace_mode
    guard let converter = gst_video_converter_new(&source, &target, Self.scalingOptions()) else {
      throw GStreamerError("a frame can't be scaled to \(width)x\(height)")
    }
    defer { gst_video_converter_free(converter) }
    var input = GstVideoFrame()
    guard gst_video_frame_map(&input, &source, buffer, GST_MAP_READ) != 0 else {
      throw GStreamerError("a buffer can't be mapped")
    }
    defer { gst_video_frame_unmap(&input) }
    guard let memory = gst_buffer_new_allocate(nil, target.size, nil) else { throw GStreamerError("no memory") }
    defer { gst_mini_object_unref(UnsafeMutableRawPointer(memory).assumingMemoryBound(to: GstMiniObject.self)) }
    var output = GstVideoFrame()
    guard gst_video_frame_map(&output, &target, memory, GST_MAP_WRITE) != 0 else {
      throw GStreamerError("a buffer can't be mapped")
    }
    defer { gst_video_frame_unmap(&output) }
    gst_video_converter_frame(converter, &input, &output)
    guard let start = output.data.0 else { throw GStreamerError("a buffer can't be mapped") }
    let (row, stride) = (width * 3, Int(target.stride.0))
    let bytes = [UInt8](unsafeUninitializedCapacity: row * height) { bytes, count in
      for line in 0..<height {
        UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(bytes)[line * row..<(line + 1) * row])
          .copyMemory(
            from: UnsafeRawBufferPointer(start: start + line * stride, count: row))
      }
      count = row * height
    }
    return PixelBytes(width: width, height: height, bytes: bytes)
  }

  /// As many source pixels count for one as lie under it: what is left out would flicker and stand in steps.
  private static func scalingOptions() -> UnsafeMutablePointer<GstStructure>? {
    let options = gst_structure_new_empty("options")
    var method = GValue()
    g_value_init(&method, gst_video_resampler_method_get_type())
    defer { g_value_unset(&method) }
    g_value_set_enum(&method, gint(GST_VIDEO_RESAMPLER_METHOD_LINEAR.rawValue))
    gst_structure_set_value(options, GST_VIDEO_CONVERTER_OPT_RESAMPLER_METHOD, &method)
    return options
  }
}
