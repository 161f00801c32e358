import CameraProtocol
import Foundation
import TestSupport
import Testing
import Varlink

/// Bursts, the self-timer, the one button, and what photos cost a recording.
@Suite struct BurstTests {
  private func steps(_ assets: [Asset]) throws -> [Int] {
    Numbers.steps(try assets.flatMap { try $0.judge().brightness() })
  }

  /// Frames of the camera one after the other, none twice, while a preview and single photos lose nothing.
  @Test func takesConsecutiveFrames() async throws {
    let folder = try TestFolder()
    let film = try Numbers(in: folder, seconds: 30)
    try await withDaemon(.init(camera: film.source), share: .whole) { daemon in
      let client = try daemon.client()
      let events = try daemon.events([.photoSaved])
      let first = try client.photo().asset
      let reader = try PreviewReader(daemon, "preview.mkv", .matroska)
      pass(0.3)
      for count in [1, 7, 20] {
        let reply = try client.call(TakeBurst.self, .init(count: count))
        #expect(reply.assets.count == count)
        #expect(reply.skipped == 0)
        #expect(reply.message == nil && reply.settled == nil && reply.recordingDropped == nil)
        let steps = try steps(reply.assets)
        #expect(steps.allSatisfy { $0 == 1 }, "\(steps)")
        let times = reply.assets.map(\.time)
        let gaps = zip(times, times.dropFirst()).map { $1.timeInterval(since: $0) }
        #expect(gaps.allSatisfy { abs($0 - 1.0 / 30) < 0.01 }, "\(gaps)")
        #expect(Set(reply.assets.map(\.id)).count == count)
      }
      _ = try reader.stop(with: client)
      let preview = Numbers.steps(try MovieJudge(reader.path).brightness(), isLimited: true)
      #expect(preview.count > 25)
      #expect(preview.allSatisfy { $0 == 1 }, "\(preview)")
      var told: [String] = []
      for _ in 0..<29 { told.append(try #require(try events.next(.photoSaved).asset).id) }
      #expect(told.first == first.id)
      #expect(told == told.sorted(), "in the order of their capture")
      #expect(try daemon.files(".jpg").count == 29)
    }
  }

  /// With `more` each photo has an answer of its own, in order.
  @Test func answersPhotoByPhoto() async throws {
    try await withDaemon { daemon in
      let client = try daemon.client()
      try client.send(TakeBurst.self, .init(count: 5, format: .png, rotation: 90, upright: true), more: true)
      var assets: [Asset] = []
      for _ in 0..<5 {
        let reply = try client.next(TakeBurst.self)
        #expect(reply.assets.count == 1)
        assets += reply.assets
      }
      let last = try client.next(TakeBurst.self)
      #expect(last.assets == [] && last.skipped == 0 && last.settled != nil)
      #expect(assets.map(\.id) == assets.map(\.id).sorted())
      for asset in assets {
        #expect(asset.format == .png && asset.size == [360, 640])
        #expect(try asset.judge().size() == [360, 640])
        #expect(try asset.judge().complaints() == "")
      }
    }
  }

  /// A camera's own JPEG, at 60 a second.
  @Test func keepsUpWithACamerasOwnJPEG() async throws {
    let source = "\(Source.video("pattern=ball", 320, 240, rate: "60/1")) ! jpegenc"
    try await withDaemon(.init(camera: source), share: .whole) { daemon in
      let client = try daemon.client()
      try client.photo()
      let reply = try client.call(TakeBurst.self, .init(count: 30))
      #expect(reply.assets.count == 30 && reply.skipped == 0)
      let span = try #require(reply.assets.last).time.timeInterval(since: try #require(reply.assets.first).time)
      #expect(abs(span - 29.0 / 60) < 0.05, "\(span)")
      for asset in reply.assets { #expect(try asset.judge().complaints() == "") }
    }
  }

  @Test func takesFramesOfAnH264Camera() async throws {
    try await withDaemon(.init(camera: Source.h264())) { daemon in
      let client = try daemon.client()
      try client.photo()
      let reply = try client.call(TakeBurst.self, .init(count: 8))
      #expect(reply.assets.count == 8)
      let times = reply.assets.map(\.time)
      #expect(zip(times, times.dropFirst()).allSatisfy { $1.timeInterval(since: $0) > 0.02 })
      for asset in reply.assets { #expect(try asset.judge().size() == [640, 360]) }
    }
  }

  /// Photos of others come in between, and other bursts come after.
  @Test func starvesNobody() async throws {
    try await withDaemon { daemon in
      let (one, two, three) = (try daemon.client(), try daemon.client(), try daemon.client())
      try three.photo()
      try one.send(TakeBurst.self, .init(count: 60))
      try two.send(TakeBurst.self, .init(count: 10))
      let photos = try (0..<3).map { _ in try three.photo().asset }
      let (first, second) = (try one.next(TakeBurst.self), try two.next(TakeBurst.self))
      #expect(first.assets.count == 60 && second.assets.count == 10)
      let all = photos + first.assets + second.assets
      #expect(Set(all.map(\.id)).count == 73)
      // which of the two connections is read first is not said
      let order = [first.assets, second.assets].sorted { $1[0].time.timeInterval(since: $0[0].time) > 0 }
      let gap = try #require(order[1].first).time.timeInterval(since: try #require(order[0].last).time)
      #expect(gap > 0, "one burst at a time")
      let last = try #require(first.assets.last).time
      #expect(photos.allSatisfy { last.timeInterval(since: $0.time) > 0 }, "photos wait for no burst")
    }
  }

  /// Sixteen photos wait for a camera that is slow to come; one more is told so, and the sixteen are taken.
  @Test func aFullQueueSaysSo() async throws {
    let camera = try NetworkCamera.grey { _ in 100 }
    camera.pause(true)
    defer { camera.end() }
    try await withDaemon(.init(camera: camera.source(), microphone: nil)) { daemon in
      let clients = try (0..<17).map { _ in try daemon.client() }
      let events = try daemon.events([.photoFailed])
      for client in clients { try client.send(TakePhoto.self, .init()) }
      try events.next(.photoFailed)
      #expect(try refusal { _ = try daemon.client().call(TakeBurst.self, .init(count: 2)) } == .queueFull)
      camera.pause(false)
      var (photos, refused) = (Set<String>(), 0)
      for client in clients {
        do {
          photos.insert(try client.next(TakePhoto.self).asset.id)
        } catch let error as CameraError where error.kind == .queueFull {
          refused += 1
        }
      }
      #expect(photos.count == 16 && refused == 1)
    }
  }

  @Test func manySelfTimersHoldUpNobody() async throws {
    try await withDaemon { daemon in
      let client = try daemon.client()
      try client.photo()
      let waiting = try (0..<16).map { _ in try daemon.client() }
      let ticks = try daemon.events([.timerTick, .timerCancelled])
      for other in waiting { try other.send(TakePhoto.self, .init(timer: 60)) }
      for _ in 0..<16 { try ticks.next(.timerTick) }
      #expect(try refusal { try client.photo(.init(timer: 5)) } == .queueFull)
      #expect(try refusal { _ = try client.call(TakeBurst.self, .init(count: 2, timer: 5)) } == .queueFull)
      // those who don't wait are served
      try client.photo()
      #expect(try client.call(TakeBurst.self, .init(count: 2)).assets.count == 2)
      #expect(try client.call(CancelPhoto.self, .init()).cancelled == 16)
      for other in waiting { #expect(try refusal { _ = try other.next(TakePhoto.self) } == .cancelled) }
      try client.photo()
    }
  }

  @Test func aBurstCanBeEnded() async throws {
    try await withDaemon { daemon in
      let (client, other) = (try daemon.client(), try daemon.client())
      let events = try daemon.events([.photoSaved])
      try client.send(TakeBurst.self, .init(count: 1000))
      for _ in 0..<3 { try events.next(.photoSaved) }
      #expect(try other.call(CancelPhoto.self, .init()).cancelled == 1)
      let reply = try client.next(TakeBurst.self)
      #expect((3..<500).contains(reply.assets.count))
      #expect(reply.message?.contains("cancelled") == true)
      #expect(try daemon.files(".jpg").count == reply.assets.count)
      #expect(try other.call(CancelPhoto.self, .init()).cancelled == 0)

      // the end of the connection ends it too
      try client.send(TakeBurst.self, .init(count: 1000))
      try events.next(.photoSaved) { event in !reply.assets.contains { $0.id == event.asset?.id } }
      client.connection.close()
      let last = try other.call(TakeBurst.self, .init(count: 1))
      #expect(last.assets.count == 1, "the next one is served at once")
      #expect(try daemon.files(".jpg").count < 900)
    }
  }

  @Test func refusesWhatIsNoBurst() async throws {
    try await withDaemon { daemon in
      let client = try daemon.client()
      for parameters: TakeBurst.Parameters in [
        .init(count: 0), .init(count: 1001), .init(count: 2, quality: 0), .init(count: 2, timer: -1),
        .init(count: 2, timer: 3601),
      ] {
        #expect(throws: (any Error).self) { try client.call(TakeBurst.self, parameters) }
      }
      #expect(try refusal { _ = try client.call(TakeBurst.self, .init(count: 2, rotation: 45)) } == .valueOutOfRange)
      #expect(try daemon.files(".jpg") == [])
    }
  }

  /// A camera that goes away leaves what was taken.
  @Test func keepsWhatALostCameraGave() async throws {
    let source = Source.bars.replacing("is-live=true", with: "is-live=true num-buffers=90")
    try await withDaemon(.init(camera: source)) { daemon in
      let reply = try daemon.client().call(TakeBurst.self, .init(count: 200))
      #expect((10..<90).contains(reply.assets.count))
      #expect(reply.message?.contains("no more frames") == true)
      for asset in reply.assets { #expect(try asset.judge().complaints() == "") }
    }
  }

  // MARK: Self-timer

  @Test func theTimerCountsDown() async throws {
    try await withDaemon { daemon in
      let client = try daemon.client()
      let events = try daemon.events([.timerTick, .photoSaved])
      let other = try daemon.client()
      let start = Timestamp.now
      try client.send(TakePhoto.self, .init(timer: 2.5))
      var ticks: [Double] = []
      for _ in 0..<3 { ticks.append(try #require(try events.next(.timerTick).secondsLeft)) }
      #expect(ticks == [2.5, 2, 1])
      #expect(try other.camera().state == .warm, "it is open a second before it is needed")
      let photo = try client.next(TakePhoto.self)
      // a loaded machine may be late, never early
      let delay = photo.asset.time.timeInterval(since: start)
      #expect(delay > 2.4 && delay < 4, "\(delay)")
      #expect(photo.settled == nil, "it was at rest in time")
      try events.next(.photoSaved)

      let burst = try client.call(TakeBurst.self, .init(count: 3, timer: 1))
      #expect(burst.assets.count == 3)
      #expect(try events.next(.timerTick).secondsLeft == 1)
    }
  }

  @Test func theTimerIsCancelled() async throws {
    try await withDaemon { daemon in
      let (client, other) = (try daemon.client(), try daemon.client())
      let events = try daemon.events([.timerTick, .timerCancelled, .photoSaved, .photoFailed])
      try client.send(TakePhoto.self, .init(timer: 30))
      try events.next(.timerTick)
      #expect(try other.call(CancelPhoto.self, .init()).cancelled == 1)
      #expect(try refusal { _ = try client.next(TakePhoto.self) } == .cancelled)
      try events.next(.timerCancelled)

      try client.send(TakeBurst.self, .init(count: 4, timer: 30))
      try events.next(.timerTick)
      client.connection.close()
      try events.next(.timerCancelled)

      // one that ends with the daemon
      let last = try daemon.client()
      try last.send(TakePhoto.self, .init(timer: 30))
      try events.next(.timerTick)
      daemon.process.send(SIGTERM)
      try events.next(.timerCancelled)
      #expect(!events.history.contains { $0.kind == .photoSaved || $0.kind == .photoFailed })
      #expect(try daemon.files(".jpg") == [])
    }
  }

  // MARK: Recordings and the one button

  /// Each frame of the film is in the movie, though photos were taken all the time.
  @Test func photosCostARecordingNothing() async throws {
    let folder = try TestFolder()
    let film = try Numbers(in: folder, seconds: 30)
    try await withDaemon(.init(camera: film.source), share: .whole) { daemon in
      let client = try daemon.client()
      try client.start(.high)
      #expect(try client.photo().recordingDropped == 0)
      let burst = try client.call(TakeBurst.self, .init(count: 20))
      #expect(burst.assets.count == 20 && burst.recordingDropped == 0)
      for _ in 0..<5 { #expect(try client.photo().recordingDropped == 0) }
      let result = try client.stop()
      #expect(result.droppedFrames == 0)
      let steps = Numbers.steps(try result.judge().brightness())
      #expect(steps.count > 20)
      #expect(steps.allSatisfy { $0 == 1 }, "\(steps)")
      #expect(try client.photo().recordingDropped == nil)
    }
  }

  @Test func theOneButton() async throws {
    try await withDaemon { daemon in
      let client = try daemon.client()
      let photo = try client.call(Shutter.self, .init())
      #expect(photo.action == .photoTaken)
      #expect(try #require(photo.asset).judge().size() == [640, 360])
      try client.setMode(.video)
      let started = try client.call(Shutter.self, .init())
      #expect(started.action == .recordingStarted && started.recording?.maxDuration == 600)
      pass(0.6)
      let stopped = try client.call(Shutter.self, .init())
      #expect(stopped.action == .recordingStopped)
      try expectPlayable(try #require(stopped.finished))
      // presses at once are start, stop, start, stop
      let others = try (0..<4).map { _ in try daemon.client() }
      for other in others { try other.send(Shutter.self, .init()) }
      let actions = try others.map { try $0.next(Shutter.self).action }
      #expect(actions.filter { $0 == .recordingStarted }.count == 2, "\(actions)")
      #expect(actions.filter { $0 == .recordingStopped }.count == 2, "\(actions)")
      #expect(try client.camera().recording == nil)
    }
  }
}
