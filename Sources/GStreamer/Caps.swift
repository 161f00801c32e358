import CGStreamer

/// A ratio of whole numbers, such as a frame rate.
public struct Fraction: Sendable, Hashable {
  /// The upper number.
  public var numerator: Int
  /// The lower number, above 0.
  public var denominator: Int

  /// The ratio of both.
  public init(_ numerator: Int, _ denominator: Int = 1) {
    self.numerator = numerator
    self.denominator = denominator
  }

  /// The ratio as a number.
  public var value: Double { Double(numerator) / Double(denominator) }
}

extension Fraction: CustomStringConvertible {
  /// As caps have it: `30/1`.
  public var description: String { "\(numerator)/\(denominator)" }
}

/// A media type with its parameters. Immutable.
public final class Caps: @unchecked Sendable {
  let pointer: UnsafeMutablePointer<GstCaps>

  /// Takes over the caller's reference.
  init(adopting pointer: UnsafeMutablePointer<GstCaps>) { self.pointer = pointer }

  /// Takes a reference of its own.
  init(retaining pointer: UnsafeMutablePointer<GstCaps>) {
    gst_mini_object_ref(UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GstMiniObject.self))
    self.pointer = pointer
  }

  deinit { gst_mini_object_unref(UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GstMiniObject.self)) }

  /// Reads the text form; throws where it can't be read.
  public convenience init(_ text: String) throws(GStreamerError) {
    guard let caps = gst_caps_from_string(text) else { throw GStreamerError("'\(text)' are no caps") }
    self.init(adopting: caps)
  }

  /// The text form.
  public var description: String {
    guard let text = gst_caps_to_string(pointer) else { return "" }
    defer { g_free(text) }
    return String(cString: text)
  }

  /// Whether both say the same.
  public func isEqual(_ other: Caps) -> Bool {
    pointer == other.pointer || gst_caps_is_equal(pointer, other.pointer) != 0
  }

  /// The same with another frame rate.
  public func with(frameRate: Fraction) -> Caps? {
    guard let copy = gst_caps_copy(pointer) else { return nil }
    var value = GValue()
    g_value_init(&value, gst_fraction_get_type())
    defer { g_value_unset(&value) }
    gst_value_set_fraction(&value, gint(frameRate.numerator), gint(frameRate.denominator))
    gst_caps_set_value(copy, "framerate", &value)
    return Caps(adopting: copy)
  }

  /// Whether there is something that both allow.
  public func canIntersect(_ other: Caps) -> Bool { gst_caps_can_intersect(pointer, other.pointer) != 0 }

  /// The structures, each an alternative.
  public var structures: [Structure] {
    (0..<gst_caps_get_size(pointer)).compactMap { index in
      gst_caps_get_structure(pointer, index).map { Structure(pointer: $0, index: index, owner: self) }
    }
  }

  /// One alternative of the caps.
  public struct Structure {
    let pointer: UnsafeMutablePointer<GstStructure>
    let index: guint
    let owner: Caps

    /// The media type, such as `video/x-raw`.
    public var name: String { String(cString: gst_structure_get_name(pointer)) }

    /// Whether the buffers lie in ordinary memory and hold whole frames, which is what everything can read.
    public var isOrdinary: Bool {
      // absent ones, too, mean system memory
      guard let features = gst_caps_get_features(owner.pointer, index) else { return true }
      return gst_caps_features_is_any(features) != 0
        || gst_caps_features_get_size(features) == 1 && gst_caps_features_contains(features, "memory:SystemMemory") != 0
    }

    /// A fixed text field.
    public func text(_ field: String) -> String? {
      gst_structure_get_string(pointer, field).map { String(cString: $0) }
    }

    /// A text field's values, fixed or listed.
    public func texts(_ field: String) -> [String] {
      values(field).compactMap { value in g_value_get_string_if_string(value) }
    }

    func values(_ field: String) -> [UnsafePointer<GValue>] {
      guard let value = gst_structure_get_value(pointer, field) else { return [] }
      guard value.pointee.g_type == gst_value_list_get_type() else { return [value] }
      return (0..<gst_value_list_get_size(value)).compactMap { gst_value_list_get_value(value, $0) }
    }

    private func g_value_get_string_if_string(_ value: UnsafePointer<GValue>) -> String? {
      guard value.pointee.g_type == GType(16 << 2) else { return nil }  // G_TYPE_STRING
      return g_value_get_string(value).map { String(cString: $0) }
    }
  }
}
