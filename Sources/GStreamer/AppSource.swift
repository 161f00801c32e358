import CGStreamer

/// The start of a pipeline that Swift feeds. Pushing never blocks; it may be done from any one thread at a time.
public final class AppSource: @unchecked Sendable {
  private let element: Element

  /// The `appsrc` of that name in a pipeline.
  public init(_ pipeline: Pipeline, _ name: String) throws(GStreamerError) {
    element = try pipeline.element(name)
  }

  /// Says what the next buffers hold.
  public func setCaps(_ caps: Caps) { gst_app_src_set_caps(source, caps.pointer) }

  /// Subtracts so many nanoseconds from the running time of all that is pushed; call it before the first push.
  public func setOrigin(_ runningTime: UInt64) { element.setRunningTimeOffset(-Int64(runningTime)) }

  /// Nanoseconds of data that wait in the queue.
  public var queuedTime: UInt64 { UInt64(gst_app_src_get_current_level_time(source)) }

  /// Buffers that wait in the queue.
  public var queuedBuffers: Int { Int(gst_app_src_get_current_level_buffers(source)) }

  /// Pushes the sample's buffer by reference. False where the pipeline takes nothing any more.
  @discardableResult
  public func push(_ sample: borrowing Sample) -> Bool {
    guard sample.runningTime != sample.buffer.pointee.pts else {
      gst_mini_object_ref(UnsafeMutableRawPointer(sample.buffer).assumingMemoryBound(to: GstMiniObject.self))
      return gst_app_src_push_buffer(source, sample.buffer) == GST_FLOW_OK
    }
    // the source counts its time from elsewhere
    return push(sample, runningTime: sample.runningTime)
  }

  /// Pushes the sample's buffer as captured at another running time, and lasting that long where it is given: a new
  /// header over the same memory.
  @discardableResult
  public func push(_ sample: borrowing Sample, runningTime: UInt64, duration: UInt64? = nil) -> Bool {
    guard let copy = gst_buffer_copy(sample.buffer) else { return false }
    copy.pointee.pts = GstClockTime(runningTime)
    copy.pointee.dts = GstClockTime.max
    if let duration { copy.pointee.duration = GstClockTime(duration) }
    return gst_app_src_push_buffer(source, copy) == GST_FLOW_OK
  }

  /// Pushes a part of the sample's buffer, by reference, as captured at a running time of its own.
  @discardableResult
  public func push(_ sample: borrowing Sample, bytes: Range<Int>, runningTime: UInt64, duration: UInt64) -> Bool {
    guard
      let part = gst_buffer_copy_region(
        sample.buffer, GST_BUFFER_COPY_MEMORY, gsize(bytes.lowerBound), gsize(bytes.count))
    else { return false }
    return push(part, runningTime, duration)
  }

  /// Pushes so many zero bytes, which is silence for signed samples.
  @discardableResult
  public func pushZeros(_ byteCount: Int, runningTime: UInt64, duration: UInt64) -> Bool {
    guard let buffer = gst_buffer_new_allocate(nil, gsize(byteCount), nil) else { return false }
    gst_buffer_memset(buffer, 0, 0, gsize(byteCount))
    return push(buffer, runningTime, duration)
  }

  /// Pushes a copy of bytes that are to be decoded and presented at these running times, in nanoseconds.
  @discardableResult
  public func push(_ bytes: [UInt8], decodeTime: UInt64, presentationTime: UInt64, duration: UInt64, isDelta: Bool)
    -> Bool
  {
    guard let buffer = gst_buffer_new_allocate(nil, gsize(bytes.count), nil) else { return false }
    gst_buffer_fill(buffer, 0, bytes, gsize(bytes.count))
    buffer.pointee.dts = GstClockTime(decodeTime)
    if isDelta { buffer.pointee.mini_object.flags |= guint(GST_BUFFER_FLAG_DELTA_UNIT.rawValue) }
    return push(buffer, presentationTime, duration)
  }

  /// Calls the handler each time that all that was pushed has gone through, on the pipeline's thread. It must not block.
  public func onHungry(_ handler: @escaping @Sendable () -> Void) {
    var callbacks = GstAppSrcCallbacks()
    callbacks.need_data = { _, _, context in
      context.map { Unmanaged<HungerHandler>.fromOpaque($0).takeUnretainedValue().handle() }
    }
    let box = Unmanaged.passRetained(HungerHandler(handler))
    gst_app_src_set_callbacks(
      source, &callbacks, box.toOpaque(),
      { context in context.map { Unmanaged<HungerHandler>.fromOpaque($0).release() } })
  }

  /// Says that nothing more comes.
  public func endOfStream() { gst_app_src_end_of_stream(source) }

  private func push(_ buffer: UnsafeMutablePointer<GstBuffer>, _ runningTime: UInt64, _ duration: UInt64) -> Bool {
    buffer.pointee.pts = GstClockTime(runningTime)
    buffer.pointee.duration = GstClockTime(duration)
    return gst_app_src_push_buffer(source, buffer) == GST_FLOW_OK
  }

  private var source: UnsafeMutablePointer<GstAppSrc> {
    UnsafeMutableRawPointer(element.pointer).assumingMemoryBound(to: GstAppSrc.self)
  }
}

/// Keeps the handler alive for the source.
private final class HungerHandler: Sendable {
  let handle: @Sendable () -> Void
  init(_ handle: @escaping @Sendable () -> Void) { self.handle = handle }
}
