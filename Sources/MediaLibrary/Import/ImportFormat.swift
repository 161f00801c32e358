import CameraProtocol
import Glibc

/// What a file is by its first bytes, and the ending that it gets in the album.
struct ImportFormat: Equatable {
  var fileExtension: String
  var isPhoto = false

  /// What can be imported, for people.
  static let known = "a photo (JPEG, PNG, WebP), or a movie or sound in MP4, MOV, M4A, Matroska, WebM or Ogg"

  /// nil for what can't be imported. `head`: the first 4,096 bytes, or all there are.
  init?(head: [UInt8]) {
    func has(_ text: String, at offset: Int) -> Bool {
      head.count >= offset + text.utf8.count && head[offset..<offset + text.utf8.count].elementsEqual(text.utf8)
    }
    if head.starts(with: [0xFF, 0xD8, 0xFF]) {
      self.init("jpg", isPhoto: true)
    } else if head.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self.init("png", isPhoto: true)
    } else if has("RIFF", at: 0), has("WEBP", at: 8) {
      self.init("webp", isPhoto: true)
    } else if has("ftyp", at: 4) {
      // pictures in the same container are of codecs that most can't show
      if ["heic", "heix", "hevc", "mif1", "msf1", "avif", "avis"].contains(where: { has($0, at: 8) }) { return nil }
      self.init(has("qt  ", at: 8) ? "mov" : has("M4A ", at: 8) || has("M4B ", at: 8) ? "m4a" : "mp4")
    } else if head.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) {
      let isWebM = (4..<min(head.count, 64)).contains { has("webm", at: $0) }
      self.init(isWebM ? "webm" : "mkv")
    } else if has("OggS", at: 0) {
      self.init("ogg")
    } else {
      return nil
    }
  }

  private init(_ fileExtension: String, isPhoto: Bool = false) {
    self.fileExtension = fileExtension
    self.isPhoto = isPhoto
  }
}
