extension Rotation {
  private static let one: UInt32 = 0x1_0000
  private static let minusOne: UInt32 = 0xFFFF_0000

  /// The rotation that a `tkhd` matrix means; none where it means something else.
  init(matrix: [UInt32]) {
    guard matrix.count == 9 else {
      self = .none
      return
    }
    switch (matrix[0], matrix[1], matrix[3], matrix[4]) {
    case (0, Self.one, Self.minusOne, 0): self = .right
    case (Self.minusOne, 0, 0, Self.minusOne): self = .half
    case (0, Self.minusOne, Self.one, 0): self = .left
    default: self = .none
    }
  }

  /// The matrix for a picture of this size (16.16); the last row moves it back into view.
  func matrix(width: UInt32, height: UInt32) -> [UInt32] {
    let one = Self.one
    let minusOne = Self.minusOne
    let unit: UInt32 = 0x4000_0000
    return switch self {
    case .none: [one, 0, 0, 0, one, 0, 0, 0, unit]
    case .right: [0, one, 0, minusOne, 0, 0, height, 0, unit]
    case .half: [minusOne, 0, 0, 0, minusOne, 0, width, height, unit]
    case .left: [0, minusOne, 0, one, 0, 0, 0, width, unit]
    }
  }
}
