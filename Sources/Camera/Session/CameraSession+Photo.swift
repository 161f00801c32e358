public import CameraProtocol
import GStreamer
import MediaLibrary
import PhotoFile

/// A photo that was taken, with what its taker made of it.
public struct TakenPhoto<Result: Sendable>: Sendable {
  /// What the taker made of it.
  public var result: Result
  /// Seconds between the capture of the frame and the request; 0 where the camera had to be opened first.
  public var frameAge: Double
  /// Seconds that a cold camera was given to come to rest; nil where it was warm.
  public var settled: Double?
  /// Whether the light was on for it; nil where there is none.
  public var flash: Bool?
  /// Frames that a recording had to drop meanwhile; nil where none ran.
  public var recordingDropped: Int?
}

/// A frame that was taken, with what is known of it.
struct CapturedFrame {
  var frame: Frame
  var time: Timestamp
  /// Seconds before the moment that it was wanted at.
  var age: Double
  var settled: Double?
  var flash: Bool?
  var exposureTime: Double?
}

extension CameraSession {
  /// Photos that may wait to be encoded and saved.
  static let longestPhotoQueue = 16
  /// The longest wait for a frame of a camera that is open.
  static let frameDeadline = Duration.milliseconds(2500)

  /// Takes the frame of the moment `requestedAt` (running time), or so many seconds of a self-timer later, encodes it,
  /// and has `save` make something of it.
  /// Photos are served one after the other. Throws `queueFull` where too many wait, and `valueOutOfRange` where the part
  /// that is asked for is not inside of the picture.
  /// A photo that was begun is taken even where the caller's task is cancelled; the self-timer ends then. Throws
  /// `cancelled` where it was ended.
  public func takePhoto<Result: Sendable>(
    _ request: PhotoRequest, requestedAt: UInt64, timer: Double = 0,
    save: @escaping @Sendable (PhotoSet) throws(CameraError) -> Result
  ) async throws(CameraError) -> TakenPhoto<Result> {
    let cancellation = Cancellation()
    return try await shielded(onCancel: { cancellation.cancel() }) { () throws(CameraError) in
      try await self.photograph(request, requestedAt, timer, cancellation, save)
    }
  }

  private func photograph<Result: Sendable>(
    _ request: PhotoRequest, _ requestedAt: UInt64, _ timer: Double, _ cancellation: Cancellation,
    _ save: @escaping @Sendable (PhotoSet) throws(CameraError) -> Result
  ) async throws(CameraError) -> TakenPhoto<Result> {
    let moment = try await countDown(timer, from: requestedAt, cancellation)
    try enterPhotoQueue()
    defer { leavePhotoQueue() }
    let mark = recordingMark
    let captured = try await capture(at: moment)
    let job = job(request, captured)
    let (frame, plan) = (captured.frame, photoPlan)
    let result = try await encoder.take(pictures.picture(of: frame) ?? frame, plan: plan, job, save)
    return TakenPhoto(
      result: result, frameAge: captured.age, settled: captured.settled, flash: captured.flash,
      recordingDropped: framesDropped(since: mark))
  }

  /// A place among those who wait for photos. Throws `queueFull` where there is none.
  func enterPhotoQueue() throws(CameraError) {
    guard pendingPhotos < Self.longestPhotoQueue else {
      throw CameraError(
        .queueFull, "\(pendingPhotos) photos of camera '\(id)' are waiting already; try again in a moment", camera: id)
    }
    pendingPhotos += 1
  }

  /// Gives the place back.
  func leavePhotoQueue() {
    pendingPhotos -= 1
    tellPhotosEnded()
    armIdleTimer()
  }

  /// Tells who waits for it that no photo is being taken.
  func tellPhotosEnded() {
    if pendingPhotos == 0, cancellations.isEmpty { photosEnded?.fulfil(()) }
  }

  /// Waits for the photos and self-timers that are being ended, at most for as long as one may wait for a frame.
  func awaitPhotos() async {
    guard pendingPhotos > 0 || !cancellations.isEmpty else { return }
    let ended = Promise<Void>()
    photosEnded = ended
    _ = await ended.value(within: Self.frameDeadline)
  }

