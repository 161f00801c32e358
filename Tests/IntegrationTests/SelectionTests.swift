import CameraProtocol
import Foundation
import TestSupport
import Testing

/// Choosing among several cameras and microphones, also while they are at work.
@Suite struct SelectionTests {
  private static let dark = Source.video("pattern=black", 640, 360)
  private static let bright = Source.video("pattern=white", 1280, 720)
  /// The first is the rear one.
  private static let both: TestDaemon.Setup = {
    var setup = TestDaemon.Setup(camera: dark)
    setup.cameras.append(("bright", bright))
    return setup
  }()

  @Test func camerasAreMeantByIdAndPosition() async throws {
    try await withDaemon(Self.both) { daemon in
      let client = try daemon.client()
      let cameras = try client.call(ListCameras.self, CameraSelection()).cameras
      #expect(cameras.map(\.id) == ["main", "bright"])
      #expect(cameras.map(\.selected) == [true, false])
      #expect(cameras.map(\.state) == [.free, .free])
      #expect(try client.photo(.init(camera: "external")).asset.camera == "bright")
      #expect(try client.photo(.init(camera: "rear")).asset.camera == "main")
      #expect(try client.photo().asset.camera == "main")
      for wanted in ["front", "nonsense"] {
        #expect(try refusal { try client.select(wanted) } == .noSuchCamera)
      }
      #expect(try client.photo().asset.camera == "main")
      #expect(try client.select("external").camera == "bright")
      #expect(try client.photo().asset.camera == "bright")
      #expect(try client.status().cameras.map(\.selected) == [false, true])
      #expect(try client.call(ListCameras.self, .init(camera: "bright")).cameras.map(\.id) == ["bright"])
      #expect(try client.call(GetStatus.self, .init(camera: "rear")).status.cameras.map(\.id) == ["main"])
    }
  }

