extension Orientation {
  /// The turn as GStreamer's `videoflip` calls it.
  public var direction: String {
    switch self {
    case .upright: "identity"
    case .mirrored: "horiz"
    case .half: "180"
    case .halfMirrored: "vert"
    case .transposed: "ul-lr"
    case .right: "90r"
    case .transverse: "ur-ll"
    case .left: "90l"
    }
  }
}
