/// Short texts in a PNG file, each under a keyword (`tEXt` chunks).
public enum PNGText {
  static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// The file with texts behind its header. Keywords have 1 to 79 characters of Latin-1; of other characters a text keeps
  /// none. Throws where it is no PNG.
  public static func insert(_ texts: [(keyword: String, text: String)], into file: [UInt8]) throws(PhotoFileError)
    -> [UInt8]
  {
    let header = signature.count + 25
    guard file.count > header, file.starts(with: signature), file[12..<16].elementsEqual("IHDR".utf8) else {
      throw PhotoFileError(description: "the picture is not a PNG")
    }
    var result = Array(file[..<header])
    for (keyword, text) in texts {
      let body = Array("tEXt".utf8) + latin1(keyword) + [0] + latin1(text)
      result += bigEndian(body.count - 4, 4) + body + bigEndian(Int(PhotoPieces.checksum(body)), 4)
    }
    return result + file[header...]
  }

  /// The texts in front of the picture by their keywords, and the picture's size. nil where it is no PNG.
  public static func read(_ file: [UInt8]) -> (texts: [String: String], width: Int, height: Int)? {
    func number(_ offset: Int) -> Int { file[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
    guard file.count >= signature.count + 25, file.starts(with: signature), file[12..<16].elementsEqual("IHDR".utf8)
    else { return nil }
    var texts: [String: String] = [:]
    var offset = signature.count
    while offset + 12 <= file.count {
      let length = number(offset)
      let kind = file[offset + 4..<offset + 8]
      guard length <= file.count - offset - 12, !kind.elementsEqual("IDAT".utf8) else { break }
      let body = file[offset + 8..<offset + 8 + length]
      if kind.elementsEqual("tEXt".utf8), let end = body.firstIndex(of: 0) {
        texts[text(body[..<end])] = text(body[(end + 1)...])
      }
      offset += 12 + length
    }
    return (texts, number(16), number(20))
  }

  private static func latin1(_ text: String) -> [UInt8] {
    text.unicodeScalars.compactMap { $0.value > 0 && $0.value < 256 ? UInt8($0.value) : nil }
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }
}
