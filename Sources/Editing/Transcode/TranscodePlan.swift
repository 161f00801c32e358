import CameraProtocol
import GStreamer

/// How a smaller movie is made of a movie.
struct TranscodePlan: Sendable, Equatable {
  /// What becomes of the sound.
  enum Sound: Sendable, Equatable {
    /// Its packets go into the new file as they are.
    case kept
    /// It is encoded again.
    case encoded(bitRate: Int, channels: Int, sampleRate: Int)
  }

  /// What is known of the movie.
  struct Source: Sendable, Equatable {
    /// Pixels, square ones, as they are stored.
    var width: Int
    /// Pixels.
    var height: Int
    /// Frames a second, on an average where they vary.
    var frameRate: Double
    /// Bits per second of the pictures.
    var bitRate: Int
    var audio: MediaInfo.Audio?
  }

  /// What is cut off before scaling.
  var margins: PictureMargins
  /// Pixels.
  var width: Int
  /// Pixels.
  var height: Int
  /// Frames a second.
  var frameRate: Double
  /// Whether frames are left out.
  var isThinned: Bool
  /// Bits per second.
  var bitRate: Int
  /// nil where there is none.
  var sound: Sound?

  /// The plan for a preset. Throws `notCompatible` where nothing would become less, or the preset's size is larger.
  init(_ source: Source, quality: Quality) throws(CameraError) {
    guard source.width >= 2, source.height >= 2 else {
      throw CameraError(.notCompatible, "a picture of \(source.width)x\(source.height) can't be encoded")
    }
    // a picture that is stored upright has a preset's size upright
    let isUpright = source.height > source.width
    var size = quality.size(ofPicture: source.width, source.height)
    if isUpright, size.width > size.height, [.vga, .hd720, .hd1080].contains(quality) {
      size = (size.height, size.width)
    }
    guard size.width <= source.width, size.height <= source.height else {
      throw CameraError(
        .notCompatible,
        "the movie is \(source.width)x\(source.height), smaller than '\(quality.rawValue)' is; movies are only made "
          + "smaller")
    }
    (width, height) = size
    margins = PictureMargins(ofPicture: source.width, source.height, inShapeOf: size)
    let most = quality.largestFrameRate.map(Double.init) ?? .infinity
    isThinned = source.frameRate > most * 1.02
    frameRate = isThinned ? most : source.frameRate
    let preset = quality.fixedBitRate ?? Quality.scaledBitRate(width: width, height: height)
    bitRate = max(10_000, min(preset, source.bitRate))
    let sharesOfPixels = Double(width * height) / Double(source.width * source.height)
    // an odd line that encoders can't take is no smaller size; neither is a rate that the encoder hit by chance
    guard sharesOfPixels < 0.97 || isThinned || Double(preset) < Double(source.bitRate) * 0.9 else {
      throw CameraError(
        .notCompatible,
        "the movie is not above '\(quality.rawValue)' already: \(source.width)x\(source.height) at "
          + "\(source.bitRate / 1000) kbit/s; movies are only made smaller")
    }
    sound = source.audio.map { Self.sound($0, quality: quality) }
  }

  /// The presets that a movie can be brought down to.
  static func possible(_ source: Source) -> [Quality] {
    Quality.allCases.filter { quality in
      do throws(CameraError) {
        _ = try TranscodePlan(source, quality: quality)
        return true
      } catch {
        return false
      }
    }
  }

  private static let sampleRates = [48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000]

  private static func sound(_ audio: MediaInfo.Audio, quality: Quality) -> Sound {
    let (bitRate, channels) = quality.sound
    // encoders come near to what they are told
    let fits = audio.bitRate.map { Double($0) <= Double(bitRate) * 1.15 } ?? false
    if audio.isAAC, fits, audio.channels <= channels { return .kept }
    let rate = sampleRates.contains(audio.sampleRate) ? audio.sampleRate : 48_000
    let few = min(channels, max(1, audio.channels))
    return .encoded(bitRate: few == 1 ? min(bitRate, 64_000) : bitRate, channels: few, sampleRate: rate)
  }
}

extension MediaInfo.Audio {
  /// Whether its packets are AAC as MP4 has them.
  var isAAC: Bool { encoding == "audio/mpeg" && caps.contains("mpegversion=(int)4") }
}
