import CameraProtocol
import GStreamer
import MediaLibrary
import MovieFile
import PhotoFile
import Synchronization

/// One recording, from its first frame to the finished file. Blocking calls run on an executor of its own.
actor MovieRecorder {
  /// What a recording is asked for.
  struct Limits: Sendable {
    /// Nanoseconds; nil for none.
    var duration: UInt64?
    /// Bytes; nil for none.
    var bytes: Int?
    /// Nanoseconds after which a new file begins; nil for one file.
    var segmentDuration: UInt64?
    /// Bytes after which a new file begins; nil for one file.
    var segmentBytes: Int?

    /// Whether files follow each other.
    var hasSegments: Bool { segmentDuration != nil || segmentBytes != nil }
  }

  /// What happens to a recording from within.
  enum Occurrence: Sendable {
    /// A second has passed.
    case progress
    /// It has to end, for this reason.
    case mustStop(StopReason, CameraError?)
    /// The next segment should be made ready.
    case segmentAhead
    /// The next segment has begun.
    case handedOver
    /// The encoder can't keep up: one of so many pictures is recorded from now on.
    case slowed(Int)
  }

  nonisolated let executor = QueueExecutor("camd.recording")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Where the frames and the sound go in.
  nonisolated let feed: RecordingFeed
  /// What happens to it; ends when the recording does. One reader.
  nonisolated let occurrences: AsyncStream<Occurrence>
  nonisolated let plan: MoviePlan
  nonisolated let limits: Limits
  nonisolated let audio: Bool
  nonisolated let draft: MovieDraft
  /// The number of the segment, from 1; nil for a recording of one file.
  nonisolated let segment: Int?
  /// Whether its pictures are those that a pre-roll encodes.
  nonisolated let usesPreRoll: Bool
  /// nil where the camera's own pictures go in, or none.
  nonisolated let encoder: VideoEncoder?
  nonisolated let state = Mutex(RecordingState.recording)

  private let camera: String
  private let library: MediaLibrary
  private let encoders: EncoderChoice
  private let clock: SystemClock
  private let pipeline: Pipeline
  private let occur: AsyncStream<Occurrence>.Continuation
  private nonisolated let began = Promise<Timestamp>()
  private let ended = Promise<GStreamerError?>()
  private var ticker: Task<Void, Never>?
  private let thumbnails: Thumbnails?
  private let orientation: Orientation
  /// The picture that it begins with.
  private var still: Task<RecordingStill?, Never>?
  /// The client's limit and the file system's, whichever is less.
  private let largestSize: Int?
  private var lastBytes = 0

  /// Makes and starts the pipeline; the recording begins with the next frame. An encoder that doesn't start gives way to
  /// the next one. Blocks for some milliseconds.
  init(
    plan: MoviePlan, source: SourceFormat, camera: String, audio: Bool, limits: Limits, segment: Int? = nil,
    usesPreRoll: Bool = false,
    microphone: MicrophoneSwitch, encoders: EncoderChoice, library: MediaLibrary,
    metadata: MovieMetadata = MovieMetadata(), thumbnails: Thumbnails? = nil, clock: SystemClock, log: Logger
  ) throws(CameraError) {
    self.plan = plan
    self.camera = camera
    self.audio = audio
    self.limits = limits
    self.segment = segment
    self.usesPreRoll = usesPreRoll
    self.library = library
    self.clock = clock
    self.encoders = encoders
    self.thumbnails = thumbnails
    orientation = Orientation(degrees: metadata.rotation.rawValue) ?? .upright
    var candidates: [VideoEncoder?] = [nil]
    if let codec = plan.format.video, !plan.passes { candidates = try encoders.encoders(for: codec) }
    let lines = try candidates.map { candidate throws(CameraError) in
      (candidate, try plan.pipeline(source, camera: camera, audio: audio, encoder: candidate))
    }
    (occurrences, occur) = AsyncStream.makeStream(of: Occurrence.self, bufferingPolicy: .bufferingNewest(16))
    var metadata = metadata
    metadata.audioPriming = audio ? 1024 : 0
    if plan.turn != .none { metadata.rotation = .none }
    draft = try library.beginMovie(
      time: .now, camera: camera, metadata: metadata, format: plan.format.fileExtension)
    largestSize = [limits.bytes, draft.largestSize].compactMap { $0 }.min()
    do {
      (encoder, pipeline) = try Self.start(lines, draft.path, clock, encoders, log)
      let (began, occur) = (began, occur)
      feed = RecordingFeed(
        video: plan.format.video == nil ? nil : try AppSource(pipeline, "video"),
        audio: audio ? try AppSource(pipeline, "audio") : nil, frameRate: plan.frameRate, sourceRate: source.frameRate,
        maxDuration: limits.duration, segmentDuration: limits.segmentDuration, passes: plan.passes,
        keepsOpening: thumbnails != nil && plan.format.video != nil && !plan.passes && !usesPreRoll,
        microphone: microphone
      ) { signal in
        switch signal {
        case .began(let runningTime): began.fulfil(Timestamp.now - Double(clock.age(of: runningTime)) / 1e9)
        case .handedOver: occur.yield(.handedOver)
        case .slowed(let divisor): occur.yield(.slowed(divisor))
        case .durationReached: occur.yield(.mustStop(.maxDuration, nil))
        case .gap(let time):
          let message = "no frame of camera '\(camera)' came for \(time / 1_000_000_000) s; the movie ends before"
          occur.yield(.mustStop(.cameraLost, CameraError(.cameraDisconnected, message, camera: camera)))
        }
      }
    } catch {
      throw Self.abandon(draft, CameraError(capture: error, camera: camera, what: "recording"))
    }
  }

  /// The pipeline of the first encoder that starts.
  private static func start(
    _ lines: [(VideoEncoder?, String)], _ path: String, _ clock: SystemClock, _ encoders: EncoderChoice, _ log: Logger
  ) throws(GStreamerError) -> (VideoEncoder?, Pipeline) {
    var failure = GStreamerError("there is nothing to record with")
    for (encoder, line) in lines {
      log(.debug, "recording pipeline: \(line)")
      do throws(GStreamerError) {
        let pipeline = try Pipeline(launch: line, clock: clock)
        try pipeline.element("file").set("location", path)
        do throws(GStreamerError) {
          try pipeline.play()
        } catch {
          pipeline.stop()
          throw error
        }
        return (encoder, pipeline)
      } catch {
        failure = error
        log(.warning, "a recording can't start\(encoder.map { " with \($0.element)" } ?? ""): \(error)")
        if let encoder, lines.count > 1, error.situation == .other { encoders.exclude(encoder) }
      }
    }
    throw failure
  }

  /// Reads the bus and, with `ticking`, writes to disk once a second, until the recording ends.
  func run(ticking: Bool = true) {
    let (messages, ended, occur, camera) = (pipeline.messages, ended, occur, camera)
    let (encoder, encoders) = (encoder, encoders)
    Task {
      for await message in messages {
        switch message {
        case .error(let error):
          ended.fulfil(error)
          if let encoder, encoder.isHardware, error.element == VideoEncoder.name { encoders.exclude(encoder) }
          let failure = CameraError(capture: error, camera: camera, what: "recording")
          occur.yield(.mustStop(failure.kind == .diskFull ? .diskFull : .error, failure))
        case .endOfStream: ended.fulfil(nil)
        case .warning: break
        }
      }
    }
    takeStill()
    guard ticking else { return }
    lookAhead(0)
    ticker = Task { [weak self] in
      while !Task.isCancelled {
        do { try await Task.sleep(for: .seconds(1)) } catch { return }
        await self?.tick()
      }
    }
  }

  /// Has the first frame made into a thumbnail, beside the recording.
  private func takeStill() {
    guard let thumbnails, feed.keepsOpening else { return }
    let (began, feed, orientation, shape) = (began, feed, orientation, (plan.width, plan.height))
    still = Task {
      guard await began.value(within: CameraSession.frameDeadline) != nil, let frame = feed.takeOpening() else {
        return nil
      }
      return await thumbnails.still(of: frame, shape: shape, orientation: orientation)
    }
  }

  private func keepStill(for asset: Asset) {
    guard let still, let thumbnails else { return }
    // nobody waits for it
    Task { if let picture = await still.value { await thumbnails.keep(picture, for: asset) } }
  }

  /// When the first frame was captured; nil where none comes before the deadline.
  nonisolated func firstFrame(within deadline: Duration) async -> Timestamp? { await began.value(within: deadline) }

  /// When the first frame was captured; before that, when the recording was asked for.
  nonisolated var time: Timestamp { began.current ?? draft.time }

  /// Ends the recording, finishes the file and puts it into the album. `message` says what went wrong, if something
  /// did.
  func finish(_ reason: StopReason, message: String?) async -> RecordingResult {
    await feed.close()
    // the encoder may still hold some seconds of frames on a slow machine
    let end = await ended.value(within: .seconds(20))
    closePipeline()
    let counts = feed.progress
    var result = RecordingResult(
      asset: nil, frames: counts.frames, droppedFrames: counts.dropped, audio: audio, reason: reason, message: message)
    let still = Int(feed.longestStill / 1_000_000_000)
    if still >= CameraSession.stallSeconds, result.message == nil {
      result.message = "the picture stands still for \(still) s: no frame came from the camera"
    }
    if case .some(.some(let error)) = end, result.message == nil {
      result.message = CameraError(capture: error, camera: camera, what: "recording").description
      if result.reason == .stopped { result.reason = .error }
    } else if end == nil {
      result.message = result.message ?? "the encoder did not finish within 20 seconds; the movie ends early"
      if result.reason == .stopped { result.reason = .error }
    }
    do {
      let published = try draft.publish(metadata: nil, time: began.current)
      result.asset = published.asset
      keepStill(for: published.asset)
      result.frames = published.frames
      result.audio = published.hasAudio
      let unread = counts.frames - published.frames
      let loss = result.message == nil && unread > 0 ? "\(unread) frames could not be decoded" : nil
      result.message = [result.message, loss, published.warning].compactMap { $0 }.joined(separator: "; ").nonEmpty
    } catch {
      result.message = [result.message, error.description].compactMap { $0 }.joined(separator: "; ").nonEmpty
      result.reason = error.kind == .diskFull ? .diskFull : .error
    }
    return result
  }

  /// Ends the recording and removes the file. Returns how many frames it had.
  func discard() throws(CameraError) -> Int {
    feed.cut()
    closePipeline()
    try draft.discard()
    return feed.progress.frames
  }

  private func closePipeline() {
    ticker?.cancel()
    pipeline.stop()
    occur.finish()
  }

  /// Writes what there is to disk, so that a loss of power costs little more than a second, and looks after the limits.
  func tick() {
    do {
      try draft.sync()
    } catch {
      occur.yield(.mustStop(error.kind == .diskFull ? .diskFull : .error, error))
      return
    }
    occur.yield(.progress)
    let bytes = draft.bytes
    let ahead = bytesAhead(bytes)
    lookAhead(bytes + ahead)
    if let largestSize, bytes + ahead > largestSize { occur.yield(.mustStop(.maxSize, nil)) }
    let free = library.freeBytes
    // in time, where anything can be removed
    if let free, free < max(library.reserve, ahead * 4) { library.wantRoom(for: ahead * 8) }
    if let free, free < max(library.reserve / 2, ahead) {
      occur.yield(
        .mustStop(
          .diskFull,
          CameraError(
            .diskFull, "the disk of \(library.root) is almost full; the movie was ended", camera: camera,
            path: library.root)))
    }
  }

  /// How long before a segment's end the next one is made ready, in nanoseconds; loading an encoder takes a moment.
  private static let preparation: UInt64 = 4_000_000_000

  /// Sees to it that the next segment is there in time. `bytes`: the size of this one until the next look.
  private func lookAhead(_ bytes: Int) {
    let duration = feed.progress.duration
    var isAhead = limits.segmentDuration.map { duration + Self.preparation >= $0 } ?? false
    if let size = limits.segmentBytes {
      isAhead = isAhead || bytes * 4 >= size * 3
      if bytes >= size { feed.fill() }
    }
    if isAhead { occur.yield(.segmentAhead) }
  }

  /// Bytes that may be written until the next look and at the end: two seconds at the bit rate or at the rate of the
  /// last second, whichever is more, and the tables. A table takes some bytes a sample; AAC has 47 samples a second.
  private func bytesAhead(_ bytes: Int) -> Int {
    let progress = feed.progress
    let samples = progress.frames + Int(progress.duration / 1_000_000_000) * 47
    let rate = max((plan.videoBitRate + plan.audioBitRate) / 8, bytes - lastBytes)
    lastBytes = bytes
    return rate * 2 + samples * 8 + 65_536
  }

  /// Removes the empty file of a recording that could not begin. The error that ended it is what the user hears of; one
  /// that comes on top is told with it.
  private static func abandon(_ draft: MovieDraft, _ error: CameraError) -> CameraError {
    do {
      try draft.discard()
      return error
    } catch let second {
      var error = error
      error.detail.cause = [error.detail.cause, second.description].compactMap { $0 }.joined(separator: "; ")
      return error
    }
  }
}

extension String {
  fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
