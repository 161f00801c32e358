import CameraProtocol
import TestSupport
import Testing

@testable import Camera

/// The session's decisions, without a device.
@Suite struct SessionPlanTests {
  private func steps(_ request: SessionPlan.Request, _ situation: SessionPlan.Situation) throws -> [SessionPlan.Step] {
    try SessionPlan.steps(request, situation, camera: "c")
  }

  @Test func aColdSessionOpensItsSourceAndInVideoModeItsMicrophone() throws {
    #expect(try steps(.open, .init()) == [.openSource])
    #expect(try steps(.open, .init(mode: .video)) == [.openSource, .openMicrophone])
    #expect(try steps(.open, .init(isOpen: true)) == [])
  }

  @Test func startingFromPhotoModeSwitchesToVideo() throws {
    #expect(
      try steps(.startRecording, .init()) == [.setMode(.video), .openSource, .openMicrophone, .beginRecording])
    #expect(try steps(.startRecording, .init(isOpen: true)) == [.setMode(.video), .openMicrophone, .beginRecording])
    #expect(try steps(.startRecording, .init(mode: .video, isOpen: true)) == [.beginRecording])
  }

  @Test func theOneButtonStartsAndStopsInVideoModeOnly() throws {
    #expect(try steps(.shutter, .init()) == [])
    #expect(try steps(.shutter, .init(mode: .video)) == [.openSource, .openMicrophone, .beginRecording])
    #expect(try steps(.shutter, .init(mode: .video, isOpen: true)) == [.beginRecording])
    #expect(
      try steps(.shutter, .init(mode: .video, isOpen: true, isRecording: true)) == [.finishRecording(.stopped)])
  }

  @Test func aLostMicrophoneIsOpenedAgainForTheNextMovie() throws {
    let situation = SessionPlan.Situation(mode: .video, isOpen: true, lacksMicrophone: true)
    #expect(try steps(.startRecording, situation) == [.openMicrophone, .beginRecording])
    let other = SessionPlan.Situation(mode: .photo, isOpen: true, lacksMicrophone: true)
    #expect(try steps(.startRecording, other) == [.setMode(.video), .openMicrophone, .beginRecording])
  }

  @Test func aSecondStartIsRefused() throws {
    let error = try refusal(CameraError.self) {
      _ = try steps(.startRecording, .init(mode: .video, isOpen: true, isRecording: true))
    }
    #expect(error.kind == .recordingInProgress)
  }

  @Test(arguments: [SessionPlan.Request.stopRecording(.stopped), .cancelRecording])
  func endingWhatDoesNotRunIsRefused(_ request: SessionPlan.Request) throws {
    let error = try refusal(CameraError.self) { _ = try steps(request, .init(isOpen: true)) }
    #expect(error.kind == .notRecording)
  }

  @Test func switchingWhileRecordingFinishesTheMovieFirst() throws {
    let recording = SessionPlan.Situation(mode: .video, isOpen: true, isRecording: true)
    #expect(
      try steps(.setMode(.photo), recording) == [.finishRecording(.modeChanged), .closeMicrophone, .setMode(.photo)])
    #expect(try steps(.setMode(.video), recording) == [])
  }

  @Test func theSourceIsReopenedOnlyWhereItsFormatChanges() throws {
    let open = SessionPlan.Situation(mode: .photo, isOpen: true, hasViewers: true)
    #expect(try steps(.setMode(.video), open) == [.setMode(.video), .openMicrophone])
    var changing = open
    changing.formatDependsOnMode = true
    #expect(
      try steps(.setMode(.video), changing) == [.closeSource, .setMode(.video), .openSource, .openMicrophone])
  }

  @Test func aLostSourceEndsTheRecordingAsAFile() throws {
    #expect(
      try steps(.sourceLost, .init(mode: .video, isOpen: true, isRecording: true))
        == [.finishRecording(.cameraLost), .closeMicrophone, .closeSource])
    #expect(try steps(.sourceLost, .init()) == [])
  }

  @Test func idlenessClosesOnlyWhatNobodyUses() throws {
    #expect(try steps(.idle, .init(isOpen: true)) == [.closeSource])
    #expect(try steps(.idle, .init(isOpen: true, hasViewers: true)) == [])
    #expect(try steps(.idle, .init(mode: .video, isOpen: true, isRecording: true)) == [])
  }

  @Test func shuttingDownKeepsTheMovie() throws {
    #expect(
      try steps(.shutdown, .init(mode: .video, isOpen: true, isRecording: true))
        == [.finishRecording(.shutdown), .closeMicrophone, .closeSource])
  }
}
