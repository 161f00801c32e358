import CGStreamer

/// An element, or any other GstObject that has properties. Owns one reference.
///
/// Properties may be set from any thread; that is GObject's own promise for elements.
public final class Element: @unchecked Sendable {
  let pointer: UnsafeMutablePointer<GstElement>

  /// Takes a reference of its own, sinking a floating one.
  init(sinking pointer: UnsafeMutablePointer<GstElement>) {
    gst_object_ref_sink(pointer)
    self.pointer = pointer
  }

  /// Takes over the caller's reference.
  init(adopting pointer: UnsafeMutablePointer<GstElement>) {
    self.pointer = pointer
  }

  deinit { gst_object_unref(pointer) }

  /// The element's name within its pipeline.
  public var name: String {
    guard let name = gst_object_get_name(UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GstObject.self))
    else { return "" }
    defer { g_free(name) }
    return String(cString: name)
  }

  /// Whether the element has a property of that name.
  public func hasProperty(_ name: String) -> Bool { specification(name) != nil }

  /// Sets a property from its text form, as in a launch line, but fails on an unknown name and on a value that the
  /// property's type can't read. A string property takes the text as it is.
  public func set(_ property: String, _ text: String) throws(GStreamerError) {
    guard let specification = specification(property) else {
      throw GStreamerError("there is no property '\(property)'", element: name)
    }
    var value = GValue()
    g_value_init(&value, specification.pointee.value_type)
    defer { g_value_unset(&value) }
    if specification.pointee.value_type == GType(16 << 2) {  // G_TYPE_STRING: a macro that Swift can't import
      g_value_set_string(&value, text)
    } else if gst_value_deserialize_with_pspec(&value, text, specification) == 0 {
      throw GStreamerError("'\(text)' is not a value of property '\(property)'", element: name)
    }
    g_object_set_property(object, property, &value)
  }

  /// The value of an integer property; nil where there is none of that name and kind.
  public func integer(_ property: String) -> Int? {
    guard let specification = specification(property) else { return nil }
    var value = GValue()
    g_value_init(&value, specification.pointee.value_type)
    var wide = GValue()
    g_value_init(&wide, GType(10 << 2))  // G_TYPE_INT64
    defer {
      g_value_unset(&value)
      g_value_unset(&wide)
    }
    g_object_get_property(object, property, &value)
    guard g_value_transform(&value, &wide) != 0 else { return nil }
    return Int(g_value_get_int64(&wide))
  }

  /// The value of a string property; nil where there is none of that name and kind, or no value.
  public func text(_ property: String) -> String? {
    guard let specification = specification(property), specification.pointee.value_type == GType(16 << 2) else {
      return nil  // not a G_TYPE_STRING
    }
    var value = GValue()
    g_value_init(&value, specification.pointee.value_type)
    defer { g_value_unset(&value) }
    g_object_get_property(object, property, &value)
    return g_value_get_string(&value).map { String(cString: $0) }
  }

  /// Shifts the running time of all that leaves the element's source pad by so many nanoseconds.
  public func setRunningTimeOffset(_ nanoseconds: Int64) {
    guard let pad = gst_element_get_static_pad(pointer, "src") else { return }
    gst_pad_set_offset(pad, gint64(nanoseconds))
    gst_object_unref(pad)
  }

  var object: UnsafeMutablePointer<GObject> {
    UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GObject.self)
  }

  private func specification(_ property: String) -> UnsafeMutablePointer<GParamSpec>? {
    let kind = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GTypeInstance.self).pointee.g_class
    guard let kind else { return nil }
    return g_object_class_find_property(
      UnsafeMutableRawPointer(kind).assumingMemoryBound(to: GObjectClass.self), property)
  }
}
