import CGStreamer

/// A buffer with its caps and its running time. Owns one reference; a further one is taken with `retained`. Making,
/// keeping and dropping it copies no picture and allocates nothing in Swift.
public struct Sample: ~Copyable, @unchecked Sendable {
  let pointer: OpaquePointer
  let buffer: UnsafeMutablePointer<GstBuffer>
  /// Nanoseconds of running time at which it was captured.
  public let runningTime: UInt64
  /// The sample before it, which has to be decoded first; nil where none is needed or none is known.
  public private(set) var predecessor: Frame?

  /// Takes over the caller's reference; nil where the sample carries no buffer or no time.
  /// `origin` is added to its running time.
  static func adopting(_ pointer: OpaquePointer, origin: UInt64 = 0) -> Sample? {
    guard let buffer = gst_sample_get_buffer(pointer), buffer.pointee.pts != GstClockTime.max else {
      gst_mini_object_unref(UnsafeMutablePointer<GstMiniObject>(pointer))
      return nil
    }
    let own = runningTime(of: buffer, gst_sample_get_segment(pointer))
    return Sample(pointer, buffer, origin.addingReportingOverflow(own).partialValue, nil)
  }

  /// The same for what may carry no time, which counts as 0. `timeInStream`: its running time is its time in the stream
  /// that it comes from, wherever that was sought to.
  static func adopting(_ pointer: OpaquePointer, timeInStream: Bool) -> Sample? {
    guard let buffer = gst_sample_get_buffer(pointer) else {
      gst_mini_object_unref(UnsafeMutablePointer<GstMiniObject>(pointer))
      return nil
    }
    var time = buffer.pointee.pts
    if timeInStream, time != GstClockTime.max, let segment = gst_sample_get_segment(pointer) {
      time = gst_segment_to_stream_time(segment, GST_FORMAT_TIME, time)
    }
    return Sample(pointer, buffer, time == GstClockTime.max ? 0 : UInt64(time), nil)
  }

  private static func runningTime(
    of buffer: UnsafeMutablePointer<GstBuffer>, _ segment: UnsafeMutablePointer<GstSegment>?
  ) -> UInt64 {
    let time = buffer.pointee.pts
    guard let segment else { return UInt64(time) }
    let converted = gst_segment_to_running_time(segment, GST_FORMAT_TIME, time)
    return UInt64(converted == GstClockTime.max ? time : converted)
  }

  private init(
    _ pointer: OpaquePointer, _ buffer: UnsafeMutablePointer<GstBuffer>, _ runningTime: UInt64, _ predecessor: Frame?
  ) {
    self.pointer = pointer
    self.buffer = buffer
    self.runningTime = runningTime
    self.predecessor = predecessor
  }

  deinit { gst_mini_object_unref(UnsafeMutablePointer<GstMiniObject>(pointer)) }

  /// A further reference to the same sample.
  public borrowing func retained() -> Sample {
    gst_mini_object_ref(UnsafeMutablePointer<GstMiniObject>(pointer))
    return Sample(pointer, buffer, runningTime, predecessor)
  }

  /// A copy in memory of its own, so that it may be kept for long without holding up the source, with the sample that it
  /// depends on. nil where there is no memory for it.
  public borrowing func copied(after predecessor: Frame?) -> Sample? {
    guard let buffer = gst_buffer_copy_deep(buffer) else { return nil }
    defer { gst_mini_object_unref(UnsafeMutableRawPointer(buffer).assumingMemoryBound(to: GstMiniObject.self)) }
    guard let copy = gst_sample_new(buffer, gst_sample_get_caps(pointer), gst_sample_get_segment(pointer), nil) else {
      return nil
    }
    return Sample(copy, buffer, runningTime, predecessor)
  }

  /// Whether its memory is one of few that the source has, as a driver's: kept for long, it would hold up the source.
  public var isScarce: Bool {
    guard let pool = buffer.pointee.pool else { return false }
    // a pool of another kind, such as PipeWire's, is a driver's whatever it says of its size
    let isPlain = Self.typeName(pool) == "GstVideoBufferPool" || Self.typeName(pool) == "GstBufferPool"
    guard isPlain, let configuration = gst_buffer_pool_get_config(pool) else { return true }
    defer { gst_structure_free(configuration) }
    var most: guint = 1
    guard gst_buffer_pool_config_get_params(configuration, nil, nil, nil, &most) != 0 else { return true }
    return most > 0
  }

  private static func typeName(_ object: UnsafeMutablePointer<GstBufferPool>) -> String {
    g_type_name_from_instance(UnsafeMutableRawPointer(object).assumingMemoryBound(to: GTypeInstance.self))
      .map { String(cString: $0) } ?? ""
  }

  /// A copy in memory of its own, as captured at another running time and of another duration, in nanoseconds, with
  /// caps of its own. nil where there is no memory for it.
  public borrowing func copied(runningTime: UInt64, duration: UInt64, caps: Caps) -> Sample? {
    guard let copy = gst_buffer_copy_deep(buffer) else { return nil }
    copy.pointee.pts = GstClockTime(runningTime)
    copy.pointee.dts = GstClockTime.max
    copy.pointee.duration = GstClockTime(duration)
    defer { gst_mini_object_unref(UnsafeMutableRawPointer(copy).assumingMemoryBound(to: GstMiniObject.self)) }
    guard let sample = gst_sample_new(copy, caps.pointer, nil, nil) else { return nil }
    return Sample(sample, copy, runningTime, nil)
  }

  /// Nanoseconds it lasts; nil where the source doesn't say.
  public var duration: UInt64? { buffer.pointee.duration == GstClockTime.max ? nil : UInt64(buffer.pointee.duration) }

  /// Bytes in the buffer.
  public var byteCount: Int { Int(gst_buffer_get_size(buffer)) }

  /// Whether the source marked the buffer as damaged.
  public var isCorrupted: Bool {
    buffer.pointee.mini_object.flags & UInt32(GST_BUFFER_FLAG_CORRUPTED.rawValue) != 0
  }

  /// Whether it can't be decoded without samples before it.
  public var isDelta: Bool {
    buffer.pointee.mini_object.flags & UInt32(GST_BUFFER_FLAG_DELTA_UNIT.rawValue) != 0
  }

  /// What the buffer holds.
  public var caps: Caps? { gst_sample_get_caps(pointer).map { Caps(retaining: $0) } }

  /// Whether the caps are the very same object, which they are from frame to frame; a cheap first look.
  public func hasCaps(_ caps: Caps) -> Bool { gst_sample_get_caps(pointer) == caps.pointer }

  /// Lends the bytes. Throws where the buffer can't be mapped.
  public borrowing func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws -> Result {
    var map = GstMapInfo()
    guard gst_buffer_map(buffer, &map, GST_MAP_READ) != 0 else { throw GStreamerError("a buffer can't be mapped") }
    defer { gst_buffer_unmap(buffer, &map) }
    return try body(UnsafeRawBufferPointer(start: map.data, count: Int(map.size)))
  }
}

extension Sample {
  /// Nanoseconds of the pipeline's own running time; below 0 for what lies before the part that is played, such as the
  /// first samples of compressed sound.
  public var signedRunningTime: Int64 {
    guard let segment = gst_sample_get_segment(pointer) else { return Int64(clamping: buffer.pointee.pts) }
    var time: guint64 = 0
    let sign = gst_segment_to_running_time_full(segment, GST_FORMAT_TIME, buffer.pointee.pts, &time)
    return sign == 0 ? Int64(clamping: buffer.pointee.pts) : Int64(clamping: time) * Int64(sign)
  }
}
