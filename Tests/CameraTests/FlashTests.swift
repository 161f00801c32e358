import CameraProtocol
import Foundation
import GStreamer
import MediaLibrary
import Synchronization
import TestSupport
import Testing

@testable import Camera

/// A session on a real source, with a light that isn't.
@Suite(.timeLimit(.minutes(1))) struct FlashTests {
  /// A session and what is seen of it.
  private final class Bench: Sendable {
    let clock = SystemClock()
    let light: FakeLight
    let session: CameraSession
    let frames = FrameTimes()
    private let seen: EventLog
    private let folder: String

    init(
      _ picture: String, threshold: Double = FlashDefinition.defaultThreshold, idle: Duration = .seconds(30),
      rate: Int = 30
    ) throws {
      try GStreamer.initialize()
      folder = FileManager.default.temporaryDirectory.appending(path: "flash-\(UUID().uuidString)").path
      let (light, seen) = (FakeLight(clock), EventLog())
      (self.light, self.seen) = (light, seen)
      let settings = SessionSettings(
        library: MediaLibrary(root: folder, software: "test"), clock: clock, idleTimeout: idle, light: { _ in light },
        emit: { event in seen.add(event) }, log: { _, _ in })
      let source =
        "videotestsrc is-live=true \(picture) ! video/x-raw,format=I420,width=320,height=180,framerate=\(rate)/1"
      // the folder's path only has to exist
      session = CameraSession(
        CameraDefinition(
          id: "c", name: "c", position: nil, source: DeviceSource(launch: source),
          flash: FlashDefinition(path: "/", threshold: threshold)),
        microphone: nil, settings: settings)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    var events: [Event] { seen.all }

    /// A photo that is thrown away.
    @discardableResult
    func photo() async throws -> TakenPhoto<Bool> {
      try await session.takePhoto(PhotoRequest(quality: 50), requestedAt: clock.runningTime) { _ in true }
    }

    /// The frame of a photo taken now, as the session would take it.
    func frame() async throws -> (time: UInt64, flash: Bool?) {
      let (frame, flash) = try await session.litFrame(at: clock.runningTime)
      return (frame.sample.runningTime, flash)
    }
  }

  /// The running times of all frames.
  private final class FrameTimes: FrameConsumer {
    private let times = Mutex<[UInt64]>([])
    func consume(_ frame: borrowing Sample) {
      let time = frame.runningTime
      times.withLock { $0.append(time) }
    }
    /// The first frame captured at or after a moment.
    func first(since moment: UInt64) -> UInt64? { times.withLock { $0.first { $0 >= moment } } }
  }

  private final class EventLog: Sendable {
    private let events = Mutex<[Event]>([])
    func add(_ event: Event) { events.withLock { $0.append(event) } }
    var all: [Event] { events.withLock { $0 } }
  }

  // MARK: Photos

  @Test func aFlashPhotoIsTheFirstFrameAfterTheLight() async throws {
    let bench = try Bench("pattern=white")
    try await bench.session.setFlash(.on)
    try await bench.photo()
    bench.session.tap.add(bench.frames)
    // some frames pass before the light is on
    bench.light.setDelay(0.1)
    for number in 1...5 {
      let (time, flash) = try await bench.frame()
      let changes = bench.light.changes
      #expect(flash == true)
      #expect(changes.count == 2 * (number + 1))
      let (on, off) = (changes[2 * number], changes[2 * number + 1])
      #expect(on.lighting == .flash && off.lighting == .off)
      #expect(time == bench.frames.first(since: on.time))
      #expect(time <= off.time)
    }
    try await bench.session.shutDown()
    #expect(bench.light.lightings.last == .off)
  }

  @Test func autoLightsADarkScene() async throws {
    let bench = try Bench("pattern=black")
    let taken = try await bench.photo()
    #expect(taken.flash == true)
    #expect(bench.light.lightings == [.flash, .off])
    try await bench.session.setFlash(.off)
    #expect(try await bench.photo().flash == false)
    #expect(bench.light.lightings == [.flash, .off])
    try await bench.session.shutDown()
  }

  @Test func autoLeavesABrightSceneAndItsMoment() async throws {
    // slowly, so that a frame is no matter of how much else the machine does
    let bench = try Bench("pattern=white", rate: 4)
    try await bench.photo()
    let before = bench.session.tap.progress.newest ?? .max
    let (time, flash) = try await bench.frame()
    #expect(flash == false)
    // what was there when it was asked for, at most two frames on
    #expect(time >= before && time < before + 550_000_000)
    #expect(bench.light.lightings == [])
    try await bench.session.shutDown()
  }

  /// A grey of 96; the threshold is what decides.
  @Test(arguments: [(110.0, true), (80, false), (0, false), (255, true)])
  func theThresholdDecides(threshold: Double, fires: Bool) async throws {
    let bench = try Bench("pattern=solid-color foreground-color=0xff606060", threshold: threshold)
    #expect(try await bench.photo().flash == fires)
    try await bench.session.shutDown()
  }

  @Test func eachOfManyPhotosHasItsOwnLight() async throws {
    let bench = try Bench("pattern=black")
    try await bench.photo()
    try await withThrowingTaskGroup(of: Bool?.self) { group in
      for _ in 1...4 { group.addTask { try await bench.photo().flash } }
      for try await flash in group { #expect(flash == true) }
    }
    #expect(bench.light.lightings == (1...5).flatMap { _ in [Lighting.flash, .off] })
    try await bench.session.shutDown()
  }

  @Test func theLightIsOffWhateverBecomesOfThePhoto() async throws {
    let bench = try Bench("pattern=black")
    await #expect(throws: CameraError.self) {
      try await bench.session.takePhoto(PhotoRequest(), requestedAt: bench.clock.runningTime) { _ throws(CameraError) in
        throw CameraError(.diskFull, "full")
      }
    }
    #expect(bench.light.lightings == [.flash, .off])
    try await bench.session.shutDown()

    let ending = try Bench("num-buffers=40 pattern=white")
    try await ending.session.setFlash(.on)
    try await ending.photo()
    // the source ends, and a photo is still on its way
    await #expect(throws: CameraError.self) {
      while true { _ = try await ending.frame() }
    }
    #expect(ending.light.lightings.count % 2 == 0)
    #expect(ending.light.lightings.suffix(2) == [.flash, .off])
    try await ending.session.shutDown()
  }

  @Test func aLightThatFailsIsToldAndThePhotoTakenAllTheSame() async throws {
    let bench = try Bench("pattern=black")
    bench.light.setBroken(true)
    #expect(try await bench.photo().flash == false)
    let messages = bench.events.filter { $0.kind == .warning }.compactMap(\.message)
    #expect(messages.contains("the light of camera 'c' can't be turned on: burnt out"), "\(messages)")
    bench.light.setBroken(false)
    #expect(try await bench.photo().flash == true)
    #expect(bench.light.lightings.last == .off)
    try await bench.session.shutDown()
  }

  // MARK: Torch

  @Test func theTorchFollowsAtOnceInVideoMode() async throws {
    let bench = try Bench("pattern=white")
    try await bench.session.setFlash(.on)
    #expect(bench.light.lightings == [])
    _ = try await bench.session.setMode(.video)
    #expect(bench.light.lightings == [])
    // cold: opened for it
    try await bench.session.setFlash(.on)
    #expect(bench.light.lightings == [.torch])
    #expect(bench.session.status.torch)
    #expect(bench.session.status.flash == .on)
    // a photo has the light that is there
    #expect(try await bench.photo().flash == true)
    for _ in 1...3 {
      try await bench.session.setFlash(.off)
      #expect(!bench.session.status.torch)
      try await bench.session.setFlash(.on)
      #expect(bench.session.status.torch)
    }
    #expect(bench.light.lightings == [.torch] + (1...3).flatMap { _ in [Lighting.off, .torch] })
    _ = try await bench.session.setMode(.photo)
    #expect(bench.light.lightings.last == .off)
    _ = try await bench.session.setMode(.video)
    #expect(bench.light.lightings.last == .torch)
    try await bench.session.shutDown()
    #expect(bench.light.lightings.last == .off)
    #expect(!bench.session.status.torch)
    let modes = bench.events.filter { $0.kind == .flashChanged }.compactMap(\.flash)
    #expect(modes == [.on, .off, .on, .off, .on, .off, .on])
  }

  @Test(arguments: [("black", [Lighting.torch, .off]), ("white", [])])
  func autoDecidesWhenARecordingStarts(pattern: String, expected: [Lighting]) async throws {
    let bench = try Bench("pattern=\(pattern)")
    _ = try await bench.session.startRecording(RecordingRequest(maxDuration: nil, audio: false))
    #expect(bench.session.status.torch == !expected.isEmpty)
    let result = try await bench.session.stopRecording()
    #expect(result.reason == .stopped)
    #expect(bench.light.lightings == expected)
    #expect(!bench.session.status.torch)
    try await bench.session.shutDown()
  }

  @Test func autoDuringARecordingDecidesWithoutTheLight() async throws {
    let bench = try Bench("pattern=black")
    try await bench.session.setFlash(.on)
    _ = try await bench.session.startRecording(RecordingRequest(maxDuration: nil, audio: false))
    try await bench.session.setFlash(.auto)
    #expect(bench.light.lightings == [.torch, .off, .torch])
    _ = try await bench.session.cancelRecording()
    #expect(bench.light.lightings.last == .off)
    try await bench.session.shutDown()
  }

  @Test func theTorchGoesWithTheCamera() async throws {
    let idle = try Bench("pattern=white", idle: .milliseconds(200))
    _ = try await idle.session.setMode(.video)
    try await idle.session.setFlash(.on)
    for await lighting in idle.light.done where lighting == .off { break }
    #expect(idle.light.lightings == [.torch, .off])

    let ending = try Bench("num-buffers=30 pattern=white")
    _ = try await ending.session.setMode(.video)
    try await ending.session.setFlash(.on)
    _ = try await ending.session.startRecording(RecordingRequest(maxDuration: nil, audio: false))
    for await lighting in ending.light.done where lighting == .off { break }
    #expect(ending.light.lightings == [.torch, .off])
    for bench in [idle, ending] { try await bench.session.shutDown() }
  }

  @Test func afterTheEndNothingLights() async throws {
    let bench = try Bench("pattern=black")
    _ = try await bench.session.setMode(.video)
    try await bench.session.setFlash(.on)
    try await bench.session.shutDown()
    await #expect(throws: CameraError.self) { try await bench.session.setFlash(.on) }
    #expect(bench.light.lightings == [.torch, .off])
  }

  @Test func aTorchThatFailsIsAnError() async throws {
    let bench = try Bench("pattern=white")
    _ = try await bench.session.setMode(.video)
    bench.light.setBroken(true)
    let error = try await refusal(CameraError.self) { try await bench.session.setFlash(.on) }
    #expect(error.detail.message == "the light of camera 'c' can't be turned on: burnt out")
    #expect(!bench.session.status.torch)
    bench.light.setBroken(false)
    try await bench.session.shutDown()
    #expect(bench.light.lightings.last == .off)
  }

  @Test func withoutALightTheFlashIsNotSupported() async throws {
    try GStreamer.initialize()
    let settings = SessionSettings(
      library: MediaLibrary(root: "/nowhere", software: "test"), clock: SystemClock(), emit: { _ in }, log: { _, _ in })
    let none = CameraSession(.synthetic, microphone: nil, settings: settings)
    let error = try await refusal(CameraError.self) { try await none.setFlash(.off) }
    #expect(error.kind == .notSupported)
    #expect(error.detail.message.contains("Flash= in section [Camera synthetic] of camd.conf"))
    #expect(none.status.flash == nil)

    var definition = CameraDefinition.synthetic
    definition.flash = FlashDefinition(path: "/nowhere/led", origin: "camd.conf:7")
    let gone = CameraSession(definition, microphone: nil, settings: settings)
    let missing = try await refusal(CameraError.self) { try await gone.setFlash(.on) }
    #expect(missing.kind == .notSupported)
    #expect(missing.detail.message == "the light of camera 'synthetic' is not there: /nowhere/led (camd.conf:7)")
  }
}
