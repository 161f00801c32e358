/// The tags of a Matroska or WebM file: what it says of the whole recording besides its time (RFC 9559, section 5.1.8).
/// `DATE_RECORDED` is a tag of the standard; `LOCATION`, `MAKE` and `MODEL` are what readers of MP4 files call theirs.
enum MatroskaTags {
  /// Names of tags.
  private enum Name {
    static let date = "DATE_RECORDED"
    static let location = "LOCATION"
    static let maker = "MAKE"
    static let model = "MODEL"
    static let software = "SOFTWARE"
    static let camera = "CAMD_CAMERA"
  }

  /// The element with all that is known; nil where nothing is.
  static func element(_ metadata: MovieMetadata) -> [UInt8]? {
    let texts = [
      (Name.date, metadata.localDate), (Name.location, metadata.location?.iso6709), (Name.maker, metadata.maker),
      (Name.model, metadata.model), (Name.software, metadata.software), (Name.camera, metadata.camera),
    ]
    let tags = texts.flatMap { name, text -> [UInt8] in
      guard let text, !text.isEmpty else { return [] }
      return MatroskaWriting.element(
        MatroskaID.simpleTag,
        MatroskaWriting.element(MatroskaID.tagName, Array(name.utf8))
          + MatroskaWriting.element(MatroskaID.tagText, Array(text.utf8)))
    }
    guard !tags.isEmpty else { return nil }
    let targets = MatroskaWriting.element(MatroskaID.targets, [])
    return MatroskaWriting.element(MatroskaID.tags, MatroskaWriting.element(MatroskaID.tag, targets + tags))
  }

  /// An entry of the seek head for tags at a place in the segment; 28 bytes, as GStreamer's entries are.
  static func seek(to position: Int) -> [UInt8] {
    bigEndian(UInt64(MatroskaID.seek), 2) + MatroskaWriting.size(18, width: 8)
      + bigEndian(UInt64(MatroskaID.seekID), 2) + MatroskaWriting.size(4, width: 1)
      + bigEndian(UInt64(MatroskaID.tags), 4)
      + bigEndian(UInt64(MatroskaID.seekPosition), 2) + MatroskaWriting.size(8, width: 1)
      + bigEndian(UInt64(position), 8)
  }

  /// Takes up what an element of tags says; what can't be read is left out.
  static func read(
    _ element: MatroskaElement, _ reader: inout MatroskaReader, into metadata: inout MovieMetadata
  ) throws(MovieFileError) {
    guard let end = element.end, end - element.payload <= 1 << 20 else { return }
    for tag in try reader.children(of: element) where tag.id == MatroskaID.tag {
      for simple in try reader.children(of: tag) where simple.id == MatroskaID.simpleTag {
        let parts = try reader.children(of: simple)
        guard let name = try text(parts, MatroskaID.tagName, &reader),
          let value = try text(parts, MatroskaID.tagText, &reader)
        else { continue }
        switch name {
        case Name.date: metadata.localDate = value
        case Name.location: metadata.location = Location(iso6709: value)
        case Name.maker: metadata.maker = value
        case Name.model: metadata.model = value
        case Name.software: metadata.software = value
        case Name.camera: metadata.camera = value
        default: break
        }
      }
    }
  }

  private static func text(
    _ parts: [MatroskaElement], _ id: UInt32, _ reader: inout MatroskaReader
  ) throws(MovieFileError) -> String? {
    guard let part = parts.first(where: { $0.id == id }), let end = part.end, end - part.payload <= 1024 else {
      return nil
    }
    return String(decoding: try reader.bytes(at: part.payload, count: end - part.payload), as: UTF8.self)
  }
}
