public import CameraProtocol
import GStreamer
import Glibc

/// A burst that was taken.
public struct TakenBurst<Result: Sendable>: Sendable {
  /// What the taker made of the photos, in the order of their capture.
  public var results: [Result]
  /// Frames among them that could not be taken.
  public var skipped: Int
  /// Seconds that a cold camera was given to come to rest; nil where it was warm.
  public var settled: Double?
  /// Whether the light was on; nil where there is none.
  public var flash: Bool?
  /// Frames that a recording had to drop meanwhile; nil where none ran.
  public var recordingDropped: Int?
  /// Why there are fewer than were asked for.
  public var error: CameraError?
}

/// Photos of frames that follow each other.
extension CameraSession {
  /// Photos that a burst may have.
  public static let longestBurst = 1000

  /// Takes the first `count` frames captured from the moment `requestedAt` on, or so many seconds of a self-timer later.
  /// They are encoded side by side, and `save` makes something of each, on several threads; `tell` is called for each
  /// in the order of their capture, with the frames left out so far. One burst at a time; single photos don't wait for
  /// it. It ends where the caller's task is cancelled. Throws where not one photo was taken: `cancelled`, or why.
  public func takeBurst<Result: Sendable>(
    _ request: PhotoRequest, count: Int, requestedAt: UInt64, timer: Double = 0,
    save: @escaping @Sendable (PhotoSet) throws(CameraError) -> Result,
    tell: @escaping @Sendable (Result, _ skipped: Int) -> Void
  ) async throws(CameraError) -> TakenBurst<Result> {
    let cancellation = Cancellation()
    return try await shielded(onCancel: { cancellation.cancel() }) { () throws(CameraError) in
      try await self.burst(request, count, requestedAt, timer, cancellation, save, tell)
    }
  }

  private func burst<Result: Sendable>(
    _ request: PhotoRequest, _ count: Int, _ requestedAt: UInt64, _ timer: Double, _ cancellation: Cancellation,
    _ save: @escaping @Sendable (PhotoSet) throws(CameraError) -> Result,
    _ tell: @escaping @Sendable (Result, Int) -> Void
  ) async throws(CameraError) -> TakenBurst<Result> {
    var moment = try await countDown(timer, from: requestedAt, cancellation)
    try enterPhotoQueue()
    cancellations.append(cancellation)
    defer {
      cancellations.removeAll { $0 === cancellation }
      leavePhotoQueue()
    }
    await bursts.enter()
    defer { bursts.leave() }
    let mark = recordingMark
    let settled = try await ready(for: moment)
    if settled != nil { moment = settings.clock.runningTime }
    guard !cancellation.isCancelled else { throw Self.cancelled(id) }
    let exposureTime = Task { await self.exposureTime() }
    let light = try await lightForBurst(at: moment)
    defer { light?.gate.leave() }
    let collector = BurstCollector(count, since: light?.since ?? moment, camera: id)
    let results = BurstResults(tell)
    let watcher = Task { [id] in
      await cancellation.waitForIt()
      if cancellation.isCancelled { collector.end(Self.cancelled(id)) }
    }
    pictures.add(collector)
    let plan = photoPlan
    let facts = CapturedFrame.Facts(flash: light?.isLit ?? flash?.lamp.isOn, exposureTime: await exposureTime.value)
    await withTaskGroup(of: Void.self) { group in
      for encoder in readyBurstEncoders {
        group.addTask { await self.encode(collector, with: encoder, plan, request, facts, results, save) }
      }
      await superviseCollection(collector)
      pictures.remove(collector)
      await lightOff(light)
    }
    watcher.cancel()
    let outcome = collector.outcome
    let taken = await results.complete(skipped: outcome.skipped)
    warnAboutSkipped(outcome.skipped)
    if taken.isEmpty, let error = outcome.error { throw error }
    return TakenBurst(
      results: taken, skipped: outcome.skipped, settled: settled, flash: facts.flash,
      recordingDropped: framesDropped(since: mark), error: outcome.error)
  }

  /// As many as can compute at once, and one, since some of them write to the disk meanwhile.
  private var readyBurstEncoders: [PhotoEncoder] {
    if burstEncoders.isEmpty {
      let processors = Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
      burstEncoders = (0..<min(max(processors, 1), 4) + 1).map { _ in PhotoEncoder(camera: id, clock: settings.clock) }
    }
    return burstEncoders
  }

  /// Encodes and saves frames until there are no more.
  private nonisolated func encode<Result: Sendable>(
    _ collector: BurstCollector, with encoder: PhotoEncoder, _ plan: MoviePlan?, _ request: PhotoRequest,
    _ facts: CapturedFrame.Facts, _ results: BurstResults<Result>,
    _ save: @escaping @Sendable (PhotoSet) throws(CameraError) -> Result
  ) async {
    while let item = await collector.next() {
      let captured = CapturedFrame(
        frame: item.frame, time: time(of: item.frame), age: 0, flash: facts.flash, exposureTime: facts.exposureTime)
      do throws(CameraError) {
        let result = try await encoder.take(item.frame, plan: plan, await job(request, captured), save)
        await results.add(result, at: item.index, skipped: collector.outcome.skipped)
      } catch {
        collector.end(error)
      }
    }
  }

  /// Waits until all frames are there, and ends the burst where none come any more.
  private func superviseCollection(_ collector: BurstCollector) async {
    var seen = 0
    while await collector.collected.value(within: Self.frameDeadline) == nil {
      let outcome = collector.outcome
      if outcome.taken + outcome.skipped == seen {
        collector.end(
          CameraError(
            .cameraDisconnected, "camera '\(id)' delivers no more frames; look at its cable or restart it", camera: id))
      }
      seen = outcome.taken + outcome.skipped
    }
  }

  private func warnAboutSkipped(_ count: Int) {
    guard count > 0 else { return }
    warn(
      "the burst of camera '\(id)' left out \(count == 1 ? "a frame" : "\(count) frames"): "
        + "encoding and saving was too slow for them")
  }

  // MARK: Light

  /// The light of a burst, which no photo takes away.
  private struct BurstLight {
    var gate: SerialGate
    var lamp: Lamp
    var isLit: Bool
    var isAsked = false
    /// Running time from which frames are lit, or dark.
    var since: UInt64
  }

  /// Turns the light on where the burst is to have it; nil where no light is to be minded.
  private func lightForBurst(at moment: UInt64) async throws(CameraError) -> BurstLight? {
    guard let flash, mode == .photo, flashMode != .off else { return nil }
    await flash.photos.enter()
    var light = BurstLight(gate: flash.photos, lamp: flash.lamp, isLit: false, since: moment)
    do throws(CameraError) {
      if flashMode == .auto {
        let frame = try await unlitFrame(at: moment, flash)
        guard await isDark(frame, flash) else { return light }
      }
    } catch {
      flash.photos.leave()
      throw error
    }
    light.isAsked = true
    do throws(CameraError) {
      try await flash.lamp.turnOn(for: .photo) {}
      light.isLit = true
    } catch {
      // dark photos are better than none
      warn(error)
    }
    light.since = settings.clock.runningTime
    return light
  }

  private func lightOff(_ light: BurstLight?) async {
    guard let light, light.isAsked else { return }
    do throws(CameraError) {
      try await light.lamp.turnOff(for: .photo)
    } catch {
      warn(error)
    }
  }
}

extension CapturedFrame {
  /// What all frames of a burst have in common.
  struct Facts: Sendable {
    var flash: Bool?
    var exposureTime: Double?
  }
}
