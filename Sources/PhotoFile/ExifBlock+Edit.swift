public import CameraProtocol
import CGExiv2

extension ExifBlock {
  /// Makes the block of a photo that of one that was made of it. When and where it was taken, and with what, stays.
  /// `thumbnail`: a small JPEG in place of the one that it may have; nil for none.
  public func adjust(
    format: PhotoFormat, width: Int, height: Int, orientation: Orientation, modified: Timestamp, software: String?,
    thumbnail: [UInt8]?
  ) throws(PhotoFileError) {
    let local = modified.localFields
    let date = "\(Self.padded(local.year, 4)):\(Self.padded(local.month)):\(Self.padded(local.day))"
    let clock = "\(Self.padded(local.hour)):\(Self.padded(local.minute)):\(Self.padded(local.second))"
    let minutes = abs(modified.offset) / 60
    let zone = "\(modified.offset < 0 ? "-" : "+")\(Self.padded(minutes / 60)):\(Self.padded(minutes % 60))"
    try set("Exif.Image.DateTime", "\(date) \(clock)")
    try set("Exif.Photo.OffsetTime", zone)
    try set("Exif.Photo.SubSecTime", Self.padded(modified.nanoseconds / 1_000_000, 3))
    if let software { try set("Exif.Image.Software", software) }
    try set("Exif.Image.Orientation", "\(orientation.rawValue)")
    try set("Exif.Photo.PixelXDimension", "\(width)")
    try set("Exif.Photo.PixelYDimension", "\(height)")
    if has("Exif.Image.ImageWidth") { try set("Exif.Image.ImageWidth", "\(width)") }
    if has("Exif.Image.ImageLength") { try set("Exif.Image.ImageLength", "\(height)") }
    try fillFormat(format)
    removeThumbnail()
    if let thumbnail { try set(thumbnail: thumbnail) }
  }

  /// Whether there is a small picture.
  public var hasThumbnail: Bool {
    var bytes: UnsafeMutablePointer<guint8>?
    var count: gint = 0
    defer { g_free(bytes) }
    return gexiv2_metadata_get_exif_thumbnail(metadata, &bytes, &count) != 0 && count > 0
  }

  private func set(thumbnail: [UInt8]) throws(PhotoFileError) {
    var error: UnsafeMutablePointer<GError>?
    gexiv2_metadata_try_set_exif_thumbnail_from_buffer(metadata, thumbnail, gint(thumbnail.count), &error)
    guard let error else {
      // the standard demands them beside it
      try set("Exif.Thumbnail.XResolution", "72/1")
      try set("Exif.Thumbnail.YResolution", "72/1")
      try set("Exif.Thumbnail.ResolutionUnit", "2")
      return
    }
    defer { g_error_free(error) }
    throw PhotoFileError(description: "the small picture can't be written: \(String(cString: error.pointee.message))")
  }
}
