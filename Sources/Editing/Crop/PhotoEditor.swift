public import CameraProtocol
import PhotoFile

/// What an edit of a photo made.
public struct EditedPhoto: Sendable, Equatable, Codable {
  /// Pixels, as they are stored.
  public var width: Int
  /// Pixels, as they are stored.
  public var height: Int
  /// Degrees clockwise by which the file tells viewers to turn it.
  public var rotation: Int
  /// Whether nothing of the picture was lost: its coded values are the original's.
  public var isLossless: Bool

  /// A photo of these values.
  public init(width: Int, height: Int, rotation: Int, isLossless: Bool) {
    self.width = width
    self.height = height
    self.rotation = rotation
    self.isLossless = isLossless
  }
}

/// Takes a part of a photo, or turns it. Calls block; they may come from any thread.
public enum PhotoEditor {
  /// Bytes of the largest file that is read.
  private static let mostBytes = 1 << 29

  /// Whether the photo behind a descriptor can be edited; throws `notCompatible` with the reason where it can't.
  public static func check(_ source: Int32) throws(CameraError) {
    let file = try EditFile.read(source, atMost: mostBytes)
    let contents = try contents(of: file)
    if contents.format == .jpeg {
      _ = try JPEGEditor(file)
    } else if let size = contents.size {
      let whole = Rectangle(x: 0, y: 0, width: size.width, height: size.height)
      _ = try RasterEditor.edit(
        source, contents, width: size.width, height: size.height, part: whole, turn: .upright)
    }
  }

  /// Writes a photo of a part of another one. `crop`: in pixels of the picture as it is shown, nil for all of it;
  /// `rotation`: degrees clockwise by which the part is turned. `source` is a readable file, `target` an empty writable
  /// one. `software`: the program's name, for the file.
  ///
  /// Throws `valueOutOfRange` where the part is empty or leaves the picture, or nothing is asked for, `notCompatible`
  /// with the reason for a file that can't be edited, `diskFull` and `libraryUnavailable`.
  public static func edit(
    source: Int32, target: Int32, crop: Rectangle?, rotation: Int, software: String? = nil
  ) throws(CameraError) -> EditedPhoto {
    guard [0, 90, 180, 270].contains(rotation) else {
      throw CameraError(.valueOutOfRange, "a photo is turned by 0, 90, 180 or 270 degrees, not \(rotation)")
    }
    guard crop != nil || rotation != 0 else {
      throw CameraError(.valueOutOfRange, "neither a part of the photo nor a turn is asked for")
    }
    let file = try EditFile.read(source, atMost: mostBytes)
    let contents = try contents(of: file)
    let exif = Self.block(contents)
    let orientation = exif?.orientation ?? .upright
    let turned = orientation.turned(by: rotation) ?? .upright
    var photo = EditedPhoto(width: 0, height: 0, rotation: 0, isLossless: contents.isLossless)
    var tag = orientation
    var picture: [UInt8]
    var thumbnail: [UInt8]?
    if contents.format == .jpeg {
      var editor = try JPEGEditor(file)
      try editor.crop(try part(crop, orientation, editor.width, editor.height))
      if rotation != 0 { tag = try editor.turn(turned) ? .upright : turned }
      // a photo without a small picture is whole all the same
      if exif?.hasThumbnail == true { thumbnail = try? editor.thumbnail() }
      picture = editor.bytes
      (photo.width, photo.height, photo.isLossless) = (editor.width, editor.height, editor.isLossless)
    } else {
      guard let size = contents.size else { throw CameraError(.notCompatible, "the photo has no size") }
      let part = try part(crop, orientation, size.width, size.height)
      if rotation != 0 { tag = .upright }
      let turn = rotation != 0 ? turned : .upright
      picture = try RasterEditor.edit(
        source, contents, width: size.width, height: size.height, part: part, turn: turn)
      (photo.width, photo.height) = turn.swapsSides ? (part.height, part.width) : (part.width, part.height)
    }
    photo.rotation = tag.degrees
    let isNew = contents.format != .jpeg || !photo.isLossless
    let edited: [UInt8]
    do throws(PhotoFileError) {
      let block: ExifBlock
      if let exif { block = exif } else { block = try ExifBlock() }
      try block.adjust(
        format: contents.format, width: photo.width, height: photo.height, orientation: tag, modified: .now,
        software: software, thumbnail: thumbnail)
      edited = try Self.file(picture, exif: try block.bytes(), keeping: contents, isNew: isNew)
    } catch {
      throw CameraError(.notCompatible, "the photo's metadata can't be kept: \(error)", cause: error.description)
    }
    try EditFile.write(edited, to: target)
    return photo
  }

  /// The part in the picture as it is stored.
  private static func part(
    _ crop: Rectangle?, _ orientation: Orientation, _ width: Int, _ height: Int
  ) throws(CameraError) -> Rectangle {
    let shown = orientation.swapsSides ? (width: height, height: width) : (width: width, height: height)
    let crop = crop ?? Rectangle(x: 0, y: 0, width: shown.width, height: shown.height)
    guard crop.isInside(width: shown.width, height: shown.height) else {
      throw CameraError(
        .valueOutOfRange,
        "the rectangle of \(crop.width)x\(crop.height) at \(crop.x),\(crop.y) is not inside of the picture, which is "
          + "\(shown.width)x\(shown.height) as it is shown")
    }
    return orientation.stored(crop, width: width, height: height)
  }

  private static func contents(of file: [UInt8]) throws(CameraError) -> PhotoContents {
    let result = file.withUnsafeBytes { bytes in
      Result { () throws(PhotoFileError) in try PhotoContents(bytes) }
    }
    let contents: PhotoContents
    do throws(PhotoFileError) {
      contents = try result.get()
    } catch {
      throw CameraError(.notCompatible, "the photo can't be edited: \(error)")
    }
    if let obstacle = contents.obstacle {
      throw CameraError(.notCompatible, "the photo can't be edited: \(obstacle), which can't be kept")
    }
    return contents
  }

  /// The block to go on from; nil where there is none that can be read.
  private static func block(_ contents: PhotoContents) -> ExifBlock? {
    contents.exif.flatMap { try? ExifBlock($0) }
  }

  private static func file(
    _ picture: [UInt8], exif: [UInt8], keeping contents: PhotoContents, isNew: Bool
  ) throws(PhotoFileError) -> [UInt8] {
    let result = picture.withUnsafeBytes { bytes in
      Result { () throws(PhotoFileError) -> [UInt8] in
        let pieces = try PhotoPieces(bytes, exif: exif, keeping: contents, isNew: isNew)
        var file: [UInt8] = []
        file.reserveCapacity(pieces.byteCount)
        pieces.withBuffers(of: bytes) { buffers in for buffer in buffers { file += buffer } }
        return file
      }
    }
    return try result.get()
  }
}
