import CGStreamer

/// A pipeline for work that may wait, such as decoding a file: its threads have a low priority, and nothing of it is bound
/// to a clock. Used by one thread at a time, which blocks.
final class BackgroundPipeline {
  /// What a wait ended with.
  enum Event {
    /// A change of state or a seek is complete.
    case ready
    case endOfStream
  }

  private let pipeline: Element
  private let bus: UnsafeMutablePointer<GstBus>
  /// How the pictures have to be turned, as a tag said; nil where none did.
  private(set) var orientation: String?
  private static let awaited = GstMessageType(
    rawValue: GST_MESSAGE_ERROR.rawValue | GST_MESSAGE_EOS.rawValue | GST_MESSAGE_ASYNC_DONE.rawValue
      | GST_MESSAGE_TAG.rawValue)

  /// Parses a launch line. Throws GStreamer's reason where it doesn't parse.
  init(launch description: String) throws(GStreamerError) {
    let top = try Pipeline.parse(description)
    pipeline = top
    bus = gst_element_get_bus(top.pointer)
    gst_bus_set_sync_handler(
      bus,
      { _, message, _ in
        guard let message else { return GST_BUS_DROP }
        if message.pointee.type == GST_MESSAGE_STREAM_STATUS { BackgroundTaskPool.adopt(message) }
        if message.pointee.type.rawValue & BackgroundPipeline.awaited.rawValue != 0 { return GST_BUS_PASS }
        gst_mini_object_unref(UnsafeMutableRawPointer(message).assumingMemoryBound(to: GstMiniObject.self))
        return GST_BUS_DROP
      }, nil, nil)
  }

  deinit {
    gst_element_set_state(pipeline.pointer, GST_STATE_NULL)
    gst_bus_set_sync_handler(bus, nil, nil, nil)
    gst_object_unref(bus)
  }

  /// The element of that name.
  func element(_ name: String) throws(GStreamerError) -> Element {
    let bin = UnsafeMutableRawPointer(pipeline.pointer).assumingMemoryBound(to: GstBin.self)
    guard let found = gst_bin_get_by_name(bin, name) else {
      throw GStreamerError("the pipeline has no element '\(name)'")
    }
    return Element(adopting: found)
  }

  /// Asks for a state. What an element refuses it says in a message.
  func setState(_ state: GstState) throws(GStreamerError) {
    guard gst_element_set_state(pipeline.pointer, state) == GST_STATE_CHANGE_FAILURE else { return }
    while try next(timeout: 0) != nil {}
    throw GStreamerError("the pipeline can't be started")
  }

  /// Seeks to a stream time in nanoseconds. False where that can't be.
  func seek(to time: UInt64, flags: GstSeekFlags) -> Bool {
    gst_element_seek(
      pipeline.pointer, 1, GST_FORMAT_TIME, flags, GST_SEEK_TYPE_SET, gint64(time), GST_SEEK_TYPE_NONE, -1) != 0
  }

  /// Nanoseconds; nil where that isn't known.
  var duration: UInt64? {
    var duration: gint64 = -1
    guard gst_element_query_duration(pipeline.pointer, GST_FORMAT_TIME, &duration) != 0, duration > 0 else {
      return nil
    }
    return UInt64(duration)
  }

  /// Waits for what happens next; nil where nothing does for so many nanoseconds. Throws what an element reports.
  func next(timeout: UInt64) throws(GStreamerError) -> Event? {
    while let message = gst_bus_timed_pop_filtered(bus, GstClockTime(timeout), Self.awaited) {
      defer { gst_mini_object_unref(UnsafeMutableRawPointer(message).assumingMemoryBound(to: GstMiniObject.self)) }
      switch message.pointee.type {
      case GST_MESSAGE_EOS: return .endOfStream
      case GST_MESSAGE_ASYNC_DONE: return .ready
      case GST_MESSAGE_TAG: readTags(message)
      default: if case .error(let error)? = BusMessage(message) { throw error }
      }
    }
    return nil
  }

  private func readTags(_ message: UnsafeMutablePointer<GstMessage>) {
    var tags: UnsafeMutablePointer<GstTagList>?
    gst_message_parse_tag(message, &tags)
    guard let tags else { return }
    defer { gst_mini_object_unref(UnsafeMutableRawPointer(tags).assumingMemoryBound(to: GstMiniObject.self)) }
    var text: UnsafeMutablePointer<gchar>?
    guard gst_tag_list_get_string(tags, "image-orientation", &text) != 0, let text else { return }
    defer { g_free(text) }
    orientation = String(cString: text)
  }
}
