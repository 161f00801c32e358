public import CameraProtocol

/// A container with the codecs in it.
public struct MovieFormat: Sendable, Equatable {
  /// The kind of file.
  public var container: Container
  /// nil for sound alone.
  public var video: VideoCodec?
  /// What sound is encoded as, where there is any.
  public var audio: AudioCodec

  /// H.264 and AAC in MP4.
  public static let standard = MovieFormat(container: .mp4, video: .h264, audio: .aac)

  init(container: Container, video: VideoCodec?, audio: AudioCodec) {
    self.container = container
    self.video = video
    self.audio = audio
  }

  /// What settings come to. Throws `notSupported` where a container can't hold what is wanted, or GStreamer has no
  /// element for it.
  public init(_ settings: MovieSettings) throws(CameraError) {
    let hasVideo = settings.video ?? true
    guard hasVideo || settings.videoCodec == nil else {
      throw CameraError(.notSupported, "a recording without picture has no video codec")
    }
    container = settings.container ?? Self.container(settings, hasVideo: hasVideo)
    let videos = container.videoCodecs
    let audios = container.audioCodecs
    if hasVideo {
      guard let usual = videos.first else {
        throw CameraError(.notSupported, "\(container.rawValue) holds sound alone; leave the picture out, or take webm")
      }
      video = settings.videoCodec ?? usual
    } else {
      video = nil
    }
    audio = settings.audioCodec ?? (container == .matroska && video != .h264 && hasVideo ? .opus : audios[0])
    try Self.require(video.map { videos.contains($0) } ?? true, container, video?.rawValue, videos.map(\.rawValue))
    try Self.require(audios.contains(audio), container, audio.rawValue, audios.map(\.rawValue))
  }

  /// The end of a file's name.
  var fileExtension: String {
    switch container {
    case .mp4: video == nil ? "m4a" : "mp4"
    case .matroska: video == nil ? "mka" : "mkv"
    case .webm: "webm"
    case .ogg: "ogg"
    }
  }

  /// What holds the codecs that are named.
  private static func container(_ settings: MovieSettings, hasVideo: Bool) -> Container {
    switch (settings.videoCodec, settings.audioCodec) {
    case (nil, nil), (nil, .aac), (.h264, nil), (.h264, .aac): .mp4
    case (nil, .opus): hasVideo ? .webm : .ogg
    case (.h264, .opus), (.vp8, .aac), (.vp9, .aac): .matroska
    case (.vp8, nil), (.vp9, nil), (.vp8, .opus), (.vp9, .opus): .webm
    }
  }

  private static func require(
    _ isHeld: Bool, _ container: Container, _ codec: String?, _ possible: [String]
  ) throws(CameraError) {
    guard !isHeld else { return }
    throw CameraError(
      .notSupported,
      "\(container.rawValue) can't hold \(codec ?? "that"); it holds \(possible.joined(separator: " or ")), "
        + "and matroska holds all")
  }
}

extension Container {
  /// What it holds, the usual one first.
  fileprivate var videoCodecs: [VideoCodec] {
    switch self {
    case .mp4: [.h264]
    case .matroska: [.h264, .vp8, .vp9]
    case .webm: [.vp8, .vp9]
    case .ogg: []
    }
  }

  /// What it holds, the usual one first.
  fileprivate var audioCodecs: [AudioCodec] {
    switch self {
    case .mp4: [.aac]
    case .matroska: [.aac, .opus]
    case .webm, .ogg: [.opus]
    }
  }

  /// The element that writes it; `fragmentDuration`: milliseconds of an MP4 that a kill may cost.
  func muxer(fragmentDuration: Int) -> String {
    switch self {
    case .mp4: "mp4mux name=muxer fragment-duration=\(fragmentDuration)"
    case .matroska: "matroskamux name=muxer max-cluster-duration=1000000000"
    case .webm: "webmmux name=muxer max-cluster-duration=1000000000"
    case .ogg: "oggmux name=muxer max-delay=200000000 max-page-delay=200000000"
    }
  }
}
