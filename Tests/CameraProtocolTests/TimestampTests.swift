import CameraProtocol
import Testing

@Suite struct TimestampTests {
  @Test(arguments: [
    ("1970-01-01T00:00:00.000+00:00", 0, 0, 0),
    ("2026-11-30T11:06:15.123+05:45", 1_796_016_075, 123_000_000, 20_700),
    ("2026-11-30T11:06:15.000-03:30", 1_796_049_375, 0, -12_600),
    ("1969-12-31T23:59:59.999+00:00", -1, 999_000_000, 0),
    ("2024-02-29T00:00:00.001+14:00", 1_709_114_400, 1_000_000, 50_400),
    ("9999-12-31T23:59:59.000-12:00", 253_402_343_999, 0, -43_200),
  ])
  func writesAndReads(text: String, seconds: Int, nanoseconds: Int, offset: Int) throws {
    let value = Timestamp(seconds: seconds, nanoseconds: nanoseconds, offset: offset)
    #expect(value.description == text)
    #expect(Timestamp(text) == value)
  }

  @Test(arguments: [
    ("2026-11-30T11:06:15Z", 0), ("2026-11-30t11:06:15z", 0), ("2026-11-30 11:06:15.5+00:00", 500_000_000),
    ("2026-11-30T11:06:15.123456789Z", 123_456_789), ("2026-11-30T11:06:15.1234567891234Z", 123_456_789),
  ])
  func readsOtherSpellings(text: String, nanoseconds: Int) {
    #expect(Timestamp(text) == Timestamp(seconds: 1_796_036_775, nanoseconds: nanoseconds, offset: 0))
  }

  @Test func readsLeapSeconds() {
    #expect(Timestamp("2016-12-31T23:59:60Z")?.seconds == Timestamp("2017-01-01T00:00:00Z")?.seconds)
  }

  @Test(arguments: [
    "", "now", "2026", "2026-11-30", "2026-11-30T11:06:15", "2026-11-30T11:06Z", "2026-13-30T11:06:15Z",
    "2026-00-30T11:06:15Z", "2026-11-00T11:06:15Z", "2026-11-31T11:06:15Z", "2026-02-29T11:06:15Z",
    "2026-11-30T24:06:15Z",
    "2026-11-30T11:60:15Z", "2026-11-30T11:06:61Z", "2026-11-30T11:06:15.Z", "2026-11-30T11:06:15,5Z",
    "2026-11-30T11:06:15+0545", "2026-11-30T11:06:15+24:00", "2026-11-30T11:06:15+05:60", "2026-11-30T11:06:15Zx",
    " 2026-11-30T11:06:15Z", "20261-11-30T11:06:15Z", "-026-11-30T11:06:15Z", "2026-11-30T11:06:15.5",
    "２026-11-30T11:06:15Z",
  ])
  func refuses(text: String) {
    #expect(Timestamp(text) == nil)
  }

  @Test func nowIsNow() throws {
    let first = Timestamp.now
    let second = Timestamp.now
    #expect(second.timeInterval(since: first) >= 0)
    #expect((0..<1_000_000_000).contains(first.nanoseconds))
    let read = try #require(Timestamp(first.description))
    // Whole milliseconds travel.
    #expect((0..<0.001).contains(first.timeInterval(since: read)))
    #expect(read.offset == first.offset)
  }
}
