public import CameraProtocol

/// A photo's file: an encoder's bytes with metadata between them. Nothing of the picture is copied.
public struct PhotoPieces: Sendable {
  enum Piece: Sendable, Equatable {
    /// Bytes of the picture.
    case picture(Range<Int>)
    /// Bytes of `added`.
    case added(Range<Int>)
  }

  private(set) var pieces: [Piece] = []
  private(set) var added: [UInt8] = []
  /// The file's size.
  public private(set) var byteCount = 0

  /// The file of a picture with an EXIF block, given as TIFF, in place of the one that it may have already. Throws where
  /// the picture is not of that format.
  public init(_ picture: UnsafeRawBufferPointer, format: PhotoFormat, exif: [UInt8]) throws(PhotoFileError) {
    switch format {
    case .jpeg: try addJPEG(picture, exif)
    case .png: try addPNG(picture, exif)
    case .webp: try addWebP(picture, exif)
    }
  }

  /// A file without anything.
  init() {}

  /// The file of a picture as it is.
  public init(unchanged picture: UnsafeRawBufferPointer) { add(0..<picture.count) }

  /// Lends the file as buffers, one behind the other. `picture` is the one that it was made of.
  public func withBuffers<Result>(
    of picture: UnsafeRawBufferPointer, _ body: ([UnsafeRawBufferPointer]) -> Result
  ) -> Result {
    added.withUnsafeBytes { added in
      body(
        pieces.map { piece in
          switch piece {
          case .picture(let range): UnsafeRawBufferPointer(rebasing: picture[range])
          case .added(let range): UnsafeRawBufferPointer(rebasing: added[range])
          }
        })
    }
  }

  /// Goes on with a part of the picture.
  mutating func add(_ range: Range<Int>) {
    guard !range.isEmpty else { return }
    byteCount += range.count
    if case .picture(let last)? = pieces.last, last.upperBound == range.lowerBound {
      pieces[pieces.count - 1] = .picture(last.lowerBound..<range.upperBound)
    } else {
      pieces.append(.picture(range))
    }
  }

  /// Puts new bytes in front of that piece.
  mutating func insert(_ bytes: [UInt8], at index: Int) {
    guard !bytes.isEmpty else { return }
    let start = added.count
    added += bytes
    byteCount += bytes.count
    pieces.insert(.added(start..<added.count), at: index)
  }

  /// Goes on with new bytes.
  mutating func add(_ bytes: [UInt8]) {
    let start = added.count
    added += bytes
    byteCount += bytes.count
    pieces.append(.added(start..<added.count))
  }
}

/// A whole number as bytes, the highest first.
func bigEndian(_ value: Int, _ count: Int) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
}

/// A whole number as bytes, the lowest first.
func littleEndian(_ value: Int, _ count: Int) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}
