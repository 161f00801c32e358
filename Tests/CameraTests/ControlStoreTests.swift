import CameraProtocol
import Foundation
import GStreamer
import MediaLibrary
import Synchronization
import TestSupport
import Testing

@testable import Camera

/// Values that are set again when the camera is opened, and when the daemon is started.
@Suite final class ControlStoreTests: Sendable {
  private let folder = NSTemporaryDirectory() + "controls-\(UUID().uuidString)"
  private let messages = Mutex<[String]>([])

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private var path: String { "\(folder)/state/controls.json" }

  private func store(_ path: String? = nil) -> ControlStore {
    ControlStore(path: path ?? self.path) { _, message in
      let text = message()
      messages.withLock { $0.append(text) }
    }
  }

  private func controls(_ store: ControlStore, _ camera: String = "c") -> CameraControls {
    CameraControls(camera: camera, store: store)
  }

  private func restore(_ controls: CameraControls, _ device: FakeControlDevice) async -> [String] {
    let warnings = Promise<String>()
    await controls.restore(device) { warnings.fulfil($0) }
    return warnings.current.map { [$0] } ?? []
  }

  @Test func whatIsPersistedComesBackWithTheNextDaemon() async throws {
    let first = controls(store())
    let device = FakeControlDevice()
    _ = try await first.set(
      [ControlValue(name: "exposureMode", entry: "manual"), ControlValue(name: "exposureTime", value: 0.02)],
      persist: true, on: device)
    _ = try await first.set([ControlValue(name: "brightness", value: 30)], persist: false, on: device)

    let fresh = FakeControlDevice()
    let next = controls(store())
    #expect(await restore(next, fresh) == [])
    #expect(fresh.values["exposureTime"] == 200)
    #expect(fresh.values["exposureMode"] == 1)
    #expect(fresh.values["brightness"] == 10)
    // what is right already is left alone
    #expect(await restore(next, fresh) == [])
    #expect(fresh.state.withLock { $0.calls }.count == 1)
    // another camera is another matter
    let other = FakeControlDevice()
    #expect(await restore(controls(store(), "d"), other) == [])
    #expect(other.values["exposureMode"] == 3)
  }

  @Test func whatIsNotPersistedLastsAsLongAsTheDaemon() async throws {
    let store = store()
    _ = try await controls(store).set(
      [ControlValue(name: "brightness", value: 30)], persist: false, on: FakeControlDevice())
    #expect(!FileManager.default.fileExists(atPath: path))
    let replugged = FakeControlDevice()
    #expect(await restore(controls(store), replugged) == [])
    #expect(replugged.values["brightness"] == 30)
  }

  @Test func aResetForgets() async throws {
    let device = FakeControlDevice()
    let first = controls(store())
    _ = try await first.set(
      [ControlValue(name: "brightness", value: 30), ControlValue(name: "autoFocus", entry: "off")], persist: true,
      on: device)
    _ = try await first.reset(["brightness"], on: device)
    #expect(store().wanted("c") == ["autoFocus": 0])
    _ = try await first.reset(nil, on: device)
    #expect(store().wanted("c") == [:])
    #expect(try String(contentsOfFile: path, encoding: .utf8).filter { !$0.isWhitespace } == "{}")
  }

  @Test func oneValueThatDoesNotSuitLeavesTheOthers() async throws {
    _ = try await controls(store()).set(
      [ControlValue(name: "brightness", value: 30), ControlValue(name: "autoFocus", entry: "off")], persist: true,
      on: FakeControlDevice())
    let changed = FakeControlDevice()
    changed.state.withLock { $0.stubborn = "autoFocus" }
    let warnings = await restore(controls(store()), changed)
    #expect(changed.values["brightness"] == 30)
    #expect(warnings.count == 1)
    #expect(warnings.first?.contains("'autoFocus'") == true)
  }

  @Test func aCameraThatIsGoneSaysSoElsewhere() async throws {
    let controls = controls(store())
    let device = FakeControlDevice()
    _ = try await controls.set([ControlValue(name: "brightness", value: 30)], persist: false, on: device)
    device.state.withLock { $0.failure = CameraError(.cameraDisconnected, "gone") }
    #expect(await restore(controls, device) == [])
    device.state.withLock { $0.failure = CameraError(.cameraFailed, "broken") }
    #expect(await restore(controls, device).count == 1)
  }

  @Test func aFileThatIsNoneIsToldAndReplaced() async throws {
    try FileManager.default.createDirectory(atPath: "\(folder)/state", withIntermediateDirectories: true)
    try "{\"c\":{\"brightness\":".write(toFile: path, atomically: false, encoding: .utf8)
    let store = store()
    #expect(messages.withLock { $0.count } == 1)
    #expect(messages.withLock { $0.first }?.contains(path) == true)
    _ = try await controls(store).set(
      [ControlValue(name: "brightness", value: 30)], persist: true, on: FakeControlDevice())
    #expect(self.store().wanted("c") == ["brightness": 30])
    #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder)/state") == ["controls.json"])
  }

  @Test(arguments: ["/proc/camd/controls.json", "/dev/null/controls.json"])
  func aFileThatCanNotBeIsAnError(path: String) async throws {
    let device = FakeControlDevice()
    let store = store(path)
    do {
      _ = try await controls(store).set([ControlValue(name: "brightness", value: 30)], persist: true, on: device)
      Issue.record("it was kept")
    } catch {
      #expect(error.kind == .libraryUnavailable)
      #expect(error.detail.path == path)
      #expect(error.detail.message.contains("are set, but"))
    }
    #expect(device.values["brightness"] == 30)
  }

  /// A session sets them before its camera is opened, and takes its photo whatever comes of it.
  @Test func aSessionSetsThemWhenItIsOpened() async throws {
    try GStreamer.initialize()
    let store = store()
    let device = FakeControlDevice()
    let hub = EventList()
    let settings = SessionSettings(
      library: MediaLibrary(root: "\(folder)/album", software: "test"), clock: SystemClock(), controlStore: store,
      emit: hub.add, log: { _, _ in })
    let definition = CameraDefinition(
      id: "c", name: "c", position: nil,
      source: DeviceSource(launch: "videotestsrc is-live=true ! video/x-raw,format=I420,width=64,height=48"))
    let session = CameraSession(definition, microphone: nil, settings: settings, controlDevice: device)
    _ = try await session.setControls([ControlValue(name: "brightness", value: 30)], persist: false)
    device.state.withLock { $0.controls[0].value = 0 }
    _ = try await session.setMode(.video)
    _ = try await session.takePhoto(PhotoRequest(), requestedAt: settings.clock.runningTime) { _ in }
    #expect(device.values["brightness"] == 30)
    try await session.shutDown()

    device.state.withLock { $0.failure = CameraError(.cameraFailed, "the driver fails") }
    let second = CameraSession(definition, microphone: nil, settings: settings, controlDevice: device)
    _ = try await second.takePhoto(PhotoRequest(), requestedAt: settings.clock.runningTime) { _ in }
    #expect(hub.all.contains { $0.kind == .warning && $0.message?.contains("the driver fails") == true })
    try await second.shutDown()
  }
}

/// What happened.
private final class EventList: Sendable {
  private let events = Mutex<[Event]>([])
  var all: [Event] { events.withLock { $0 } }

  @Sendable func add(_ event: Event) { events.withLock { $0.append(event) } }
}
