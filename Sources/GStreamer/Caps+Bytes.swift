import CGStreamer

extension Caps.Structure {
  /// The bytes of a buffer field, such as `codec_data`; nil where there is none.
  public func bytes(_ field: String) -> [UInt8]? {
    guard let value = gst_structure_get_value(pointer, field), value.pointee.g_type == gst_buffer_get_type(),
      let raw = g_value_get_boxed(value)
    else { return nil }
    let buffer = raw.assumingMemoryBound(to: GstBuffer.self)
    var map = GstMapInfo()
    guard gst_buffer_map(buffer, &map, GST_MAP_READ) != 0 else { return nil }
    defer { gst_buffer_unmap(buffer, &map) }
    return Array(UnsafeRawBufferPointer(start: map.data, count: Int(map.size)))
  }
}