  /// The viewer sees the other camera in the size that its stream has, and misses little.
  @Test(arguments: [PreviewFormat.matroska, .mjpeg])
  func aPreviewFollowsTheSelection(format: PreviewFormat) async throws {
    try await withDaemon(Self.both, share: .half) { daemon in
      let client = try daemon.client()
      let events = try daemon.events([.cameraSelected])
      let reader = try PreviewReader(daemon, "preview.mkv", format)
      let stays = try PreviewReader(daemon, "stays.mkv", .matroska, camera: "main")
      pass(0.5)
      try client.select("bright")
      #expect(try events.next(.cameraSelected).camera == "bright")
      #expect(try client.status().cameras.map(\.viewers) == [1, 1])
      pass(0.5)
      let reply = try reader.stop(with: client)
      _ = try stays.stop(with: client)
      #expect(reply.droppedFrames == 0)
      let judge = MovieJudge(reader.path)
      #expect(try judge.complaints() == "")
      #expect(try judge.size() == [640, 360])
      let levels = try judge.brightness()
      let change = try #require(levels.firstIndex { $0 > 128 })
      #expect(change > 5 && change < levels.count - 5)
      #expect(levels[..<change].allSatisfy { $0 < 40 })
      #expect(levels[change...].allSatisfy { $0 > 200 })
      #expect(try MovieJudge(stays.path).brightness().allSatisfy { $0 < 40 })
      if format == .matroska { #expect(try judge.largestGap() < 0.3) }
      #expect(try client.status().cameras.map(\.viewers) == [0, 0])
    }
  }

  @Test func aRecordingIsFinishedFirst() async throws {
    try await withDaemon(Self.both) { daemon in
      let client = try daemon.client()
      try client.start()
      pass(1)
      let finished = try #require(try client.select("bright").finished)
      #expect(finished.reason == .cameraChanged)
      #expect(finished.frames > 20 && finished.droppedFrames == 0)
      try expectPlayable(finished)
      #expect(try client.camera("bright").mode == .video)
      #expect(try client.select("bright").finished == nil)
      let next = try client.record(0.7)
      #expect(next.asset?.camera == "bright")
      try expectPlayable(next)
    }
  }

  /// A camera that can't be opened is not selected, and what runs goes on.
  @Test func aFailedSelectionChangesNothing() async throws {
    var setup = TestDaemon.Setup(camera: Self.dark)
    setup.cameras.append(("broken", "filesrc location=/nonexistent ! jpegdec"))
    try await withDaemon(setup, share: .half) { daemon in
      let client = try daemon.client()
      let reader = try PreviewReader(daemon, "preview.mkv", .matroska)
      try client.start()
      pass(0.5)
      #expect(try refusal { try client.select("broken") } != nil)
      #expect(try client.status().cameras.map(\.selected) == [true, false])
      pass(0.5)
      let result = try client.stop()
      #expect(result.droppedFrames == 0)
      try expectPlayable(result)
      #expect(result.asset?.camera == "main")
      let reply = try reader.stop(with: client)
      #expect(reply.frames > 25 && reply.droppedFrames == 0)
      #expect(try MovieJudge(reader.path).largestGap() < 0.15)
    }
  }

  /// Two at work, and a third that fails.
  @Test func oneCameraDoesNotTouchAnother() async throws {
    var setup = Self.both
    setup.cameras.append(("brief", Source.bars.replacing("is-live=true", with: "is-live=true num-buffers=45")))
    try await withDaemon(setup, share: .half) { daemon in
      let client = try daemon.client()
      let events = try daemon.events([.cameraDisconnected, .recordingFinished])
      for camera in ["main", "bright", "brief"] { try client.start(.low, camera: camera) }
      let lost = try #require(try events.next(.recordingFinished).result)
      #expect(lost.reason == .cameraLost && lost.asset?.camera == "brief")
      try expectPlayable(lost)
      try client.photo(.init(camera: "bright"))
      pass(0.5)
      for camera in ["main", "bright"] {
        let result = try client.stop(camera: camera)
        #expect(result.reason == .stopped && result.droppedFrames == 0)
        #expect(result.asset?.camera == camera)
        try expectPlayable(result)
      }
    }
  }

  /// The movie that runs gets the new microphone's sound.
  @Test func microphonesChangeInTheMiddle() async throws {
    var setup = TestDaemon.Setup(microphone: Source.silence)
    setup.microphones.append(("tone", Source.tone))
    try await withDaemon(setup) { daemon in
      let client = try daemon.client()
      #expect(try client.call(ListMicrophones.self, Nothing()).microphones.map(\.selected) == [true, false])
      #expect(try refusal { try client.call(SelectMicrophone.self, .init(microphone: "x")) } == .noSuchMicrophone)
      try client.start()
      pass(1)
      #expect(try client.call(SelectMicrophone.self, .init(microphone: "tone")).microphone == "tone")
      let microphones = try client.status().microphones
      #expect(microphones.map(\.selected) == [false, true])
      #expect(microphones.map(\.cameras) == [[], ["main"]])
      #expect(microphones.map(\.state) == [.free, .inUse])
      pass(1.2)
      let result = try client.stop()
      try expectPlayable(result)
      let judge = try result.judge()
      try expectEqualExtent(judge)
      let samples = try #require(try judge.sound().first)
      let rate = 48_000
      func loudness(_ range: Range<Int>) -> Float { samples[range].reduce(0) { max($0, abs($1)) } }
      #expect(samples.count > 2 * rate)
      #expect(loudness(0..<rate / 2) < 0.01)
      #expect(loudness(samples.count - rate / 2..<samples.count) > 0.3)
    }
  }

  @Test func statusTellsWhoUsesWhat() async throws {
    try await withDaemon { daemon in
      let client = try daemon.client()
      #expect(try client.camera().consumers == [])
      let reader = try PreviewReader(daemon, "preview.mkv", .matroska)
      try client.start()
      let consumers = try client.camera().consumers
      #expect(consumers.map(\.use) == [.preview, .recording])
      for consumer in consumers {
        #expect(consumer.process == Int(getpid()))
        #expect(consumer.user == NSUserName())
        let name = try String(contentsOfFile: "/proc/self/comm", encoding: .utf8)
        #expect(consumer.program == name.trimmingCharacters(in: .newlines))
      }
      _ = try client.stop()
      _ = try reader.stop(with: client)
      #expect(try client.camera().consumers == [])
    }
  }

  @Test func availabilityHasReasons() async throws {
    try await withDaemon(Self.both) { daemon in
      let client = try daemon.client()
      func ask(_ camera: String? = nil) throws -> GetAvailability.Reply {
        try client.call(GetAvailability.self, .init(camera: camera))
      }
      let empty = try ask()
      #expect(empty.id == "main" && empty.camera.available && !empty.flash)
      #expect(empty.camera.modes == CaptureMode.allCases && empty.camera.mediaTypes == MediaType.allCases)
      #expect(empty.album.reason == .empty)
      let front = try ask("front")
      #expect(front.id == nil && front.camera.reason == .absent && front.camera.message != nil)
      try client.photo()
      #expect(try ask().album.mediaTypes == [.image])
      _ = try client.record(0.5)
      #expect(try ask().album.mediaTypes == [.image, .movie])
      #expect(try ask("external").id == "bright")
    }
  }
}
