public import CameraProtocol
import GStreamer
import MediaLibrary
import Synchronization

/// Pictures at an interval.
extension CameraSession {
  /// Starts a time-lapse and returns when its first picture was taken. Throws `timelapseInProgress`, and why the first
  /// picture can't be taken; nothing is left then.
  public func startTimelapse(_ request: TimelapseRequest) async throws(CameraError) -> TimelapseStatus {
    try await shielded { () throws(CameraError) in try await self.beginTimelapse(request) }
  }

  /// Ends the time-lapse and returns when what it took is complete. Throws `noTimelapse`.
  public func stopTimelapse() async throws(CameraError) -> TimelapseResult {
    guard let timelapse else {
      throw CameraError(.noTimelapse, "camera '\(id)' takes no time-lapse", camera: id)
    }
    timelapse.end.fulfil(.init(reason: .stopped))
    guard let result = await timelapse.result.value(within: Self.finishDeadline + Self.openDeadline) else {
      throw CameraError(.timedOut, "the time-lapse of camera '\(id)' did not end in time", camera: id)
    }
    return result
  }

  /// Ends it because the daemon ends.
  func endTimelapse() async {
    guard let timelapse else { return }
    timelapse.end.fulfil(.init(reason: .shutdown))
    _ = await timelapse.result.value(within: Self.finishDeadline)
  }

  private func beginTimelapse(_ request: TimelapseRequest) async throws(CameraError) -> TimelapseStatus {
    try requireNoTimelapse()
    let library = settings.library
    try await blocking { () throws(CameraError) in try library.prepareForCapture() }
    defer { armIdleTimer() }
    _ = try await ready(for: settings.clock.runningTime)
    let start = settings.clock.runningTime
    let movie = try await makeMovie(request, start)
    let timelapse = Timelapse(request, movie: movie, time: .now, idleTimeout: settings.idleTimeout)
    do throws(CameraError) {
      try requireNoTimelapse()
      self.timelapse = timelapse
      await movie?.recorder.run(ticking: false)
      try await takePicture(timelapse, due: start)
    } catch {
      if self.timelapse === timelapse { self.timelapse = nil }
      if let movie { _ = try await movie.recorder.discard() }
      throw error
    }
    var schedule = TimelapseSchedule(start: start, interval: request.interval, count: request.frames)
    schedule.advance()
    publishConsumers()
    let status = publish(timelapse, schedule) { $0.frames = 1 }
    settings.log(.info, "camera '\(id)' takes a time-lapse for \(request.requester)")
    settings.emit(Event(.timelapseStarted, camera: id, timelapse: status))
    settings.emit(Event(.timelapseProgress, camera: id, timelapse: status))
    watchMovie(timelapse)
    Task { await self.run(timelapse, schedule) }
    return status
  }

  private func requireNoTimelapse() throws(CameraError) {
    guard timelapse == nil else {
      throw CameraError(
        .timelapseInProgress, "camera '\(id)' takes a time-lapse already; stop that first", camera: id)
    }
  }

  private func makeMovie(_ request: TimelapseRequest, _ start: UInt64) async throws(CameraError) -> TimelapseMovie? {
    guard let movie = request.movie else { return nil }
    guard let pictureFormat else { throw CameraError(.cameraDisconnected, "camera '\(id)' is closed", camera: id) }
    let (id, settings, metadata) = (id, settings, movieMetadata)
    return try await blocking { () throws(CameraError) in
      try TimelapseMovie(
        movie, source: pictureFormat, camera: id, start: start, settings: settings, metadata: metadata)
    }
  }

  /// Ends it with an error of its movie.
  private func watchMovie(_ timelapse: Timelapse) {
    guard let recorder = timelapse.movie?.recorder else { return }
    Task {
      for await occurrence in recorder.occurrences {
        guard case .mustStop(let reason, let error) = occurrence else { continue }
        timelapse.end.fulfil(.init(reason: reason == .diskFull ? .diskFull : .error, message: error?.description))
      }
    }
  }

  // MARK: Picture after picture

  private func run(_ timelapse: Timelapse, _ schedule: TimelapseSchedule) async {
    var schedule = schedule
    var end: Timelapse.End?
    while end == nil, let due = schedule.due {
      if timelapse.wakesCamera { end = await wake(timelapse, for: due) }
      if end == nil { end = await timelapse.wait(until: due, settings.clock) }
      guard end == nil else { break }
      let late = schedule.passOver(at: settings.clock.runningTime)
      guard late == 0 else {
        miss(late, timelapse, schedule, "the pictures before took too long")
        continue
      }
      do throws(CameraError) {
        try await takePicture(timelapse, due: due)
        schedule.advance()
        told(timelapse, schedule)
      } catch {
        schedule.advance()
        miss(1, timelapse, schedule, error.description)
        if error.kind == .diskFull { end = .init(reason: .diskFull, message: error.description) }
      }
      timelapse.prepares(false)
    }
    await finish(timelapse, end ?? timelapse.end.current ?? .init(reason: .completed))
  }

