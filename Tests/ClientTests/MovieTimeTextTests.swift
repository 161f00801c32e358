import Testing

@testable import camctl

@Suite struct MovieTimeTextTests {
  @Test(arguments: [
    ("0", 0.0), ("2.75", 2.75), ("90", 90), ("1:30", 90), ("01:02:03.5", 3723.5), ("0:00.5", 0.5), ("-10", -10),
    ("-0:10", -10), ("-1.5", -1.5),
  ])
  func isRead(text: String, seconds: Double) {
    #expect(MovieTimeText.seconds(text) == seconds)
  }

  @Test(arguments: ["", "-", "x", "1:", ":1", "1:60", "1:2:3:4", "1,5", "1e3", "--1", "0x10", "nan", "1.5:10", "1 "])
  func isRefused(text: String) {
    #expect(MovieTimeText.seconds(text) == nil)
  }

  @Test func endsWhereTheMovieDoes() throws {
    #expect(MovieTimeText.end("end") == .some(nil))
    #expect(MovieTimeText.end("5") == .some(5))
    #expect(MovieTimeText.end("soon") == nil)
    #expect(try MovieTimeText.range("-5", "end").start == -5)
    for (start, end) in [("2", "1"), ("1", "1"), ("-1", "-2"), ("x", "1")] {
      #expect(throws: UsageError.self) { _ = try MovieTimeText.range(start, end) }
    }
  }
}
