import CGStreamer

/// Encodes small pictures to files, at low priority. Blocks.
public enum PictureEncoder {
  /// The kind of file.
  public enum Format: Sendable, Equatable {
    /// Without loss.
    case png
    /// With a quality of 1 to 100.
    case jpeg(quality: Int)
    /// With a quality of 1 to 100.
    case webp(quality: Int)
  }

  /// The bytes of a file. Throws where the encoder isn't there or fails; `patience` in nanoseconds.
  public static func encode(
    _ picture: PixelBytes, _ format: Format, patience: UInt64 = 15_000_000_000
  ) throws(GStreamerError) -> [UInt8] {
    let encoder =
      switch format {
      case .png: "pngenc compression-level=3"
      case .jpeg(let quality): "videoconvert ! jpegenc quality=\(quality)"
      case .webp(let quality): "videoconvert ! webpenc quality=\(quality)"
      }
    let pipeline = try BackgroundPipeline(
      launch: "appsrc name=input format=time max-bytes=0 ! \(encoder) ! "
        + "appsink name=output sync=false enable-last-sample=false")
    let (input, output) = (try pipeline.element("input"), try pipeline.element("output"))
    let source = UnsafeMutableRawPointer(input.pointer).assumingMemoryBound(to: GstAppSrc.self)
    let sink = UnsafeMutableRawPointer(output.pointer).assumingMemoryBound(to: GstAppSink.self)
    let caps = try Caps("video/x-raw,format=RGB,width=\(picture.width),height=\(picture.height),framerate=0/1")
    gst_app_src_set_caps(source, caps.pointer)
    try pipeline.setState(GST_STATE_PLAYING)
    guard let buffer = buffer(of: picture) else { throw GStreamerError("no memory") }
    gst_app_src_push_buffer(source, buffer)
    gst_app_src_end_of_stream(source)
    guard let pulled = gst_app_sink_try_pull_sample(sink, GstClockTime(patience)),
      let sample = Sample.adopting(pulled, timeInStream: false)
    else {
      while try pipeline.next(timeout: 0) != nil {}
      throw GStreamerError("a picture can't be encoded")
    }
    do {
      return try sample.withBytes { Array($0) }
    } catch let error as GStreamerError {
      throw error
    } catch {
      throw GStreamerError("\(error)")
    }
  }

  /// Rows of RGB begin at multiples of four bytes.
  private static func buffer(of picture: PixelBytes) -> UnsafeMutablePointer<GstBuffer>? {
    let row = picture.width * 3
    let stride = (row + 3) & ~3
    guard let buffer = gst_buffer_new_allocate(nil, gsize(stride * picture.height), nil) else { return nil }
    picture.bytes.withUnsafeBytes { bytes in
      for line in 0..<picture.height {
        gst_buffer_fill(buffer, gsize(line * stride), bytes.baseAddress.map { $0 + line * row }, gsize(row))
      }
    }
    buffer.pointee.pts = 0
    return buffer
  }
}
