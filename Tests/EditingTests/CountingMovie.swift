import Foundation
import TestSupport

/// A movie whose pictures carry their number, turn from dark to bright or back at each second, and whose sound begins
/// anew at each second, with a pitch that says which part of it is heard.
struct CountingMovie: Sendable, CustomStringConvertible {
  static let size = (width: 208, height: 96)

  /// The file's name.
  var name: String
  /// Pictures a second, as ffmpeg reads it.
  var rate = "30"
  var seconds = 6
  /// How ffmpeg encodes it.
  var encoding = ["-c:v", "libx264", "-preset", "veryfast", "-bf", "3", "-g", "45", "-sc_threshold", "0"]
  var sound: [String]? = ["-c:a", "aac", "-b:a", "96k"]
  /// What comes behind the number in the chain of filters.
  var filter: String?
  /// What another run does to the file: arguments in place of those between input and output.
  var rework: [String]?

  var description: String { name }

  /// Makes it in a folder; returns its path.
  func make(in folder: TemporaryFolder) throws -> String {
    let path = folder.file(name)
    let first = rework == nil ? path : folder.file("first-\(name)")
    // drawn narrow and widened: an expression for every pixel is slow
    let picture =
      "geq=lum='if(mod(floor(T),2),190,60)+if(mod(floor(N/pow(2,X)),2),25,-25)+6*sin(Y/5+N/3)',"
      + "scale=\(Self.size.width):\(Self.size.height):flags=neighbor,setsar=1"
    var arguments = ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i"]
    arguments += [
      "nullsrc=s=\(Self.size.width / 16)x\(Self.size.height):r=\(rate):d=\(seconds),format=gray,\(picture),format=yuv420p"
        + (filter.map { ",\($0)" } ?? "")
    ]
    if sound != nil {
      arguments += ["-f", "lavfi", "-i"]
      arguments.append(
        "aevalsrc='if(lt(mod(t,1),0.3),0.5*sin(2*PI*(300+40*t)*t),0)':s=48000:d=\(seconds)")
    }
    try Self.run(arguments + ["-fps_mode", "passthrough"] + encoding + (sound ?? []) + [first])
    if let rework { try Self.run(["ffmpeg", "-v", "error", "-y"] + rework.map { $0 == "IN" ? first : $0 } + [path]) }
    return path
  }

  private static func run(_ arguments: [String]) throws {
    let result = try Tool.run(arguments)
    guard result.status == 0, result.errors.isEmpty else { throw MakerError(description: result.errors) }
  }
}

/// What a reader sees in such a movie.
struct SeenFrames {
  /// Each picture's bytes, I420.
  var pictures: [ArraySlice<UInt8>]
  /// The number that each picture carries.
  var numbers: [Int]

  private static let area = CountingMovie.size.width * CountingMovie.size.height

  /// Decodes with ffmpeg.
  init(ffmpeg path: String, in folder: TemporaryFolder) throws {
    let file = folder.file("ffmpeg.raw")
    let result = try Tool.run([
      "ffmpeg", "-v", "error", "-y", "-noautorotate", "-i", path, "-map", "0:v:0", "-fps_mode", "passthrough",
      "-pix_fmt", "yuv420p", "-f", "rawvideo", file,
    ])
    guard result.status == 0, result.errors.isEmpty else { throw MakerError(description: result.errors) }
    self.init(try Data(contentsOf: URL(filePath: file)))
  }

  /// Decodes with GStreamer; `decoder` is a part of a launch line.
  init(
    gstreamer path: String, demuxer: String, decoder: String = "decodebin", in folder: TemporaryFolder
  ) throws {
    let file = folder.file("gstreamer.raw")
    let launch =
      "filesrc location=\(path) ! \(demuxer) name=d d.video_0 ! \(decoder) ! videoconvert "
      + "! video/x-raw,format=I420 ! filesink location=\(file)"
    let result = try Tool.run(["gst-launch-1.0", "-q"] + launch.split(separator: " ").map(String.init))
    guard result.status == 0 else { throw MakerError(description: result.errors) }
    self.init(try Data(contentsOf: URL(filePath: file)))
  }

  private init(_ data: Data) {
    let bytes = Array(data)
    let size = Self.area * 3 / 2
    pictures = stride(from: 0, to: bytes.count / size * size, by: size).map { bytes[$0..<$0 + size] }
    numbers = pictures.map(Self.number)
  }

  private static func number(_ picture: ArraySlice<UInt8>) -> Int {
    let means = (0..<13).map { block in
      var sum = 0
      for row in [24, 40, 56, 72] {
        let start = picture.startIndex + row * CountingMovie.size.width + block * 16 + 6
        for byte in picture[start..<start + 4] { sum += Int(byte) }
      }
      return sum / 16
    }
    // the last block is always the dark one
    return (0..<12).reduce(0) { $0 | (means[$1] > means[12] + 25 ? 1 << $1 : 0) }
  }

  /// How alike two pictures are, in dB; infinite for the same.
  static func likeness(_ one: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>) -> Double {
    guard one.count == other.count, one != other else { return one == other ? .infinity : 0 }
    // every fifth byte tells enough of how alike they are
    let squares = stride(from: 0, to: one.count, by: 5).reduce(1) { sum, index in
      let difference = Int(one[one.startIndex + index]) - Int(other[other.startIndex + index])
      return sum + difference * difference
    }
    return 10 * log10(255 * 255 * Double(one.count / 5) / Double(squares))
  }
}
