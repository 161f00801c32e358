extension MovieFile {
  /// Whether a file ends before it says that it does. Of an Ogg file, whose pages stand alone, that can't be told: it is
  /// as long as it is. Throws where the file can't be read or is none of these.
  public static func isTruncated(descriptor: Int32) throws(MovieFileError) -> Bool {
    let file = try BoxFile(descriptor: descriptor)
    if try OggFinisher.isOgg(file) { return false }
    if try MatroskaScanner.isMatroska(file) {
      let scan = try MatroskaScanner(file, headersOnly: true)
      return scan.segment.end.map { $0 > file.size } ?? false
    }
    var offset = 0
    while offset < file.size {
      guard let box = try file.box(at: offset, within: file.size) else { return file.size - offset < 8 }
      if box.end > file.size { return true }
      offset = box.end
    }
    return false
  }
}
