import CameraProtocol
import GStreamer
import MovieFile
import PhotoFile
import Glibc

/// Whether a file can be played and edited: it is whole, and what it holds can be decoded here. Blocks.
struct ImportCheck {
  /// How long to wait for a picture or a sound, in nanoseconds.
  private static let patience: UInt64 = 10_000_000_000

  let descriptor: Int32
  /// What it is called in errors.
  let name: String
  let format: ImportFormat

  private var path: String { "/proc/self/fd/\(descriptor)" }

  /// Throws `notCompatible` with the reason.
  func run() throws(CameraError) {
    do {
      if format.isPhoto { try checkPhoto() } else { try checkMovie() }
    } catch let error as CameraError {
      throw error
    } catch {
      throw refusal("it is damaged, or of a kind that can't be decoded here", cause: "\(error)")
    }
  }

  private func checkPhoto() throws {
    let photo: PhotoSummary
    do {
      photo = try PhotoSummary(descriptor: descriptor)
    } catch {
      throw refusal("\(error)")
    }
    guard photo.isComplete(descriptor: descriptor) else { throw refusal("it is cut off: the picture has no end") }
    let decoder: PictureReader.Decoder =
      switch photo.format {
      case .jpeg: .jpeg
      case .png: .png
      case .webp: .webp
      }
    _ = try PictureReader(path: path, decoder: decoder, patience: Self.patience).first()
  }

  private func checkMovie() throws {
    if try MovieFile.isTruncated(descriptor: descriptor) { throw refusal("it is cut off: its end is missing") }
    var description: MovieDescription?
    var hasPicture = true
    do throws(MovieFileError) {
      hasPicture = try MovieFile.summary(descriptor: descriptor).hasPicture
      if ["mp4", "mov", "m4a"].contains(format.fileExtension) {
        description = try MovieFile.read(descriptor: descriptor)
      }
    } catch {
      // GStreamer may know what this program doesn't
      if error.kind != .unsupported { throw refusal(error.message) }
    }
    if let description {
      let tracks = description.tracks.filter { $0.kind != .other }
      guard !tracks.contains(where: { ["encv", "enca"].contains($0.codec) }) else { throw refusal("it is encrypted") }
      guard tracks.contains(where: { $0.sampleCount > 0 }) else { throw refusal("it holds neither picture nor sound") }
      if description.audio != nil { try checkSound() }
    }
    guard hasPicture else {
      if description == nil { try checkSound() }
      return
    }
    let isMatroska = ["mkv", "webm"].contains(format.fileExtension)
    do {
      _ = try MoviePictures(path: path, description: description, isMatroska: isMatroska, patience: Self.patience)
    } catch {
      throw refusal("its picture can't be decoded here", cause: "\(error)")
    }
  }

  private func checkSound() throws {
    do {
      try SoundReader.check(path: path, patience: Self.patience)
    } catch {
      throw refusal("its sound can't be decoded here", cause: "\(error)")
    }
  }

  private func refusal(_ reason: String, cause: String? = nil) -> CameraError {
    CameraError(.notCompatible, "'\(name)' can't be imported: \(reason)", cause: cause)
  }
}
