import GStreamer
import Synchronization

/// What each frame of a source goes through before anybody gets it: damaged ones are counted and left out, and those
/// that depend on earlier ones are chained to them.
final class FrameIntake: Sendable {
  private enum Treatment: Sendable {
    case pass, checkJPEG, chain
  }

  private struct State: ~Copyable {
    var caps: Caps?
    var treatment = Treatment.pass
    /// Whether the source marks the ends of its JPEG pictures.
    var endsJPEG = false
    var chain = FrameChain()
    var damaged = 0
  }

  private let state = Mutex(State())
  private let output: @Sendable (borrowing Sample) -> Void
  private let onDamage: @Sendable (Int) -> Void

  /// `output` takes the good frames, `onDamage` the number of damaged ones so far at each of them; both on the streaming
  /// thread.
  init(onDamage: @escaping @Sendable (Int) -> Void, output: @escaping @Sendable (borrowing Sample) -> Void) {
    self.onDamage = onDamage
    self.output = output
  }

  /// Takes a frame from the source. On the streaming thread.
  func receive(_ sample: borrowing Sample) {
    switch treatment(of: sample) {
    case .pass where !sample.isCorrupted: output(sample)
    case .checkJPEG where !sample.isCorrupted && isWholeJPEG(sample): output(sample)
    case .pass, .checkJPEG: countDamaged()
    case .chain:
      // a decoder hides what is missing in a damaged frame, and what follows depends on it
      if let linked = state.withLock({ $0.chain.link(sample) }) { output(linked) }
    }
  }

  /// Damaged frames since the last reset.
  var damaged: Int { state.withLock { $0.damaged } }

  /// Forgets the source, when it closes.
  func reset() { state.withLock { $0 = State() } }

  private func treatment(of sample: borrowing Sample) -> Treatment {
    state.withLock { state in
      guard state.caps.map({ !sample.hasCaps($0) }) ?? true, let caps = sample.caps else { return state.treatment }
      state.caps = caps
      switch caps.structures.first?.name {
      case SourceFormat.jpeg: state.treatment = .checkJPEG
      case SourceFormat.h264: state.treatment = .chain
      default: state.treatment = .pass
      }
      return state.treatment
    }
  }

  private func isWholeJPEG(_ sample: borrowing Sample) -> Bool {
    let flaw: JPEGFrame.Flaw?
    do {
      flaw = try sample.withBytes { JPEGFrame.flaw(in: $0) }
    } catch {
      return false  // memory that can't be read is no picture
    }
    return state.withLock { state in
      if flaw == nil { state.endsJPEG = true }
      return flaw == nil || flaw == .unended && !state.endsJPEG
    }
  }

  private func countDamaged() {
    onDamage(
      state.withLock { state in
        state.damaged += 1
        return state.damaged
      })
  }
}

/// Frames since the last key frame, each holding the one before it. They are copied, since a driver has few buffers.
struct FrameChain: ~Copyable {
  /// Frames that are kept at most: 20 seconds at 30 a second.
  static let longest = 600
  /// Bytes that are kept at most.
  static let largest = 32 << 20

  private var last: Frame?
  private var count = 0
  private var bytes = 0

  /// The frame with those it depends on. Where they are too many, or there was no key frame yet, it comes without
  /// them, and can't be decoded by who hasn't had the others; nil where there is no memory for it.
  mutating func link(_ sample: borrowing Sample) -> Sample? {
    if !sample.isDelta { (last, count, bytes) = (nil, 0, 0) }
    guard !sample.isDelta || last != nil else { return sample.retained() }
    count += 1
    bytes += sample.byteCount
    guard count <= Self.longest, bytes <= Self.largest else {
      last = nil
      return sample.retained()
    }
    guard let linked = sample.copied(after: last) else {
      last = nil
      return nil
    }
    last = Frame(linked.retained())
    return linked
  }
}