  /// Opens the camera where that is needed, and waits until it has come to rest; the seconds that took, nil where it
  /// was so already.
  func ready(for moment: UInt64) async throws(CameraError) -> Double? {
    try await awaitRecovery()
    if source == nil { _ = try await perform(.open) }
    _ = try await frame(at: moment)  // before settling, which also ends where nothing comes
    return await settle()
  }

  /// Takes the frame of a moment.
  func capture(at requestedAt: UInt64) async throws(CameraError) -> CapturedFrame {
    let settled = try await ready(for: requestedAt)
    let moment = settled == nil ? requestedAt : settings.clock.runningTime
    let exposureTime = Task { await self.exposureTime() }
    let (frame, flash) = try await litFrame(at: moment)
    let age = Double(Int64(requestedAt) - Int64(frame.sample.runningTime)) / 1e9
    return CapturedFrame(
      frame: frame, time: time(of: frame), age: max(0, age), settled: settled, flash: flash,
      exposureTime: await exposureTime.value)
  }

  /// When a frame was captured.
  nonisolated func time(of frame: Frame) -> Timestamp {
    Timestamp.now - Double(settings.clock.age(of: frame.sample.runningTime)) / 1e9
  }

  /// All that is known of a photo before it is encoded.
  func job(_ request: PhotoRequest, _ captured: CapturedFrame) -> PhotoJob {
    let location = settings.locations.forCaptures
    let metadata = PhotoMetadata(
      time: captured.time, width: 0, height: 0, maker: definition.maker, model: definition.model,
      software: settings.library.software, exposureTime: captured.exposureTime,
      flash: captured.flash.map { .used($0, isAutomatic: flashMode == .auto) } ?? PhotoMetadata.Flash.none,
      place: location.map { .location($0) } ?? (settings.locations.geotag ? .unknown : .withheld))
    return PhotoJob(
      request: request, camera: id,
      orientation: (request.rotation ?? definition.rotation).flatMap { Orientation(degrees: $0) },
      metadata: metadata, log: settings.log)
  }

  /// In video mode photos look like the movies; nil for the whole picture.
  var photoPlan: MoviePlan? { mode == .video ? moviePlan : nil }

  /// What the next movie is made like; nil where the source can't be recorded at this quality.
  private var moviePlan: MoviePlan? {
    guard let pictureFormat else { return nil }
    if let plan = recorder?.plan, plan.format.video != nil { return plan }
    do throws(CameraError) {
      return try MoviePlan(recorder?.plan.quality ?? quality, source: pictureFormat, camera: id)
    } catch {
      return nil
    }
  }

  /// Waits until the exposure is steady. Returns the seconds that took, nil where it was steady already.
  func settle() async -> Double? {
    switch exposure {
    case .steady: return nil
    case .settling(let task): return await task.value
    case .unknown:
      let task = measureExposure()
      exposure = .settling(task)
      let seconds = await task.value
      if case .settling(let current) = exposure, current == task { exposure = .steady }
      return seconds
    }
  }

  private func measureExposure() -> Task<Double, Never> {
    let (pictures, id, settings, format) = (pictures, id, settings, pictureFormat)
    return Task {
      let start = settings.clock.runningTime
      if let format {
        do {
          try await ExposureMeter.settle(pictures, source: format, camera: id, clock: settings.clock)
        } catch {
          settings.log(.warning, "the exposure of camera '\(id)' can't be measured: \(error)")
        }
      }
      return Double(settings.clock.age(of: start)) / 1e9
    }
  }

  /// The frame of a moment; where none has come for a while, the next one.
  func frame(at runningTime: UInt64) async throws(CameraError) -> Frame {
    if let newest = tap.progress.newest, settings.clock.age(of: newest) < 1_000_000_000,
      let frame = tap.frame(at: runningTime), frame.sample.isDecodable
    {
      return frame
    }
    // one that is known to be silent is not waited for as long again
    let deadline = status.state == .stalled ? .seconds(1) : Self.frameDeadline
    if let frame = await FrameWaiter.next(from: tap, within: deadline) { return frame }
    throw CameraError(
      .cameraDisconnected, "camera '\(id)' is open but delivers no frames; look at its cable or restart it", camera: id)
  }
}