  /// Opens the camera in time, so that it is at rest when a picture is due. What fails is told when that is taken.
  private func wake(_ timelapse: Timelapse, for due: UInt64) async -> Timelapse.End? {
    if let end = await timelapse.wait(until: due - min(due, Self.wakeTime), settings.clock) { return end }
    timelapse.prepares(true)
    do throws(CameraError) {
      _ = try await ready(for: settings.clock.runningTime)
    } catch {
      settings.log(.debug, "\(error)")
    }
    return nil
  }

  private func takePicture(_ timelapse: Timelapse, due: UInt64) async throws(CameraError) {
    defer { armIdleTimer() }
    guard let movie = timelapse.movie else {
      let library = settings.library
      let taken = try await takePhoto(timelapse.request.photo, requestedAt: due) { photos throws(CameraError) in
        try library.savePhoto(photos.original.buffers, photos.original.description)
      }
      return report(photo: taken.result)
    }
    let frame = try await capture(at: due).frame
    let picture = pictures.picture(of: frame) ?? frame
    try await blocking { () throws(CameraError) in try movie.add(picture) }
    await movie.recorder.tick()
  }

  /// A picture was taken.
  private func told(_ timelapse: Timelapse, _ schedule: TimelapseSchedule) {
    let missedBefore = snapshot.withLock { $0.timelapse?.message } != nil
    let status = publish(timelapse, schedule) { status in
      status.frames += 1
      status.message = nil
    }
    if missedBefore { warn("the time-lapse of camera '\(id)' goes on; \(status.missed) pictures are missing so far") }
    settings.emit(Event(.timelapseProgress, camera: id, timelapse: status))
  }

  /// Pictures that were due could not be taken.
  private func miss(_ count: Int, _ timelapse: Timelapse, _ schedule: TimelapseSchedule, _ reason: String) {
    let missedBefore = snapshot.withLock { $0.timelapse?.message } != nil
    let status = publish(timelapse, schedule) { status in
      status.missed += count
      status.message = reason
    }
    // told once, however long it lasts; the events have the count
    if !missedBefore { warn("the time-lapse of camera '\(id)' misses a picture: \(reason)") }
    settings.emit(Event(.timelapseProgress, camera: id, timelapse: status))
  }

  @discardableResult
  private func publish(
    _ timelapse: Timelapse, _ schedule: TimelapseSchedule, _ change: (inout TimelapseStatus) -> Void
  ) -> TimelapseStatus {
    let movie = timelapse.movie
    var status =
      snapshot.withLock { $0.timelapse }
      ?? TimelapseStatus(
        camera: id, time: timelapse.time, interval: Double(timelapse.request.interval) / 1e9,
        maxFrames: timelapse.request.frames, movie: movie != nil, frameRate: movie?.frameRate.value,
        quality: movie?.recorder.plan.quality)
    change(&status)
    status.bytes = movie?.recorder.draft.bytes
    status.next = schedule.due.map { Timestamp.now - Double(settings.clock.age(of: $0)) / 1e9 }
    publish { $0.timelapse = status }
    return status
  }

  private func finish(_ timelapse: Timelapse, _ end: Timelapse.End) async {
    let status = snapshot.withLock { $0.timelapse }
    var result = TimelapseResult(
      frames: status?.frames ?? 0, missed: status?.missed ?? 0, reason: end.reason, message: end.message)
    if let movie = timelapse.movie {
      let recorded = await movie.recorder.finish(.stopped, message: end.message)
      result.asset = recorded.asset
      result.message = recorded.message
      if recorded.droppedFrames > 0 || recorded.frames != result.frames, recorded.message == nil {
        result.message = "\(result.frames - recorded.frames) frames could not be encoded"
      }
      if recorded.asset == nil, result.reason != .diskFull { result.reason = .error }
    }
    self.timelapse = nil
    publish { $0.timelapse = nil }
    publishConsumers()
    settings.log(.info, "the time-lapse of camera '\(id)' ended: \(result.frames) pictures, \(result.missed) missed")
    settings.emit(
      Event(.timelapseFinished, camera: id, timelapseResult: result, message: result.message))
    if let asset = result.asset { settings.emit(Event(.libraryChanged, camera: id, asset: asset)) }
    timelapse.result.fulfil(result)
    armIdleTimer()
  }
}
