public import CameraProtocol
import GStreamer
import MediaLibrary
import MovieFile
import Synchronization

/// What a recording is asked for.
public struct RecordingRequest: Sendable, Equatable {
  /// The preset.
  public var quality: Quality
  /// Nanoseconds; nil for no limit.
  public var maxDuration: UInt64?
  /// Bytes; nil for no limit.
  public var maxBytes: Int?
  /// Whether sound is wanted.
  public var audio: Bool
  /// Nanoseconds after which a new file begins; nil for one file.
  public var segmentDuration: UInt64?
  /// Bytes after which a new file begins; nil for one file.
  public var segmentBytes: Int?
  /// What it is to be like besides its preset.
  public var movie: MovieSettings
  /// Running time at which it was asked for; the movie begins with the frame of that moment where the camera is warm.
  public var requestedAt: UInt64?
  /// Who asks for it.
  public var requester: Requester

  var hasSegments: Bool { segmentDuration != nil || segmentBytes != nil }

  /// A request of these values.
  public init(
    quality: Quality = .medium, maxDuration: UInt64?, maxBytes: Int? = nil, audio: Bool = true,
    segmentDuration: UInt64? = nil, segmentBytes: Int? = nil, movie: MovieSettings = MovieSettings(),
    requester: Requester = Requester()
  ) {
    self.segmentDuration = segmentDuration
    self.segmentBytes = segmentBytes
    self.requester = requester
    self.quality = quality
    self.maxDuration = maxDuration
    self.maxBytes = maxBytes
    self.audio = audio
    self.movie = movie
  }
}

extension CameraSession {
  /// The longest that finishing a recording takes, its encoder's last frames and its tables included.
  static let finishDeadline = Duration.seconds(60)

  /// Starts a recording and returns when its first frame is in. Waits while the last one is still being finished.
  public func startRecording(_ request: RecordingRequest) async throws(CameraError) -> RecordingStatus {
    defer { armIdleTimer() }
    let library = settings.library
    try await blocking { () throws(CameraError) in try library.prepareForCapture() }
    try await awaitRecovery()
    guard let started = try await perform(.startRecording, recording: request).started else {
      throw CameraError(.internalError, "the recording of camera '\(id)' did not start", camera: id)
    }
    return started
  }

  /// Ends the recording and returns when the file is complete.
  public func stopRecording() async throws(CameraError) -> RecordingResult {
    defer { armIdleTimer() }
    // one that ends by itself just now is the one that was meant
    if let finishing, let result = await finishing.value(within: Self.finishDeadline) { return result }
    guard let result = try await perform(.stopRecording(.stopped)).finished else {
      throw CameraError(.internalError, "the recording of camera '\(id)' gave no result", camera: id)
    }
    return result
  }

  /// Ends the recording and discards it. Returns how many frames it had.
  public func cancelRecording() async throws(CameraError) -> Int {
    defer { armIdleTimer() }
    return try await perform(.cancelRecording).discarded
  }

  func beginRecording(_ request: RecordingRequest) async throws(CameraError) -> RecordingStatus {
    guard let pictureFormat else { throw CameraError(.cameraDisconnected, "camera '\(id)' is closed", camera: id) }
    var wanted = try MoviePlan(
      request.quality, settings: request.movie, source: pictureFormat, delivered: sourceFormat,
      rotation: movieMetadata.rotation, camera: id)
    wanted.passes = wanted.passes && canPass
    if wanted.format.video == nil { try requireSoundAlone(request) }
    let plan = strain.eased(wanted, settings: request.movie, source: pictureFormat, camera: id)
    if plan != wanted {
      warn(
        "the encoder could not keep up before: camera '\(id)' records \(plan.width)x\(plan.height) at "
          + "\((plan.frameRate.value * 10).rounded() / 10) fps")
    }
    if request.audio, sound == nil {
      warn("camera '\(id)' records without sound: there is no microphone")
    }
    let preRoll = sound == nil ? nil : preRoll(for: request)
    let start = preRoll == nil && !plan.passes ? beginKeeping(from: request.requestedAt) : nil
    defer { endKeeping(start) }
    let recorder = try await makeRecorder(
      preRoll.map { $0.plan.passing } ?? plan, preRoll?.format ?? pictureFormat, request,
      audio: request.audio && sound != nil, segment: request.hasSegments ? 1 : nil, usesPreRoll: preRoll != nil)
    recordingRequest = request
    quality = request.quality
    publish { $0.quality = request.quality }
    await measureScene()
    self.recorder = recorder
    currentRecorder.withLock { $0 = recorder }
    recordingConsumer = request.requester.consumer(.recording)
    publishConsumers()
    damagedBefore = intake.damaged
    if let start {
      pictures.replace(start, with: recorder.feed, after: { start.begin(recorder.feed) })
    } else if let preRoll {
      preRoll.begin(recorder.feed)
    } else if plan.passes {
      tap.add(recorder.feed)
    } else {
      pictures.add(recorder.feed)
    }
    await recorder.run()
    watch(recorder)
    guard await recorder.firstFrame(within: Self.frameDeadline) != nil else {
      _ = try await discardRecording()
      throw CameraError(
        .cameraDisconnected, "camera '\(id)' delivered no frame to record; look at its cable", camera: id)
    }
    let status = recorder.status(camera: id)
    settings.log(.info, "camera '\(id)' records for \(request.requester)")
    settings.emit(Event(.recordingStarted, camera: id, recording: status))
    return status
  }

