import CameraProtocol
import GStreamer
import MediaLibrary
import PhotoFile

/// Photos with their metadata.
extension PhotoEncoder {
  private struct Cut: Sendable {
    var bytes: [UInt8]
    var pieces: PhotoPieces
    var description: PhotoDescription
  }

  /// Makes the photo, and the part of it that was asked for, and lends both at once. Throws `valueOutOfRange` where that
  /// part is not inside of the picture.
  func take<Result: Sendable>(
    _ frame: Frame, plan: MoviePlan?, _ job: PhotoJob,
    _ body: @Sendable (PhotoSet) throws(CameraError) -> Result
  ) throws(CameraError) -> Result {
    // once for the whole and the part
    let frame = try StillDecoder.picture(of: frame, camera: job.camera, clock: clock)
    let own = try ownBlock(of: frame, job)
    let orientation = job.orientation ?? own.orientation ?? .upright
    let (turn, tag) = job.request.isUpright ? (orientation, Orientation.upright) : (.upright, orientation)
    let form = PhotoForm(format: job.request.format, quality: job.request.quality, turn: turn)
    var cut: Cut?
    if let crop = job.request.crop {
      // First, so that nothing is saved yet where that fails.
      var cutForm = form
      cutForm.crop = crop
      cut = try encode(frame, plan: plan, form: cutForm) { bytes, width, height, isOwn throws(CameraError) in
        let (pieces, description) = Self.pieces(bytes, width, height, tag, own.block, isOwn, job)
        return Cut(bytes: Array(bytes), pieces: pieces, description: description)
      }
    }
    return try encode(frame, plan: plan, form: form) { [cut] bytes, width, height, isOwn throws(CameraError) in
      let (pieces, description) = Self.pieces(bytes, width, height, tag, own.block, isOwn, job)
      let result = pieces.withBuffers(of: bytes) { buffers -> Swift.Result<Result, CameraError> in
        let original = EncodedPhoto(buffers: buffers, description: description)
        guard let cut else { return Self.result { () throws(CameraError) in try body(PhotoSet(original: original)) } }
        return cut.bytes.withUnsafeBytes { bytes in
          cut.pieces.withBuffers(of: bytes) { buffers in
            let edited = EncodedPhoto(buffers: buffers, description: cut.description)
            return Self.result { () throws(CameraError) in
              try body(PhotoSet(original: original, edited: edited))
            }
          }
        }
      }
      return try result.get()
    }
  }

  private static func result<Value>(_ body: () throws(CameraError) -> Value) -> Swift.Result<Value, CameraError> {
    do throws(CameraError) {
      return .success(try body())
    } catch {
      return .failure(error)
    }
  }

  /// The EXIF block of a camera that delivers JPEG.
  private func ownBlock(of frame: Frame, _ job: PhotoJob) throws(CameraError) -> (
    block: [UInt8]?, orientation: Orientation?
  ) {
    guard frame.sample.caps.flatMap(SourceFormat.init)?.mediaType == "image/jpeg" else { return (nil, nil) }
    do {
      guard let block = try frame.sample.withBytes({ JPEGSegments.exif(of: $0) }) else { return (nil, nil) }
      return (block, try ExifBlock(block).orientation)
    } catch {
      job.log(.warning, "what camera '\(job.camera)' wrote into its picture can't be read: \(error)")
      return (nil, nil)
    }
  }

  /// The file's parts. A picture that takes no metadata is saved without: that is better than no picture.
  private static func pieces(
    _ picture: UnsafeRawBufferPointer, _ width: Int, _ height: Int, _ tag: Orientation, _ own: [UInt8]?,
    _ isOwn: Bool, _ job: PhotoJob
  ) -> (PhotoPieces, PhotoDescription) {
    let format = job.request.format
    var description = PhotoDescription(
      time: job.metadata.time, camera: job.camera, width: width, height: height, format: format)
    var metadata = job.metadata
    (metadata.width, metadata.height, metadata.orientation) = (width, height, tag)
    do throws(PhotoFileError) {
      let exif: [UInt8]
      do throws(PhotoFileError) {
        exif = try block(own, metadata, format, isOwn)
      } catch {
        guard own != nil else { throw error }
        job.log(.warning, "what camera '\(job.camera)' wrote into its picture can't be kept: \(error)")
        exif = try block(nil, metadata, format, isOwn)
      }
      let pieces = try PhotoPieces(picture, format: format, exif: exif)
      description.rotation = tag.degrees
      if case .location(let location) = metadata.place { description.location = location.coordinates }
      return (pieces, description)
    } catch {
      job.log(.warning, "a photo of camera '\(job.camera)' is saved without metadata: \(error)")
      return (PhotoPieces(unchanged: picture), description)
    }
  }

  private static func block(
    _ own: [UInt8]?, _ metadata: PhotoMetadata, _ format: PhotoFormat, _ isOwn: Bool
  ) throws(PhotoFileError) -> [UInt8] {
    let block = try ExifBlock(own)
    try block.fill(metadata, format: format, isUnchanged: isOwn)
    return try block.bytes()
  }
}
