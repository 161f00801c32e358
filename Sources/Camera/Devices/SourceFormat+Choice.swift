public import CameraProtocol
import GStreamer

extension Collection<SourceFormat> {
  /// The format for a mode; nil where there is none.
  ///
  /// Photo: the most pixels, then a format whose every frame is a picture of its own, then the rate nearest to 30.
  /// Video: of the formats of at least 24 frames a second and at most 1920x1080 pixels the one of the most pixels, then
  /// the rate nearest to 30. Where none is so quick, at least 15, 10 or 5 frames a second will do, else the highest rate;
  /// where only larger ones are, the smallest of them. In both then raw before JPEG before H.264, and the pixel formats
  /// that need no conversion.
  public func best(for mode: CaptureMode) -> SourceFormat? {
    switch mode {
    case .photo: self.max { Self.rank($0.photoRank, $1.photoRank) }
    case .video: fluent.max { Self.rank($0.videoRank, $1.videoRank) }
    }
  }

  /// Those that a movie may be made of.
  private var fluent: [SourceFormat] {
    let highest = map(\.assumedRate).max() ?? 0
    for least in [24, 15, 10, 5, highest] {
      let quick = filter { $0.assumedRate >= least }
      let fitting = quick.filter { $0.pixels <= 1920 * 1080 }
      if !fitting.isEmpty { return fitting }
      if let smallest = quick.map(\.pixels).min() { return quick.filter { $0.pixels == smallest } }
    }
    return []
  }

  private static func rank(_ left: [Double], _ right: [Double]) -> Bool { left.lexicographicallyPrecedes(right) }
}

extension SourceFormat {
  fileprivate var pixels: Int { width * height }

  /// A device that doesn't say its rate, or varies it, mostly means to be fluent.
  fileprivate var assumedRate: Double { frameRate.numerator > 0 ? frameRate.value : 30 }

  /// The best last.
  fileprivate var photoRank: [Double] {
    [Double(pixels), isInterCoded ? 0 : 1, -abs(assumedRate - 30)] + encodingRank
  }

  /// The best last.
  fileprivate var videoRank: [Double] { [Double(pixels), -abs(assumedRate - 30)] + encodingRank }

  private var encodingRank: [Double] {
    [
      Double(Decoding.mediaTypes.firstIndex(of: mediaType) ?? -1),
      Double(pixelFormat.flatMap { Self.preferredPixelFormats.firstIndex(of: $0) } ?? -1),
    ]
  }
}