  /// Keeps what comes until the encoder is there. Not where a light may come on first.
  private func beginKeeping(from moment: UInt64?) -> RecordingStart? {
    guard flash == nil, let moment else { return nil }
    let start = RecordingStart()
    currentStart.withLock { $0 = start }
    pictures.add(start)
    // an H.264 camera's frames would have to be decoded first
    if sourceFormat?.isInterCoded == false { start.seed(tap.frames(from: moment)) }
    return start
  }

  private func endKeeping(_ start: RecordingStart?) {
    guard let start else { return }
    pictures.remove(start)
    currentStart.withLock { $0 = nil }
  }

  private func requireSoundAlone(_ request: RecordingRequest) throws(CameraError) {
    guard !request.hasSegments else {
      throw CameraError(.notSupported, "sound alone is recorded into one file; leave the segments out", camera: id)
    }
    guard request.audio else {
      throw CameraError(.notSupported, "without picture and without sound there is nothing to record", camera: id)
    }
    guard sound != nil else {
      throw CameraError(.noSuchMicrophone, "there is no microphone to record the sound of", camera: id)
    }
  }

  /// The longest time for which a movie of the camera's own pictures may begin before it was asked for, at the last key
  /// frame, in nanoseconds.
  private static let longestLead: UInt64 = 2_000_000_000

  /// Whether the last key frame of the camera's own H.264 is near enough to begin a movie with.
  private var canPass: Bool {
    guard let frame = tap.frame(at: settings.clock.runningTime), frame.sample.isDecodable,
      let key = frame.history.first?.sample.runningTime
    else { return false }
    return settings.clock.runningTime < key + Self.longestLead
  }

  /// Building the encoder takes some milliseconds: not on this executor.
  func makeRecorder(
    _ plan: MoviePlan, _ format: SourceFormat, _ request: RecordingRequest, audio: Bool, segment: Int?,
    usesPreRoll: Bool = false
  ) async throws(CameraError) -> MovieRecorder {
    let (id, settings, microphone, metadata) = (id, settings, microphoneSwitch, movieMetadata)
    // loading the encoder for the first time takes seconds on the smallest boards
    let late = CameraError(.timedOut, "the encoder did not start within 20 seconds", camera: id)
    return try await withDeadline(
      .seconds(20), timedOut: late,
      late: { recorder in
        do throws(CameraError) {
          _ = try await recorder.discard()
        } catch {
          settings.log(.error, "\(error)")
        }
      }
    ) { () throws(CameraError) in
      try await blocking { () throws(CameraError) in
        try MovieRecorder(
          plan: plan, source: format, camera: id, audio: audio,
          limits: .init(
            duration: request.maxDuration, bytes: request.maxBytes, segmentDuration: request.segmentDuration,
            segmentBytes: request.segmentBytes),
          segment: segment, usesPreRoll: usesPreRoll, microphone: microphone, encoders: settings.encoders,
          library: settings.library,
          metadata: metadata, thumbnails: settings.thumbnails,
          clock: settings.clock, log: settings.log)
      }
    }
  }

  /// What a movie says of itself beside its time.
  var movieMetadata: MovieMetadata {
    let location = settings.locations.forCaptures
    return MovieMetadata(
      rotation: definition.rotation.flatMap(Rotation.init) ?? .none,
      location: location.map { Location(latitude: $0.latitude, longitude: $0.longitude, altitude: $0.altitude) },
      maker: definition.maker, model: definition.model)
  }

