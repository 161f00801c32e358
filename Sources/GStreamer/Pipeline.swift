import CGStreamer
import Synchronization

/// A pipeline on the daemon's clock. Its calls block while elements change state: make them on an executor of your own.
public final class Pipeline: @unchecked Sendable {
  private let pipeline: Element
  /// What the pipeline reports, from its making until `stop`. One reader.
  public let messages: AsyncStream<BusMessage>
  private let clock: SystemClock
  private let continuation: AsyncStream<BusMessage>.Continuation

  /// Parses a launch line. Throws GStreamer's reason where it doesn't parse.
  public init(launch description: String, clock: SystemClock) throws(GStreamerError) {
    let top = try Self.parse(description)
    if g_type_check_instance_is_a(
      UnsafeMutableRawPointer(top.pointer).assumingMemoryBound(to: GTypeInstance.self), gst_pipeline_get_type()) != 0
    {
      pipeline = top
    } else {
      // a line of one element parses to that element alone
      pipeline = Element(sinking: gst_pipeline_new(nil))
      gst_bin_add(UnsafeMutableRawPointer(pipeline.pointer).assumingMemoryBound(to: GstBin.self), top.pointer)
    }
    self.clock = clock
    (messages, continuation) = AsyncStream.makeStream(of: BusMessage.self, bufferingPolicy: .bufferingOldest(64))
    let raw = UnsafeMutableRawPointer(pipeline.pointer).assumingMemoryBound(to: GstPipeline.self)
    gst_pipeline_use_clock(raw, clock.pointer)
    gst_element_set_base_time(pipeline.pointer, GstClockTime(clock.baseTime))
    gst_element_set_start_time(pipeline.pointer, GstClockTime.max)  // GST_CLOCK_TIME_NONE: keep the base time as it is
    let bus = gst_pipeline_get_bus(raw)
    let box = Unmanaged.passRetained(MessageHandler(continuation))
    gst_bus_set_sync_handler(
      bus,
      { _, message, context in
        guard let message, let context else { return GST_BUS_DROP }
        if let parsed = BusMessage(message) {
          Unmanaged<MessageHandler>.fromOpaque(context).takeUnretainedValue().continuation.yield(parsed)
        }
        gst_mini_object_unref(UnsafeMutableRawPointer(message).assumingMemoryBound(to: GstMiniObject.self))
        return GST_BUS_DROP
      }, box.toOpaque(), { context in context.map { Unmanaged<MessageHandler>.fromOpaque($0).release() } })
    gst_object_unref(bus)
  }

  deinit { stop() }

  /// The element of that name.
  public func element(_ name: String) throws(GStreamerError) -> Element {
    let bin = UnsafeMutableRawPointer(pipeline.pointer).assumingMemoryBound(to: GstBin.self)
    guard let found = gst_bin_get_by_name(bin, name) else {
      throw GStreamerError("the pipeline has no element '\(name)'")
    }
    return Element(adopting: found)
  }

  /// Whether the pipeline's source is live, asked by taking it to PAUSED. Throws where it can't be opened.
  public func pause() throws(GStreamerError) -> Bool {
    switch gst_element_set_state(pipeline.pointer, GST_STATE_PAUSED) {
    case GST_STATE_CHANGE_NO_PREROLL: return true
    case GST_STATE_CHANGE_FAILURE: throw GStreamerError("the pipeline can't be paused")
    default: return false
    }
  }

  /// Lets the pipeline's own time begin at a running time of the clock; for one that is paused and not live.
  public func begin(at runningTime: UInt64) {
    gst_element_set_base_time(pipeline.pointer, GstClockTime(clock.baseTime + runningTime))
  }

  /// Starts the flow. Throws where an element refuses; its reason is in `messages`.
  public func play() throws(GStreamerError) {
    guard gst_element_set_state(pipeline.pointer, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE else {
      throw GStreamerError("the pipeline can't be started")
    }
  }

  /// Ends the flow, closes every device and file, and ends `messages`. What has not been read from the bus is lost.
  public func stop() {
    gst_element_set_state(pipeline.pointer, GST_STATE_NULL)
    continuation.finish()
  }

  /// Checks that a launch fragment that delivers something parses, without opening anything. It may end in caps.
  public static func check(fragment: String) throws(GStreamerError) {
    _ = try parse("\(fragment) ! fakesink")
  }

  static func parse(_ description: String) throws(GStreamerError) -> Element {
    var error: UnsafeMutablePointer<GError>?
    let parsed = gst_parse_launch_full(description, nil, GST_PARSE_FLAG_FATAL_ERRORS, &error)
    if error != nil {
      if let parsed { gst_object_unref(gst_object_ref_sink(parsed)) }
      throw GStreamerError(adopting: error, element: nil, debug: nil)
    }
    guard let parsed else { throw GStreamerError("the description is empty") }
    return Element(sinking: parsed)
  }
}

/// Keeps the continuation alive for the bus.
private final class MessageHandler: Sendable {
  let continuation: AsyncStream<BusMessage>.Continuation
  init(_ continuation: AsyncStream<BusMessage>.Continuation) { self.continuation = continuation }
}
