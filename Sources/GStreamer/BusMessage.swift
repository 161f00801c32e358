import CGStreamer

/// What a pipeline reports.
public enum BusMessage: Sendable {
  /// An element failed; the pipeline is of no more use.
  case error(GStreamerError)
  /// An element saw something odd and goes on.
  case warning(GStreamerError)
  /// The end of the stream has passed all sinks.
  case endOfStream

  /// Reads a message that the bus lends; nil for kinds that nobody here acts on.
  init?(_ message: UnsafeMutablePointer<GstMessage>) {
    switch message.pointee.type {
    case GST_MESSAGE_EOS:
      self = .endOfStream
    case GST_MESSAGE_ERROR:
      self = .error(Self.parse(message, gst_message_parse_error))
    case GST_MESSAGE_WARNING:
      self = .warning(Self.parse(message, gst_message_parse_warning))
    default:
      return nil
    }
  }

  private typealias Parser = (
    UnsafeMutablePointer<GstMessage>?, UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?,
    UnsafeMutablePointer<UnsafeMutablePointer<gchar>?>?
  ) -> Void

  private static func parse(_ message: UnsafeMutablePointer<GstMessage>, _ parser: Parser) -> GStreamerError {
    var error: UnsafeMutablePointer<GError>?
    var debug: UnsafeMutablePointer<gchar>?
    parser(message, &error, &debug)
    defer { g_free(debug) }
    let source = message.pointee.src.flatMap { gst_object_get_name($0) }
    defer { g_free(source) }
    return GStreamerError(
      adopting: error, element: source.map { String(cString: $0) }, debug: debug.map { String(cString: $0) })
  }
}
