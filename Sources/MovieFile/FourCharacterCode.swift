/// The name of a box.
struct FourCharacterCode: Hashable, Sendable {
  var rawValue: UInt32

  init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Four characters of Latin-1.
  init(_ text: String) {
    rawValue = text.unicodeScalars.reduce(0) { $0 << 8 | ($1.value & 0xFF) }
  }

  /// The four characters; those that don't print are shown as '?'.
  var text: String {
    String(
      String.UnicodeScalarView(
        [24, 16, 8, 0].map { shift in
          let byte = UInt8(truncatingIfNeeded: rawValue >> UInt32(shift))
          return (0x20..<0x7F).contains(byte) || byte >= 0xA0 ? Unicode.Scalar(byte) : "?"
        }))
  }

  static let ftyp = Self("ftyp"), moov = Self("moov"), mdat = Self("mdat"), moof = Self("moof")
  static let mvhd = Self("mvhd"), trak = Self("trak"), mvex = Self("mvex"), trex = Self("trex")
  static let tkhd = Self("tkhd"), edts = Self("edts"), elst = Self("elst"), mdia = Self("mdia")
  static let mdhd = Self("mdhd"), hdlr = Self("hdlr"), minf = Self("minf"), vmhd = Self("vmhd"), smhd = Self("smhd")
  static let nmhd = Self("nmhd"), sthd = Self("sthd"), dinf = Self("dinf"), dref = Self("dref"), url = Self("url ")
  static let stbl = Self("stbl"), stsd = Self("stsd"), stts = Self("stts"), ctts = Self("ctts"), stsc = Self("stsc")
  static let stsz = Self("stsz"), stz2 = Self("stz2"), stco = Self("stco"), co64 = Self("co64"), stss = Self("stss")
  static let traf = Self("traf"), tfhd = Self("tfhd"), tfdt = Self("tfdt"), trun = Self("trun")
  static let udta = Self("udta"), meta = Self("meta"), keys = Self("keys"), ilst = Self("ilst"), data = Self("data")
  static let mdta = Self("mdta"), vide = Self("vide"), soun = Self("soun"), isom = Self("isom")
  static let location = Self("©xyz"), day = Self("©day"), maker = Self("©mak"), model = Self("©mod")
  static let software = Self("©swr")
}
