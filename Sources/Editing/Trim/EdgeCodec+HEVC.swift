import CameraProtocol
import GStreamer
import MovieFile

/// How the edges of a track of HEVC are encoded: with parameter sets under numbers of their own, as those of H.264 are.
struct HEVCEdge: NumberedEdge {
  /// Ends a sequence, so that the picture behind it begins a new one whatever kind of key frame it is.
  private static let endOfSequence: [UInt8] = [36 << 1, 1]

  private let configuration: HEVCConfiguration
  private let numbers: HEVCNumbers
  let codec: EdgeCodec

  /// What is needed, where it isn't there.
  static var missingElement: String? {
    guard (try? GStreamer.initialize()) != nil else { return "x265enc" }
    if !GStreamer.hasElement("x265enc") { return "x265enc" }
    return ["avdec_h265", "libde265dec"].contains(where: { GStreamer.hasElement($0) }) ? nil : "avdec_h265"
  }

  init(_ configuration: HEVCConfiguration) throws(CameraError) {
    guard let numbers = HEVCNumbers(freeIn: configuration) else {
      throw .uncut("it has been put together from too many pieces; transcode it first")
    }
    self.configuration = configuration
    self.numbers = numbers
    let decoder = GStreamer.hasElement("avdec_h265") ? "avdec_h265 max-threads=2" : "libde265dec"
    codec = EdgeCodec(
      input: "video/x-h265,stream-format=(string)hvc1,alignment=(string)au,framerate=(fraction)25/1,"
        + "codec_data=(buffer)\(EdgeCodec.hexadecimal(configuration.bytes))",
      decoder: decoder,
      encoder: "x265enc qp=18 speed-preset=fast key-int-max=1000000 option-string=\"bframes=0:scenecut=0:wpp=0:"
        + "frame-threads=2:rc-lookahead=5:open-gop=0:repeat-headers=0:info=0:aud=0\" ! h265parse "
        + "! video/x-h265,stream-format=hvc1,alignment=au")
  }

  func sets(of caps: Caps) throws(CameraError) -> [[UInt8]] { try made(caps).flatMap(\.units) }

  func configuration(with caps: Caps) throws(CameraError) -> [UInt8] {
    var merged = configuration
    for (kind, units) in try made(caps) { merged.add(units, kind) }
    return merged.bytes
  }

  private func made(_ caps: Caps) throws(CameraError) -> [(kind: UInt8, units: [[UInt8]])] {
    guard let made = caps.structures.first?.bytes("codec_data").flatMap({ HEVCConfiguration($0) }) else {
      throw .uncut("the encoder doesn't say what it encodes", cause: caps.description)
    }
    return [HEVCConfiguration.Kind.video, HEVCConfiguration.Kind.sequence, HEVCConfiguration.Kind.picture].map { kind in
      (kind, made.units(kind).map { numbers.renumbered(set: $0, kind) })
    }
  }

  func sample(_ bytes: [UInt8], with sets: [[UInt8]], isLast: Bool) throws(CameraError) -> [UInt8] {
    var units = sets
    for unit in EdgeCodec.units(bytes, lengthSize: 4) where (unit.first ?? 0xFF) >> 1 & 63 < 32 {
      guard let slice = numbers.renumbered(slice: unit) else {
        throw .uncut("the encoder's parameters have other numbers than expected")
      }
      units.append(slice)
    }
    if isLast { units.append(Self.endOfSequence) }
    return try EdgeCodec.joined(units, lengthSize: configuration.lengthSize)
  }
}
