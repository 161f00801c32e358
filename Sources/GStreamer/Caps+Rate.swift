import CGStreamer

extension Caps {
  /// The same with another frame rate.
  public func with(frameRate: Fraction) -> Caps {
    guard let copy = gst_caps_copy(pointer) else { return self }
    var value = GValue()
    g_value_init(&value, gst_fraction_get_type())
    defer { g_value_unset(&value) }
    gst_value_set_fraction(&value, gint(clamping: frameRate.numerator), gint(clamping: frameRate.denominator))
    gst_caps_set_value(copy, "framerate", &value)
    return Caps(adopting: copy)
  }
}