  func finishRecording(_ reason: StopReason) async -> RecordingResult? {
    await endSegments()
    guard let recorder else { return nil }
    let promise = Promise<RecordingResult>()
    finishing = promise
    recorder.state.withLock { $0 = .finishing }
    if reason != .cameraLost { await awaitPictures(recorder) }
    pictures.remove(recorder.feed)
    tap.remove(recorder.feed)
    await forgetScene()
    let message = stopMessage ?? (reason == .cameraLost ? snapshot.withLock { $0.message } : nil)
    var result = await recorder.finish(reason, message: message)
    let damaged = max(0, intake.damaged - damagedBefore)
    if damaged > 0 {
      let text = "\(damaged == 1 ? "a damaged frame" : "\(damaged) damaged frames") of the camera left out"
      result.message = [result.message, text].compactMap { $0 }.joined(separator: "; ")
    }
    stopMessage = nil
    await awaitSegments()
    forgetRecorder()
    finishing = nil
    promise.fulfil(result)
    if let message = result.message {
      settings.log(.warning, "the recording of camera '\(id)' ended: \(message)")
    }
    settings.emit(
      Event(
        result.asset == nil ? .recordingFailed : .recordingFinished, camera: id, result: result,
        message: result.message))
    if let asset = result.asset { settings.emit(Event(.libraryChanged, camera: id, asset: asset)) }
    return result
  }

  /// Waits for the decoder of an H.264 camera, so that picture and sound end with the frame of the moment.
  private func awaitPictures(_ recorder: MovieRecorder) async {
    if recorder.usesPreRoll, let newest = tap.progress.newest {
      recorder.feed.end(after: newest)
      _ = await recorder.feed.reached(newest).value(within: .seconds(1))
      return
    }
    guard sourceFormat?.isInterCoded ?? false, !recorder.plan.passes, recorder.plan.format.video != nil,
      let newest = tap.progress.newest
    else { return }
    recorder.feed.end(after: newest)
    let waiter = MomentWaiter(since: newest)
    pictures.add(waiter)
    _ = await waiter.frame(within: .seconds(1))
    pictures.remove(waiter)
  }

  /// What the frames of a recording are.
  func recordedFormat(_ usesPreRoll: Bool) -> SourceFormat? {
    usesPreRoll ? currentPreRoll.withLock { $0 }?.format : pictureFormat
  }

  func discardRecording() async throws(CameraError) -> Int {
    await endSegments()
    guard let recorder else { return 0 }
    pictures.remove(recorder.feed)
    tap.remove(recorder.feed)
    await forgetScene()
    await awaitSegments()
    defer { forgetRecorder() }
    return try await recorder.discard()
  }

  private func forgetRecorder() {
    currentPreRoll.withLock { $0 }?.end()
    recorder = nil
    recordingRequest = nil
    recordsDarkScene = false
    recordingConsumer = nil
    publishConsumers()
    currentRecorder.withLock { $0 = nil }
  }

  /// Follows what the recording says of itself.
  func watch(_ recorder: MovieRecorder) {
    Task { [weak self] in
      for await occurrence in recorder.occurrences {
        switch occurrence {
        case .progress: self?.reportProgress(recorder)
        case .slowed(let divisor): await self?.slowed(recorder, divisor)
        case .segmentAhead: await self?.prepareSegment(after: recorder)
        case .handedOver: await self?.changeSegment(recorder)
        case .mustStop(let reason, let error): await self?.end(recorder, reason, error)
        }
      }
    }
  }

  private func slowed(_ recorder: MovieRecorder, _ divisor: Int) {
    strain.add(divisor)
    let rate = (recorder.plan.frameRate.value / Double(divisor) * 10).rounded() / 10
    warn(
      "the encoder can't keep up with the recording of camera '\(id)', which goes on at \(rate) fps; take a lower "
        + "quality")
  }

  private nonisolated func reportProgress(_ recorder: MovieRecorder) {
    settings.emit(Event(.recordingProgress, camera: id, recording: recorder.status(camera: id)))
  }

  func end(_ recorder: MovieRecorder, _ reason: StopReason, _ error: CameraError?) async {
    guard self.recorder === recorder, finishing == nil else { return }
    stopMessage = error?.description
    do {
      _ = try await perform(.stopRecording(reason))
    } catch {
      // someone else stopped it in the meantime
      settings.log(.debug, "\(error)")
    }
    armIdleTimer()
  }
}

extension MovieRecorder {
  /// How far it is; never waits.
  nonisolated func status(camera: String) -> RecordingStatus {
    let progress = feed.progress
    return RecordingStatus(
      camera: camera, state: state.withLock { $0 }, quality: plan.quality,
      width: plan.fileSize.width, height: plan.fileSize.height,
      frameRate: plan.frameRate.value, audio: audio, time: time, duration: Double(progress.duration) / 1e9,
      frames: progress.frames, droppedFrames: progress.dropped, bytes: draft.bytes,
      maxDuration: limits.duration.map { Double($0) / 1e9 }, maxBytes: limits.bytes,
      segment: segment, container: plan.format.container,
      videoCodec: plan.format.video, audioCodec: audio ? plan.format.audio : nil,
      encoder: plan.passes ? VideoEncoder.camera : encoder?.element)
  }
}
