public import CameraProtocol

extension Orientation {
  /// Whether it is seen as in a mirror.
  public var isMirrored: Bool { [.mirrored, .halfMirrored, .transposed, .transverse].contains(self) }

  /// The one whose pictures are mirrored left to right, if so, and then turned clockwise to stand upright.
  public init?(isMirrored: Bool, degrees: Int) {
    guard
      let found = Self.allCases.first(where: {
        $0.isMirrored == isMirrored && $0.degrees == (degrees % 360 + 360) % 360
      })
    else { return nil }
    self = found
  }

  /// How a stored picture has to be turned to be seen as one that is turned by so many degrees clockwise once it stands
  /// upright.
  public func turned(by degrees: Int) -> Orientation? {
    Orientation(isMirrored: isMirrored, degrees: self.degrees + degrees)
  }

  /// Where a part of the picture as it is shown lies in the stored one, which has that size.
  public func stored(_ shown: Rectangle, width: Int, height: Int) -> Rectangle {
    let (right, bottom) = swapsSides ? (height, width) : (width, height)
    let mirroredX = right - shown.x - shown.width
    let mirroredY = bottom - shown.y - shown.height
    let (x, y) =
      switch self {
      case .upright: (shown.x, shown.y)
      case .mirrored: (mirroredX, shown.y)
      case .half: (mirroredX, mirroredY)
      case .halfMirrored: (shown.x, mirroredY)
      case .transposed: (shown.y, shown.x)
      case .right: (shown.y, mirroredX)
      case .transverse: (mirroredY, mirroredX)
      case .left: (mirroredY, shown.x)
      }
    return swapsSides
      ? Rectangle(x: x, y: y, width: shown.height, height: shown.width)
      : Rectangle(x: x, y: y, width: shown.width, height: shown.height)
  }
}
