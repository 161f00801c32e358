#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A moment on the wall clock with the local offset it was seen under. On the wire: RFC 3339 with milliseconds.
public struct Timestamp: Sendable, Hashable {
  /// Whole seconds since 1970-01-01T00:00:00Z.
  public var seconds: Int
  /// Nanoseconds within the second, 0 ..< 1_000_000_000.
  public var nanoseconds: Int
  /// Seconds east of UTC.
  public var offset: Int

  /// A moment of these values.
  public init(seconds: Int, nanoseconds: Int = 0, offset: Int = 0) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
    self.offset = offset
  }

  /// A moment under the machine's time zone of now.
  public init(seconds: Int, nanoseconds: Int, localAt _: Void) {
    tzset()  // the zone may have changed since the process started
    var moment = time_t(seconds)
    var local = tm()
    localtime_r(&moment, &local)
    self.init(seconds: seconds, nanoseconds: nanoseconds, offset: local.tm_gmtoff)
  }

  /// The wall clock's moment.
  public static var now: Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(seconds: time.tv_sec, nanoseconds: time.tv_nsec, localAt: ())
  }

  /// Seconds from another moment to this one.
  public func timeInterval(since other: Timestamp) -> Double {
    Double(seconds - other.seconds) + Double(nanoseconds - other.nanoseconds) / 1e9
  }

  /// Year, month, day, hour, minute and second as a clock in this offset shows them.
  public var localFields: (year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
    var shifted = time_t(seconds + offset)
    var fields = tm()
    gmtime_r(&shifted, &fields)
    return (
      Int(fields.tm_year) + 1900, Int(fields.tm_mon) + 1, Int(fields.tm_mday), Int(fields.tm_hour), Int(fields.tm_min),
      Int(fields.tm_sec)
    )
  }
}

extension Timestamp: LosslessStringConvertible {
  /// RFC 3339 with milliseconds and offset, such as `2026-11-30T11:06:15.123+05:45`.
  public var description: String {
    let local = localFields
    func pad(_ value: Int, _ width: Int) -> String {
      let digits = String(abs(value))
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    let date = "\(pad(local.year, 4))-\(pad(local.month, 2))-\(pad(local.day, 2))"
    let milliseconds = pad(nanoseconds / 1_000_000, 3)
    let time = "\(pad(local.hour, 2)):\(pad(local.minute, 2)):\(pad(local.second, 2)).\(milliseconds)"
    let zone = "\(offset < 0 ? "-" : "+")\(pad(abs(offset) / 3600, 2)):\(pad(abs(offset) / 60 % 60, 2))"
    return "\(date)T\(time)\(zone)"
  }

  /// Reads RFC 3339; nil for anything else.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    func number(_ start: Int, _ count: Int) -> Int? {
      guard start + count <= bytes.count else { return nil }
      var value = 0
      for byte in bytes[start..<start + count] {
        guard (48...57).contains(byte) else { return nil }
        value = value * 10 + Int(byte - 48)
      }
      return value
    }
    func has(_ index: Int, _ characters: String) -> Bool {
      index < bytes.count && characters.utf8.contains(bytes[index])
    }
    guard let year = number(0, 4), has(4, "-"), let month = number(5, 2), has(7, "-"), let day = number(8, 2),
      has(10, "Tt "), let hour = number(11, 2), has(13, ":"), let minute = number(14, 2), has(16, ":"),
      let second = number(17, 2), (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60,
      second <= 60
    else { return nil }
    var position = 19
    var nanoseconds = 0
    if has(position, ".") {
      position += 1
      var scale = 100_000_000
      let start = position
      while let digit = number(position, 1) {
        nanoseconds += digit * scale
        scale /= 10
        position += 1
      }
      guard position > start else { return nil }
    }
    var offset = 0
    if has(position, "Zz") {
      position += 1
    } else {
      guard has(position, "+-"), let hours = number(position + 1, 2), has(position + 3, ":"),
        let minutes = number(position + 4, 2), hours < 24, minutes < 60
      else { return nil }
      offset = (hours * 3600 + minutes * 60) * (has(position, "-") ? -1 : 1)
      position += 6
    }
    guard position == bytes.count else { return nil }
    var fields = tm()
    fields.tm_year = Int32(year - 1900)
    fields.tm_mon = Int32(month - 1)
    fields.tm_mday = Int32(day)
    fields.tm_hour = Int32(hour)
    fields.tm_min = Int32(minute)
    fields.tm_sec = Int32(second)
    let moment = timegm(&fields)
    // The 31st of a shorter month would have become a day of the next one.
    guard fields.tm_mday == Int32(day) || second == 60 else { return nil }
    self.init(seconds: moment - offset, nanoseconds: nanoseconds, offset: offset)
  }
}

extension Timestamp: Codable {
  /// Reads the RFC 3339 string.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let value = Timestamp(text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is not an RFC 3339 time")
    }
    self = value
  }

  /// Writes the RFC 3339 string.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension Timestamp {
  /// The moment so many seconds earlier.
  public static func - (moment: Timestamp, interval: Double) -> Timestamp {
    let total = Double(moment.nanoseconds) - interval * 1e9
    let carry = (total / 1e9).rounded(.down)
    return Timestamp(
      seconds: moment.seconds + Int(carry), nanoseconds: Int(total - carry * 1e9), offset: moment.offset)
  }
}

extension Timestamp {
  /// The moment at which a clock of the machine's zone shows what that moment's clock shows in UTC.
  public init(localClock time: Timestamp) {
    var fields = tm()
    var seconds = time_t(time.seconds)
    gmtime_r(&seconds, &fields)
    fields.tm_isdst = -1
    self.init(seconds: mktime(&fields), nanoseconds: time.nanoseconds, localAt: ())
  }
}
