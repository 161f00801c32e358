import CameraProtocol
import GStreamer
import MovieFile
import Synchronization

/// Decodes a run of samples and encodes some of their pictures anew. Blocks; one at a time.
struct EdgeEncoder {
  /// Nanoseconds from picture to picture. The true times are given to the pictures afterwards; these serve to tell them
  /// apart.
  private static let step: UInt64 = 40_000_000
  /// Pictures that may wait at each place.
  private static let depth = 6
  /// Nanoseconds for which it waits at once, so that it can be cancelled.
  private static let patience: UInt64 = 20_000_000
  /// The longest that nothing may move.
  private static let deadline: UInt64 = 30_000_000_000

  let codec: EdgeCodec
  let clock: SystemClock

  /// Encodes the pictures of an edge, in the order of presentation. `sample`: the bytes of a sample by its number.
  /// `isCancelled` is asked again and again, `onFrame` gets each encoded picture with its caps.
  func encode(
    _ edge: Edge, of samples: [MovieSample], sample: (Int) throws(CameraError) -> [UInt8], isCancelled: () -> Bool,
    onFrame: ([UInt8], Caps) throws(CameraError) -> Void
  ) throws(CameraError) {
    do {
      try run(edge, of: samples, sample: sample, isCancelled: isCancelled, onFrame: onFrame)
    } catch let error as CameraError {
      throw error
    } catch let error as GStreamerError {
      throw .uncut("its pictures can't be encoded at the place of the cut: \(error.message)", cause: error.description)
    } catch {
      throw .uncut("its pictures can't be encoded at the place of the cut", cause: "\(error)")
    }
  }

  private func run(
    _ edge: Edge, of samples: [MovieSample], sample: (Int) throws(CameraError) -> [UInt8], isCancelled: () -> Bool,
    onFrame: ([UInt8], Caps) throws(CameraError) -> Void
  ) throws {
    let decoding = try Stage(
      "appsrc name=input format=time max-bytes=0 max-buffers=0 ! \(codec.decoder) "
        + "! appsink name=output sync=false max-buffers=\(Self.depth)", clock: clock)
    defer { decoding.pipeline.stop() }
    let encoding = try Stage(
      "appsrc name=input format=time max-bytes=0 max-buffers=0 ! \(codec.encoder) "
        + "! appsink name=output sync=false", clock: clock)
    defer { encoding.pipeline.stop() }
    decoding.input.setCaps(try Caps(codec.input))
    try decoding.pipeline.play()

    let order = edge.decode.sorted { (samples[$0].presentationTime, $0) < (samples[$1].presentationTime, $1) }
    let ranks = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
    let delay = edge.decode.enumerated().map { $0 - (ranks[$1] ?? 0) }.max() ?? 0
    var wanted = Set(edge.frames.compactMap { ranks[$0] })
    var next = edge.decode.lowerBound
    var count = 0
    var moved = clock.runningTime

    func settle(_ failure: String) throws {
      if isCancelled() { throw CameraError(.cancelled, "the edit was cancelled") }
      if let error = decoding.failure.error ?? encoding.failure.error { throw error }
      guard clock.runningTime - moved < Self.deadline else { throw GStreamerError(failure) }
    }
    func take(patience: UInt64) throws {
      var patience = patience
      while let picture = try encoding.picture(patience: patience) {
        try onFrame(picture.bytes, picture.caps)
        count += 1
        moved = clock.runningTime
        patience = 0
      }
    }

    while !wanted.isEmpty {
      try settle("no picture came out of the decoder")
      while next < edge.decode.upperBound, decoding.input.queuedBuffers < Self.depth {
        let position = next - edge.decode.lowerBound
        decoding.input.push(
          try sample(next), decodeTime: UInt64(position) * Self.step,
          presentationTime: UInt64((ranks[next] ?? 0) + delay) * Self.step, duration: Self.step,
          isDelta: position > 0)
        next += 1
        moved = clock.runningTime
        if next == edge.decode.upperBound { decoding.input.endOfStream() }
      }
      guard let frame = decoding.output.pull(timeout: Self.patience) else {
        if decoding.output.isEndOfStream { break }
        try take(patience: 0)
        continue
      }
      moved = clock.runningTime
      let rank = Int((frame.runningTime + Self.step / 2) / Self.step) - delay
      guard wanted.remove(rank) != nil else { continue }
      if !encoding.isPlaying, let raw = frame.caps {
        encoding.input.setCaps(raw)
        try encoding.play()
      }
      encoding.input.push(frame, runningTime: UInt64(rank) * Self.step)
      repeat {
        try take(patience: encoding.input.queuedBuffers >= Self.depth ? Self.patience : 0)
        try settle("no picture came out of the encoder")
      } while encoding.input.queuedBuffers >= Self.depth
    }
    guard wanted.isEmpty else { throw CameraError.damaged("\(wanted.count) of its pictures can't be decoded") }
    encoding.input.endOfStream()
    while !encoding.output.isEndOfStream {
      try take(patience: Self.patience)
      try settle("the encoder didn't come to its end")
    }
    guard count == edge.frames.count else {
      throw GStreamerError("\(count) of \(edge.frames.count) pictures came out of the encoder")
    }
  }

  /// A pipeline with an entry and an exit.
  private final class Stage {
    let pipeline: Pipeline
    let input: AppSource
    let output: AppSink
    let failure: Failure
    private(set) var isPlaying = false

    init(_ launch: String, clock: SystemClock) throws(GStreamerError) {
      pipeline = try Pipeline(launch: launch, clock: clock)
      input = try AppSource(pipeline, "input")
      output = try AppSink(pipeline, "output")
      failure = Failure()
      failure.watch(pipeline.messages)
    }

    /// What comes out of an encoder next; nil where nothing comes in time.
    func picture(patience: UInt64) throws -> (bytes: [UInt8], caps: Caps)? {
      guard let sample = output.pull(timeout: patience) else { return nil }
      guard let caps = sample.caps else { throw GStreamerError("the encoder doesn't say what it encodes") }
      return (try sample.withBytes { Array($0) }, caps)
    }

    func play() throws(GStreamerError) {
      isPlaying = true
      try pipeline.play()
    }
  }

  /// The first error that a pipeline reports.
  private final class Failure: Sendable {
    private let first = Mutex<GStreamerError?>(nil)

    var error: GStreamerError? { first.withLock { $0 } }

    func watch(_ messages: AsyncStream<BusMessage>) {
      Task.detached { [self] in
        for await message in messages {
          if case .error(let error) = message { first.withLock { $0 = $0 ?? error } }
        }
      }
    }
  }
}
