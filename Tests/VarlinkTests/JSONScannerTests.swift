import Testing

@testable import Varlink

@Suite struct JSONScannerTests {
  private func scan(_ bytes: [UInt8]) throws {
    var scanner = JSONScanner(bytes)
    try scanner.skipValue()
    try scanner.finish()
  }

  @Test(arguments: [
    "0", "-0", "1.5E+3", "\"\"", "[]", "{}", " [ 1 , true , null ] ", #"{"a":{"b":[false]}}"#,
    #""\u00e9\n\/\ud834\udd1e""#,
  ])
  func accepts(text: String) throws { try scan(Array(text.utf8)) }

  @Test(arguments: [
    "", " ", "01", "1.", ".5", "+1", "1e", "NaN", "Infinity", "nul", "truex", "'a'", "[1,]", "[,1]", "[1 2]", "{\"a\"}",
    "{\"a\":1,}", "{a:1}", "{\"a\":1", "[", "]", "\"", "\"\\\"", "\"\\x\"", "\"\\u12\"", "\"\\ud800\"", "\"\\udc00\"",
    "\"\\ud800\\u0041\"", "\"\n\"", "1 2", "{\"a\":1}}",
  ])
  func refuses(text: String) {
    #expect(throws: VarlinkError.self) { try scan(Array(text.utf8)) }
  }

  @Test func everyPrefixIsRefused() {
    let bytes = Array(#"{"a":[1.5,"x\u00e9",true,null,{"b":-2e3}]}"#.utf8)
    for length in 0..<bytes.count { #expect(throws: VarlinkError.self) { try scan(Array(bytes[..<length])) } }
  }

  @Test func unescapes() throws {
    var scanner = JSONScanner(Array(#""a\"\\\/\b\f\n\r\t\u00E9\ud834\udd1ez""#.utf8))
    #expect(try scanner.readString() == "a\"\\/\u{8}\u{c}\n\r\t\u{e9}\u{1d11e}z")
  }

  @Test func nestingIsBounded() throws {
    try scan(Array((String(repeating: "[", count: 64) + String(repeating: "]", count: 64)).utf8))
    #expect(throws: VarlinkError.malformed("nested deeper than 64")) {
      try scan([UInt8](repeating: UInt8(ascii: "["), count: 100_000))
    }
  }

  @Test func envelopesAreStrict() {
    for text in [
      #"{"parameters":{}}"#, #"{"method":""}"#, #"{"method":1}"#, #"{"method":"a","method":"b"}"#, "[]", "\"a\"",
      #"{"method":"a","parameters":[]}"#, #"{"method":"a","more":1}"#,
    ] {
      #expect(throws: VarlinkError.self, "\(text)") { try CallMessage(Array(text.utf8)) }
    }
    #expect(throws: VarlinkError.malformed("not UTF-8")) {
      try CallMessage(Array("{\"method\":\"a".utf8) + [0xFF] + Array("\"}".utf8))
    }
  }
}
