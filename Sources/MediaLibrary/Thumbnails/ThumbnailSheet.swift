import CameraProtocol
import GStreamer

/// Pictures of one size in rows, with a narrow dark gap between them.
struct ThumbnailSheet {
  /// Pixels between two pictures.
  private static let gap = 2
  /// More pixels than that are no thumbnail.
  private static let most = 64_000_000
  private static let background: UInt8 = 32

  let pixels: PixelBytes

  /// Throws `valueOutOfRange` where the sheet would be too large.
  init(_ pictures: [PixelBytes], columns: Int) throws(CameraError) {
    let wide = pictures.map(\.width).max() ?? 1
    let high = pictures.map(\.height).max() ?? 1
    let columns = max(1, min(columns, pictures.count))
    let rows = max(1, (pictures.count + columns - 1) / columns)
    let width = columns * (wide + Self.gap) - Self.gap
    let height = rows * (high + Self.gap) - Self.gap
    guard width * height <= Self.most else {
      throw CameraError(
        .valueOutOfRange, "a sheet of \(width)x\(height) is too large; take fewer pictures, or smaller ones")
    }
    var sheet = PixelBytes(
      width: width, height: height, bytes: [UInt8](repeating: Self.background, count: width * height * 3))
    for (index, picture) in pictures.enumerated() {
      let (column, row) = (index % columns, index / columns)
      // one of another size stands in the middle of its place
      sheet.draw(
        picture, x: column * (wide + Self.gap) + (wide - picture.width) / 2,
        y: row * (high + Self.gap) + (high - picture.height) / 2)
    }
    pixels = sheet
  }
}
