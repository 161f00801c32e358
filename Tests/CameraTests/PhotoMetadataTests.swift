import CameraProtocol
import Foundation
import GStreamer
import MediaLibrary
import TestSupport
import Testing

@testable import Camera

/// What photos say of how they were exposed and lit, with devices that aren't there.
@Suite(.timeLimit(.minutes(1))) struct PhotoMetadataTests {
  private func session(_ folder: TemporaryFolder, flash: Bool = false, device: (any ControlDevice)? = nil) throws
    -> CameraSession
  {
    try GStreamer.initialize()
    let clock = SystemClock()
    let light = FakeLight(clock)
    let settings = SessionSettings(
      library: MediaLibrary(root: folder.path, software: "test 1"), clock: clock, light: { _ in light },
      emit: { _ in }, log: { _, _ in })
    let definition = CameraDefinition(
      id: "c", name: "Camera", position: nil,
      source: DeviceSource(
        launch: "videotestsrc is-live=true pattern=black ! video/x-raw,format=I420,width=64,height=48,framerate=30/1"),
      flash: flash ? FlashDefinition(path: "/") : nil, maker: "Maker")
    return CameraSession(definition, microphone: nil, settings: settings, controlDevice: device)
  }

  private func tags(_ session: CameraSession, _ folder: TemporaryFolder) async throws -> [String: String] {
    let library = MediaLibrary(root: folder.path)
    let now = session.settings.clock.runningTime
    let asset = try await session.takePhoto(PhotoRequest(), requestedAt: now) { photos throws(CameraError) in
      try library.savePhoto(photos.original.buffers, photos.original.description)
    }.result
    let judge = PhotoJudge(try #require(asset.path))
    #expect(try judge.complaints() == "")
    return try judge.tags()
  }

  /// Of a time that the camera chooses itself the driver need not know: nothing is better than something wrong.
  @Test func exposureTimeIsWrittenWhereItIsSet() async throws {
    let folder = try TemporaryFolder()
    let session = try session(folder, device: FakeControlDevice())
    #expect(try await tags(session, folder)["ExposureTime"] == nil)
    for (seconds, written) in [(0.01, 0.01), (0.5, 0.5), (0.0033, 1.0 / 303)] {
      _ = try await session.setControls(
        [ControlValue(name: "exposureMode", entry: "manual"), ControlValue(name: "exposureTime", value: seconds)],
        persist: false)
      let text = try #require(try await tags(session, folder)["ExposureTime"])
      #expect(abs(try #require(Double(text)) - written) < written / 1000)
    }
    try await session.shutDown()
  }

  @Test func theLightIsTold() async throws {
    let folder = try TemporaryFolder()
    let dark = try session(folder)
    #expect(try await tags(dark, folder)["Flash"] == "32", "no light")
    #expect(try await tags(dark, folder)["Make"] == "Maker")
    try await dark.shutDown()
    let lit = try session(folder, flash: true)
    for (mode, value) in [(FlashMode.auto, "25"), (.on, "9"), (.off, "16")] {
      try await lit.setFlash(mode)
      #expect(try await tags(lit, folder)["Flash"] == value, "\(mode)")
    }
    try await lit.shutDown()
  }
}
