import CameraProtocol
import GStreamer

/// What the recordings of a session have shown that this machine can't do. It is forgotten when the camera goes cold.
struct Strain: Equatable {
  /// One of so many pictures is recorded.
  var divisor = 1
  /// Whether that was not enough, so that the next smaller preset is taken.
  var needsSmaller = false

  /// A recording had to leave out all but one of `divisor` pictures of what it began with.
  mutating func add(_ divisor: Int) {
    guard divisor > 1 else { return }
    needsSmaller = needsSmaller || self.divisor > 1
    self.divisor = max(self.divisor, divisor)
  }

  /// The plan for the next recording: first fewer pictures, then smaller ones.
  func eased(
    _ plan: MoviePlan, settings: MovieSettings = MovieSettings(), source: SourceFormat, camera: String
  ) -> MoviePlan {
    // what is not encoded here is no strain
    guard divisor > 1, !plan.passes, plan.format.video != nil else { return plan }
    var eased = plan
    if needsSmaller, settings.width == nil, let smaller = plan.quality.smaller {
      do throws(CameraError) {
        eased = try MoviePlan(
          smaller, settings: settings, source: source, rotation: plan.turn, camera: camera)
      } catch {
        eased = plan
      }
    }
    let rate = plan.frameRate
    eased.frameRate = Fraction(rate.numerator, rate.denominator * divisor)
    return eased
  }
}

extension Quality {
  /// The preset with fewer pixels.
  fileprivate var smaller: Quality? {
    switch self {
    case .high: .hd720
    case .hd1080: .hd720
    case .hd720: .medium
    case .vga, .medium: .low
    case .low: nil
    }
  }
}
