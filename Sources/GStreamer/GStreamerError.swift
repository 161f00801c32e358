import CGStreamer

/// What GStreamer or one of its elements reports when something fails.
public struct GStreamerError: Error, Sendable, Equatable {
  /// The situation, for those errors that mean something to a user.
  public enum Situation: Sendable, Equatable {
    /// Another process has the device open.
    case busy
    /// The device or file is not there.
    case notFound
    /// The permission for the device or file is missing.
    case notPermitted
    /// The device is open and delivers nothing.
    case silent
    /// The disk is full.
    case noSpace
    /// Anything else.
    case other
  }

  /// The GLib error domain, such as `gst-resource-error-quark`.
  public var domain: String
  /// The code within the domain.
  public var code: Int
  /// What happened, in the library's words.
  public var message: String
  /// The element that reported it.
  public var element: String?
  /// Where in the element, for developers.
  public var debug: String?
  /// The situation.
  public var situation: Situation

  /// An error that this code found itself.
  public init(_ message: String, element: String? = nil, situation: Situation = .other) {
    domain = "camd"
    code = 0
    self.message = message
    self.element = element
    debug = nil
    self.situation = situation
  }

  /// Takes the ownership of a GError.
  init(adopting error: UnsafeMutablePointer<GError>?, element: String?, debug: String?) {
    self.element = element
    self.debug = debug
    guard let error else {
      (domain, code, message, situation) = ("camd", 0, "unknown failure", .other)
      return
    }
    defer { g_error_free(error) }
    domain = String(cString: g_quark_to_string(error.pointee.domain))
    code = Int(error.pointee.code)
    message = String(cString: error.pointee.message)
    situation = .other
    guard error.pointee.domain == gst_resource_error_quark() else { return }
    switch GstResourceError(UInt32(error.pointee.code)) {
    case GST_RESOURCE_ERROR_BUSY: situation = .busy
    case GST_RESOURCE_ERROR_NOT_FOUND: situation = .notFound
    case GST_RESOURCE_ERROR_NOT_AUTHORIZED: situation = .notPermitted
    case GST_RESOURCE_ERROR_NO_SPACE_LEFT: situation = .noSpace
    default:
      // v4l2src reports EBUSY and ENODEV at open as a plain open failure; only its debug text tells them apart.
      if debug?.contains("Device or resource busy") == true { situation = .busy }
      if debug?.contains("No such device") == true { situation = .notFound }
    }
  }
}

extension GStreamerError: CustomStringConvertible {
  /// The message with the element, domain and code behind it.
  public var description: String {
    "\(message) [\(element.map { "\($0): " } ?? "")\(domain) \(code)]"
  }
}
