import GStreamer

/// What a pipeline was last told that its frames hold. Told again only when that changes.
struct FollowedCaps {
  private var caps: Caps?

  /// Tells the pipeline what this frame holds, if it was something else before. To be called before the frame is pushed.
  /// `frameRate`: at which frames are pushed, where that isn't the source's; encoders reckon with it.
  mutating func follow(_ frame: borrowing Sample, into input: AppSource, frameRate: Fraction? = nil) {
    if let caps, frame.hasCaps(caps) { return }
    guard let new = frame.caps else { return }
    if caps.map({ !$0.isEqual(new) }) ?? true {
      input.setCaps(frameRate.flatMap { new.with(frameRate: $0) } ?? new)
    }
    caps = new
  }
}
