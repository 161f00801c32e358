import CGStreamer
import Glibc

/// The GStreamer library as a whole.
public enum GStreamer {
  /// Loads the library and its registry of elements. Call it before anything else; calling it again does nothing.
  public static func initialize() throws(GStreamerError) {
    // Without it, v4l2src of 1.22 to 1.24 leaks a buffer pool and an open device each time that it stops: it gives the
    // pool up while buffers are outside, and forgets it. With it, stopping waits until all buffers are back.
    setenv("GST_V4L2_FORCE_DRAIN", "1", 0)
    var error: UnsafeMutablePointer<GError>?
    guard gst_init_check(nil, nil, &error) != 0 else {
      throw GStreamerError(adopting: error, element: nil, debug: nil)
    }
  }

  /// The version that runs, such as `1.22.0`.
  public static var version: String {
    var (major, minor, micro, nano): (guint, guint, guint, guint) = (0, 0, 0, 0)
    gst_version(&major, &minor, &micro, &nano)
    return "\(major).\(minor).\(micro)"
  }

  /// Whether an element of that name is installed.
  public static func hasElement(_ name: String) -> Bool {
    guard let factory = gst_element_factory_find(name) else { return false }
    gst_object_unref(UnsafeMutableRawPointer(factory))
    return true
  }

  /// How readily an element of that name is taken: its own rank, or the one that `GST_PLUGIN_FEATURE_RANK` gives it. nil
  /// where it isn't installed.
  public static func rank(ofElement name: String) -> Int? {
    guard let factory = gst_element_factory_find(name) else { return nil }
    defer { gst_object_unref(UnsafeMutableRawPointer(factory)) }
    return Int(gst_plugin_feature_get_rank(factory))
  }
}
