import Foundation
import TestSupport

/// A film each of whose frames is a little brighter than the one before, 30 a second, so that it tells its number.
struct Numbers {
  /// Numbers before they begin anew.
  static let count = 50

  /// The fragment for the configuration.
  let source: String

  /// Makes the film.
  init(in folder: TestFolder, seconds: Int, size: String = "64x48") throws {
    let film = folder.file("numbers.mp4")
    let made = try Tool.run([
      "ffmpeg", "-v", "error", "-f", "lavfi", "-i",
      "nullsrc=size=64x48:rate=30,geq=lum='20+mod(N,\(Self.count))*4':cb=128:cr=128,scale=\(size):flags=neighbor", "-t",
      "\(seconds)", "-c:v", "libx264", "-preset", "veryfast", "-qp", "1", "-bf", "0", "-pix_fmt", "yuv420p", film,
    ])
    guard made.status == 0 else { throw NoFile(message: made.errors) }
    source = "filesrc location=\(film) ! qtdemux ! h264parse ! avdec_h264"
  }

  /// The number that a picture of this brightness shows; it was decoded to the full range.
  static func number(_ brightness: Double) -> Int {
    let luma: Double = brightness * 219 / 255 + 16
    let number: Double = (luma - 20) / 4
    return Int(number.rounded())
  }

  /// How far each number is behind the one before.
  static func differences(_ numbers: [Int]) -> [Int] {
    var differences: [Int] = []
    for (index, number) in numbers.enumerated().dropFirst() {
      differences.append((number - numbers[index - 1] + count) % count)
    }
    return differences
  }

  /// How far each frame is behind the one before, by their brightness. `isLimited`: it has the limited range of values,
  /// and says otherwise, as previews do.
  static func steps(_ brightness: [Double], isLimited: Bool = false) -> [Int] {
    let step = isLimited ? 4 : 4 * 255.0 / 219
    return zip(brightness, brightness.dropFirst()).map { (Int((($1 - $0) / step).rounded()) + count) % count }
  }
}
