/// How a stored picture has to be turned and mirrored to stand upright; the numbers are those of EXIF.
public enum Orientation: Int, Sendable, CaseIterable {
  case upright = 1
  case mirrored = 2
  case half = 3
  case halfMirrored = 4
  /// Mirrored at the diagonal from the top left.
  case transposed = 5
  /// A quarter turn clockwise brings it upright.
  case right = 6
  /// Mirrored at the diagonal from the top right.
  case transverse = 7
  /// A quarter turn counterclockwise brings it upright.
  case left = 8

  /// The one that a turn clockwise by 0, 90, 180 or 270 degrees brings upright; nil for other angles.
  public init?(degrees: Int) {
    switch degrees {
    case 0: self = .upright
    case 90: self = .right
    case 180: self = .half
    case 270: self = .left
    default: return nil
    }
  }

  /// Degrees clockwise that bring it upright; where it is mirrored, after that was undone.
  public var degrees: Int {
    switch self {
    case .upright, .mirrored: 0
    case .right, .transverse: 90
    case .half, .halfMirrored: 180
    case .left, .transposed: 270
    }
  }

  /// Whether width and height change places.
  public var swapsSides: Bool { rawValue >= 5 }
}
