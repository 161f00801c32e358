import CameraProtocol
import GStreamer
import MovieFile

/// How the edges of an H.264 track are encoded: like their neighbours in profile, level, size and colours, with parameter
/// sets under a number of their own, so that both kinds stand in one sample description and any decoder changes from
/// one to the other at a key frame.
struct H264Edge: NumberedEdge {
  /// The elements that may encode them, the best first.
  static let encoders = ["x264enc", "openh264enc"]

  /// What the source's sample description says.
  let configuration: AVCConfiguration
  private let parameters: SequenceParameters
  private let number: UInt32
  /// Whether the encoder gives its parameters the number itself.
  private let isNumbered: Bool
  let codec: EdgeCodec

  /// Throws `notCompatible` where no encoder here makes the like. `encoders`: the best first.
  init(_ configuration: AVCConfiguration, first sample: [UInt8], encoders: [String]) throws(CameraError) {
    self.configuration = configuration
    let units = EdgeCodec.units(sample, lengthSize: configuration.lengthSize)
    let inBand = units.filter { ($0.first ?? 0) & 31 == 7 }
    guard let parameters = (inBand + configuration.sequenceSets).lazy.compactMap({ SequenceParameters($0) }).first
    else { throw .damaged("its pictures come without their parameters") }
    guard let number = configuration.freeNumber else {
      throw .uncut("it has been put together from too many pieces; transcode it first")
    }
    self.parameters = parameters
    self.number = number
    let encoder = try Self.encoder(parameters, number: number, among: encoders)
    isNumbered = encoder.hasPrefix("x264enc")
    guard
      let decoder = ["avdec_h264 max-threads=2", "openh264dec"].first(where: {
        GStreamer.hasElement(String($0.prefix { $0 != " " }))
      })
    else {
      throw CameraError(.notSupported, "GStreamer has no element here that decodes H.264; install gstreamer1.0-libav")
    }
    codec = EdgeCodec(
      input: "video/x-h264,stream-format=(string)avc,alignment=(string)au,framerate=(fraction)25/1,"
        + "codec_data=(buffer)\(EdgeCodec.hexadecimal(configuration.bytes))",
      decoder: decoder.hasPrefix("openh264") ? "h264parse ! \(decoder)" : decoder, encoder: encoder)
  }

  private static func encoder(
    _ parameters: SequenceParameters, number: UInt32, among encoders: [String]
  ) throws(CameraError) -> String {
    let profiles: [UInt32: String] = [
      66: "constrained-baseline", 77: "main", 88: "constrained-baseline", 100: "high", 110: "high-10",
      122: "high-4:2:2", 244: "high-4:4:4",
    ]
    guard let profile = profiles[parameters.profile], [8, 10].contains(parameters.bitDepth), parameters.chromaFormat > 0
    else { throw .uncut("its kind of H.264 (profile \(parameters.profile)) can't be encoded") }
    let isSimple = parameters.bitDepth == 8 && parameters.chromaFormat == 1 && parameters.isProgressive
    switch encoders.first(where: { GStreamer.hasElement($0) }) {
    case "x264enc":
      let references = max(1, min(3, parameters.references))
      // a slower preset makes an edge of a second or two smaller and hardly better: the quality is given
      return "x264enc pass=qual quantizer=17 speed-preset=veryfast bframes=0 b-adapt=false key-int-max=2147483647 "
        + "rc-lookahead=5 sync-lookahead=0 threads=2 aud=false byte-stream=false ref=\(references) "
        + "\(parameters.isProgressive ? "" : "interlaced=true ")"
        + "option-string=\"sps-id=\(number):scenecut=0:force-cfr=1\" "
        + "! video/x-h264,stream-format=avc,alignment=au,profile=\(profile)"
    case "openh264enc" where isSimple:
      // what any profile can hold, and what can be given another number
      return "openh264enc rate-control=quality bitrate=100000000 qp-min=8 qp-max=18 gop-size=1000000 complexity=high "
        + "multi-thread=2 ! video/x-h264,profile=constrained-baseline ! h264parse "
        + "! video/x-h264,stream-format=avc,alignment=au"
    default:
      throw CameraError(
        .notCompatible,
        "the movie can be cut at its key frames only: GStreamer has no x264enc here; install "
          + "gstreamer1.0-plugins-ugly")
    }
  }

  func sets(of caps: Caps) throws(CameraError) -> [[UInt8]] {
    let made = try made(caps)
    return made.sequenceSets + made.pictureSets
  }

  func configuration(with caps: Caps) throws(CameraError) -> [UInt8] {
    configuration.merging(try made(caps)).bytes
  }

  /// What a decoder has to know of the encoded pictures.
  private func made(_ caps: Caps) throws(CameraError) -> AVCConfiguration {
    guard var made = caps.structures.first?.bytes("codec_data").flatMap({ AVCConfiguration($0) }) else {
      throw .uncut("the encoder doesn't say what it encodes", cause: caps.description)
    }
    let hasNumber = made.pictureSets.allSatisfy { PictureParameters($0).number == number }
    guard hasNumber || !made.pictureSets.contains(where: { PictureParameters($0).isArithmetic }),
      made.pictureSets.count == 1, made.sequenceSets.count == 1, let unit = made.sequenceSets.first,
      let own = SequenceParameters(unit)
    else { throw .uncut("the encoder doesn't take the number of its parameters", cause: caps.description) }
    made.sequenceSets = [own.unit(unit, number: number, like: parameters)]
    made.pictureSets = made.pictureSets.map { PictureParameters.renumbered($0, number) }
    return made
  }

  func sample(_ bytes: [UInt8], with sets: [[UInt8]], isLast: Bool) throws(CameraError) -> [UInt8] {
    let slices = EdgeCodec.units(bytes, lengthSize: 4).filter { (1...5).contains(($0.first ?? 0) & 31) }
    let numbered = isNumbered ? slices : slices.map { PictureParameters.renumbered(slice: $0, number) }
    return try EdgeCodec.joined(sets + numbered, lengthSize: configuration.lengthSize)
  }
}
