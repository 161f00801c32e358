/// A quality preset of a movie: it fixes size, rate and bit rate.
public enum Quality: String, Codable, Sendable, CaseIterable {
  case low
  case medium
  case high
  case vga = "640x480"
  case hd720 = "720p"
  case hd1080 = "1080p"
}
