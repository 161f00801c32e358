import CGExiv2

/// An EXIF block that is being made. Not for several threads at a time; several blocks are.
public final class ExifBlock {
  /// A JPEG segment holds no more, behind its length and the name of the block.
  static let largest = 65_527

  private static let isReady: Bool = {
    // A camera's odd block is no news to anybody, and would be told for each photo.
    gexiv2_log_set_level(GEXIV2_LOG_LEVEL_MUTE)
    return gexiv2_initialize() != 0
  }()

  let metadata: UnsafeMutablePointer<GExiv2Metadata>

  /// A block that goes on from a camera's own, given as TIFF; from nothing where that can't be read.
  public init(_ own: [UInt8]? = nil) throws(PhotoFileError) {
    metadata = try Self.open(own)
  }

  deinit { g_object_unref(UnsafeMutableRawPointer(metadata)) }

  private static func open(_ own: [UInt8]?) throws(PhotoFileError) -> UnsafeMutablePointer<GExiv2Metadata> {
    guard isReady, let metadata = gexiv2_metadata_new() else {
      throw PhotoFileError(description: "the library for EXIF does not start")
    }
    let empty: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    for bytes in [own, empty] {
      guard let bytes, !bytes.isEmpty else { continue }
      var error: UnsafeMutablePointer<GError>?
      if gexiv2_metadata_from_app1_segment(metadata, bytes, glong(bytes.count), &error) != 0 { return metadata }
      g_clear_error(&error)
    }
    g_object_unref(UnsafeMutableRawPointer(metadata))
    throw PhotoFileError(description: "the library for EXIF takes no data")
  }

  /// Whether it has a tag, such as `Exif.Image.Make`.
  func has(_ tag: String) -> Bool { gexiv2_metadata_try_has_tag(metadata, tag, nil) != 0 }

  /// A tag's value as text; nil where it isn't there.
  func text(_ tag: String) -> String? {
    guard has(tag), let text = gexiv2_metadata_try_get_tag_string(metadata, tag, nil) else { return nil }
    defer { g_free(text) }
    return String(cString: text)
  }

  /// Sets a tag. Numbers are separated by blanks, fractions have a slash, bytes are numbers.
  func set(_ tag: String, _ value: String) throws(PhotoFileError) {
    var error: UnsafeMutablePointer<GError>?
    guard gexiv2_metadata_try_set_tag_string(metadata, tag, value, &error) != 0 else {
      defer { g_clear_error(&error) }
      let reason = error.map { String(cString: $0.pointee.message) } ?? "no reason given"
      throw PhotoFileError(description: "'\(tag)' can't be '\(value)': \(reason)")
    }
  }

  /// Sets a tag that isn't there yet.
  func complete(_ tag: String, _ value: String) throws(PhotoFileError) {
    if !has(tag) { try set(tag, value) }
  }

  /// Removes a tag, if it is there.
  func remove(_ tag: String) { gexiv2_metadata_try_clear_tag(metadata, tag, nil) }

  /// Removes the small picture, if there is one.
  func removeThumbnail() { gexiv2_metadata_try_erase_exif_thumbnail(metadata, nil) }

  /// Removes what begins with this, such as `Exif.GPSInfo.`.
  func removeAll(_ prefix: String) {
    guard let tags = gexiv2_metadata_get_exif_tags(metadata) else { return }
    defer { g_strfreev(tags) }
    var next = tags
    while let tag = next.pointee {
      let name = String(cString: tag)
      if name.hasPrefix(prefix) { remove(name) }
      next += 1
    }
  }

  /// The block as TIFF, at most `largest` bytes.
  public func bytes() throws(PhotoFileError) -> [UInt8] {
    var block = try serialized()
    if block.count > Self.largest {
      removeThumbnail()
      block = try serialized()
    }
    guard block.count <= Self.largest else {
      throw PhotoFileError(description: "an EXIF block of \(block.count) bytes is too large for a file")
    }
    return block
  }

  private func serialized() throws(PhotoFileError) -> [UInt8] {
    var error: UnsafeMutablePointer<GError>?
    guard let data = gexiv2_metadata_get_exif_data(metadata, GEXIV2_BYTE_ORDER_LITTLE, &error) else {
      defer { g_clear_error(&error) }
      throw PhotoFileError(description: error.map { String(cString: $0.pointee.message) } ?? "no EXIF block")
    }
    defer { g_bytes_unref(data) }
    var count: gsize = 0
    guard let start = g_bytes_get_data(data, &count) else { return [] }
    return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(count)))
  }
}
