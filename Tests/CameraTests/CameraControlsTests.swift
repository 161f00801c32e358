import CVideo4Linux
import CameraProtocol
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Camera

/// Setting the controls of a camera that has all kinds of them.
@Suite struct CameraControlsTests {
  private let device = FakeControlDevice()
  private let controls = CameraControls(camera: "c", store: ControlStore(path: nil) { _, _ in })

  /// The error that setting these ends with; nothing may have changed then.
  private func refusal(_ values: [ControlValue], sourceLocation: SourceLocation = #_sourceLocation) async
    -> CameraError?
  {
    let before = device.values
    do {
      _ = try await controls.set(values, persist: false, on: device)
      return nil
    } catch {
      #expect(device.values == before, sourceLocation: sourceLocation)
      #expect(device.state.withLock { $0.calls }.isEmpty, sourceLocation: sourceLocation)
      return error
    }
  }

  @Test func listsThemInTheUnitsOfTheField() async throws {
    let list = try await controls.list(device)
    #expect(list.map(\.name).prefix(3) == ["brightness", "exposureTime", "exposureMode"])
    #expect(
      list[1]
        == Control(
          name: "exposureTime", type: .number, value: 0.0156, default: 0.0156, minimum: 0.0001, maximum: 1,
          step: 0.0001,
          inactive: true))
    #expect(
      list[2].entries == [ControlEntry(value: 1, name: "manual"), ControlEntry(value: 3, name: "aperturePriority")])
    #expect(list[5].readOnly)
    #expect(list[0].entries == nil)
  }

  @Test func setsAManualValueTogetherWithTheModeThatAllowsIt() async throws {
    let set = try await controls.set(
      [ControlValue(name: "exposureTime", value: 0.03333), ControlValue(name: "exposureMode", entry: "Manual")],
      persist: false, on: device)
    #expect(device.values["exposureTime"] == 333)
    #expect(device.values["exposureMode"] == 1)
    #expect(device.state.withLock { $0.calls }.count == 1)
    #expect(set.map(\.name) == ["exposureTime", "exposureMode"])
    #expect(set.first?.value == 0.0333)
    #expect(set.first?.inactive == false)
  }

  @Test func refusesWhatCanNotBeAndChangesNothing() async throws {
    let good = ControlValue(name: "brightness", value: 20)
    for (bad, kind, word) in [
      (ControlValue(name: "shutter", value: 1), CameraError.Kind.noSuchControl, "brightness, exposureTime"),
      (ControlValue(name: "brightness", value: 66), .valueOutOfRange, "-64 to 64 in steps of 2"),
      (ControlValue(name: "brightness", value: 3), .valueOutOfRange, "3"),
      (ControlValue(name: "brightness", value: 0.5), .valueOutOfRange, "0.5"),
      (ControlValue(name: "brightness", value: 1e300), .valueOutOfRange, "-64 to 64"),
      (ControlValue(name: "brightness", value: .nan), .valueOutOfRange, "-64 to 64"),
      (ControlValue(name: "brightness", entry: "on"), .valueOutOfRange, "'on'"),
      (ControlValue(name: "exposureTime", value: 1.1), .valueOutOfRange, "0.0001 to 1 in steps of 0.0001"),
      (ControlValue(name: "exposureTime", value: 0), .valueOutOfRange, "0.0001"),
      (ControlValue(name: "exposureTime", value: 0.01), .controlInactive, "'exposureMode'"),
      (ControlValue(name: "focus", value: 5), .controlInactive, "'autoFocus'"),
      (ControlValue(name: "lockedByWhatever", value: 5), .controlInactive, "another one"),
      (ControlValue(name: "exposureMode", value: 2), .valueOutOfRange, "manual (1), aperturePriority (3)"),
      (ControlValue(name: "exposureMode", entry: "auto"), .valueOutOfRange, "'auto'"),
      (ControlValue(name: "autoFocus", value: 2), .valueOutOfRange, "on (1) or off (0)"),
      (ControlValue(name: "privacy", value: 1), .controlReadOnly, "'privacy'"),
    ] {
      let error = try #require(await refusal([good, bad]), "\(bad)")
      #expect(error.kind == kind, "\(bad)")
      #expect(error.detail.message.contains(word), "\(error)")
      #expect(error.detail.camera == "c")
    }
    // setting a mode that doesn't allow it is no help
    let still = await refusal([
      ControlValue(name: "exposureMode", value: 3), ControlValue(name: "exposureTime", value: 0.01),
    ])
    #expect(still?.kind == .controlInactive)
    var neither = good
    neither.value = nil
    #expect(await refusal([neither])?.kind == .valueOutOfRange)
  }

  @Test func takesTheLimitsOf64Bits() async throws {
    for value in [Int64.min, 1 << 53, -(1 << 53)] {
      _ = try await controls.set([ControlValue(name: "wide", value: Double(value))], persist: false, on: device)
      #expect(device.values["wide"] == value)
    }
    // one more than the greatest, which is what the nearest floating-point number is
    await #expect(throws: CameraError.self) {
      try await controls.set([ControlValue(name: "wide", value: Double(Int64.max))], persist: false, on: device)
    }
  }

  @Test func resetsWhatOneMayAndWhatBecomesActive() async throws {
    _ = try await controls.set(
      [
        ControlValue(name: "autoFocus", entry: "off"), ControlValue(name: "focus", value: 50),
        ControlValue(name: "brightness", value: 20), ControlValue(name: "exposureMode", entry: "manual"),
        ControlValue(name: "exposureTime", value: 0.5),
      ], persist: false, on: device)
    _ = try await controls.reset(["focus"], on: device)
    #expect(device.values["focus"] == 0)
    #expect(device.values["brightness"] == 20)
    let all = try await controls.reset(nil, on: device)
    #expect(all.count == 8)
    #expect(
      device.values == [
        "brightness": 0, "exposureTime": 156, "exposureMode": 3, "focus": 0, "autoFocus": 1, "privacy": 0, "wide": 0,
        "lockedByWhatever": 0,
      ])
    await #expect(throws: CameraError.self) { try await controls.reset(["focus", "shutter"], on: device) }
  }

  @Test func hasAPointWhereTheCameraHasOne() async throws {
    try await controls.setPointOfInterest(x: 0.25, y: 1, focus: true, exposure: false, on: device)
    #expect(device.state.withLock { $0.points } == [[0.25, 1, 1, 0]])
    for (x, y) in [(-0.1, 0.5), (0.5, 1.1), (.nan, 0)] {
      await #expect(throws: CameraError.self) {
        try await controls.setPointOfInterest(x: x, y: y, focus: true, exposure: true, on: device)
      }
    }
    do {
      try await controls.setPointOfInterest(
        x: 0, y: 0, focus: true, exposure: true, on: FakeControlDevice(hasPoint: false))
      Issue.record("it has one")
    } catch { #expect(error.kind == .notSupported) }
  }

  @Test(arguments: [
    (0.5, 0.5, [240, 190, 160, 120]), (0, 0, [0, 10, 160, 120]), (1, 1, [480, 370, 160, 120]),
    (0.2, 1, [48, 370, 160, 120]),
  ])
  func aRegionLiesWithinThePicture(x: Double, y: Double, expected: [Int32]) {
    func numbers(_ region: v4l2_rect) -> [Int32] {
      [region.left, region.top, Int32(region.width), Int32(region.height)]
    }
    let region = V4L2ControlDevice.region(x: x, y: y, in: v4l2_rect(left: 0, top: 10, width: 640, height: 480))
    #expect(numbers(region) == expected)
    let tiny = V4L2ControlDevice.region(x: x, y: y, in: v4l2_rect(left: 0, top: 0, width: 1, height: 1))
    #expect(numbers(tiny) == [0, 0, 1, 1])
  }

  @Test func aCameraWithoutThemSaysSo() async throws {
    #expect(try await controls.list(nil) == [])
    do {
      _ = try await controls.set([], persist: false, on: nil)
      Issue.record("it was set")
    } catch { #expect(error.kind == .notSupported) }
    do {
      _ = try await controls.reset(nil, on: nil)
      Issue.record("it was reset")
    } catch { #expect(error.kind == .notSupported) }
  }

  @Test func aDriverThatHangsIsNotWaitedFor() async throws {
    let hanging = HangingDevice()
    let clock = ContinuousClock()
    let start = clock.now
    do {
      _ = try await controls.list(hanging)
      Issue.record("it answered")
    } catch { #expect(error.kind == .timedOut) }
    #expect(clock.now - start < .seconds(20))
    hanging.release()
  }

  @Test func namesAreWords() {
    #expect(ControlNames.name(0x0098_0900, driver: "Helligkeit") == "brightness")
    #expect(ControlNames.name(0x009a_0902, driver: "Exposure Time, Absolute") == "exposureTime")
    #expect(ControlNames.name(0x0098_f900, driver: "White Balance, Automatic") == "whiteBalanceAutomatic")
    #expect(ControlNames.name(0x0098_f901, driver: "LED1 Mode") == "led1Mode")
    #expect(ControlNames.name(0x0098_f902, driver: "…") == "control98f902")
    #expect(ControlNames.entry(0x009a_0901, index: 3, driver: "Aperture Priority Mode") == "aperturePriority")
    #expect(ControlNames.entry(0x0098_0918, index: 1, driver: "50 Hz") == "50 Hz")
  }
}

/// A device whose driver doesn't answer until it is released.
private final class HangingDevice: ControlDevice {
  private let gate = DispatchSemaphore(value: 0)

  func release() { gate.signal() }

  func controls() throws(CameraError) -> [DeviceControl] {
    gate.wait()
    return []
  }
  func set(_ changes: [ControlChange]) throws(CameraError) {}
  func setPointOfInterest(x: Double, y: Double, focus: Bool?, exposure: Bool?) throws(CameraError) {}
}
