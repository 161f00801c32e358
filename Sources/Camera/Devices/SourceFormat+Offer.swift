public import GStreamer

extension SourceFormat {
  /// The sizes that a range is made into, where it holds them.
  private static let usualSizes = [(3840, 2160), (1920, 1080), (1280, 720), (640, 480), (320, 240)]
  /// The rate that a range is made into, or the nearest one.
  private static let usualRate = Fraction(30)
  /// The pixel formats that need no or little conversion, the best last; of a range only these are listed, where it
  /// has any.
  static let preferredPixelFormats = ["GRAY8", "UYVY", "YUY2", "NV12", "I420"]

  /// Everything that a device's caps offer and that camd can take: each listed size at each listed rate, and of ranges
  /// some usual sizes, the greatest one, and the rate nearest to 30.
  ///
  /// The greatest size of a range is left out where it is no picture's shape (more than twice as long as wide, or
  /// square): that is a driver's limit and not a sensor.
  public static func all(in caps: Caps) -> [SourceFormat] {
    var formats: [SourceFormat] = []
    for structure in caps.structures where structure.isOrdinary && Decoding.isPossible(structure.name) {
      let sizes = sizes(structure)
      let rates = rates(structure)
      for pixelFormat in pixelFormats(structure, isRange: !sizes.areListed) {
        for (width, height) in sizes.sizes {
          for rate in rates {
            let format = SourceFormat(
              width: width, height: height, frameRate: rate, mediaType: structure.name, pixelFormat: pixelFormat)
            if !formats.contains(format) { formats.append(format) }
          }
        }
      }
    }
    return formats
  }

  private static func pixelFormats(_ structure: Caps.Structure, isRange: Bool) -> [String?] {
    guard structure.name == raw || structure.name == bayer else { return [nil] }
    let all = structure.texts("format")
    let preferred = isRange ? all.filter(preferredPixelFormats.contains) : []
    let chosen = preferred.isEmpty ? all : preferred
    return chosen.isEmpty ? [nil] : chosen
  }

  /// A rate that isn't told, or varies, is 0.
  private static func rates(_ structure: Caps.Structure) -> [Fraction] {
    let rates = structure.fractions("framerate").map { range in
      range.isFixed ? range.upper : range.nearest(to: usualRate)
    }
    return rates.isEmpty ? [Fraction(0)] : rates
  }

  private static func sizes(_ structure: Caps.Structure) -> (sizes: [(Int, Int)], areListed: Bool) {
    let anything = [IntegerRange(1, Int(Int32.max))]
    let (widths, heights) = (structure.integers("width"), structure.integers("height"))
    var sizes: [(Int, Int)] = []
    var areListed = true
    for width in widths.isEmpty ? anything : widths {
      for height in heights.isEmpty ? anything : heights {
        if width.isFixed, height.isFixed {
          sizes.append((width.upper, height.upper))
        } else {
          areListed = false
          sizes += self.sizes(width, height)
        }
      }
    }
    return (sizes, areListed)
  }

  private static func sizes(_ widths: IntegerRange, _ heights: IntegerRange) -> [(Int, Int)] {
    let greatest = (widths.greatest(upTo: widths.upper) ?? 1, heights.greatest(upTo: heights.upper) ?? 1)
    var sizes = usualSizes.compactMap { size -> (Int, Int)? in
      guard size.0 <= widths.upper, size.1 <= heights.upper, let width = widths.greatest(upTo: size.0),
        let height = heights.greatest(upTo: size.1)
      else { return nil }
      return (width, height)
    }
    let (longer, shorter) = (max(greatest.0, greatest.1), min(greatest.0, greatest.1))
    if sizes.isEmpty || shorter < longer && longer <= 2 * shorter, !sizes.contains(where: { $0 == greatest }) {
      sizes.insert(greatest, at: 0)
    }
    return sizes
  }
}
