import CameraProtocol
import Foundation
import GStreamer
import MediaLibrary
import Synchronization
import TestSupport
import Testing

@testable import Camera

/// Which element encodes, where some are missing or broken.
@Suite(.timeLimit(.minutes(1))) struct EncoderTests {
  private let clock = SystemClock()
  /// There, but what it is told makes no sense to it.
  private let broken = VideoEncoder(element: "identity", isHardware: true, isUnranked: true)
  private let x264 = VideoEncoder(element: "x264enc")

  init() throws { try GStreamer.initialize() }

  private func choice(_ candidates: [VideoEncoder], _ messages: Messages = Messages()) -> EncoderChoice {
    EncoderChoice(clock: clock, log: { messages.add($1()) }, candidates: { _ in candidates })
  }

  private final class Messages: Sendable {
    private let texts = Mutex<[String]>([])
    func add(_ text: String) { texts.withLock { $0.append(text) } }
    var all: [String] { texts.withLock { $0 } }
  }

  @Test func hardwareThatDoesNotWorkIsTriedOnce() throws {
    let messages = Messages()
    let choice = choice([broken, x264], messages)
    for _ in 0..<3 { #expect(try choice.encoders(for: .h264) == [x264]) }
    #expect(messages.all.filter { $0.contains("identity is there but doesn't work") }.count == 1)
  }

  @Test func hardwareThatWorksComesFirst() throws {
    let working = VideoEncoder(element: "x264enc", isHardware: true)
    let other = VideoEncoder(element: "openh264enc")
    #expect(try choice([working, other]).encoders(for: .h264) == [working, other])
  }

  @Test func whereThereIsNoneTheErrorNamesThem() throws {
    let missing = VideoEncoder(element: "nosuchenc")
    let error = try refusal(CameraError.self) { _ = try choice([missing]).encoders(for: .h264) }
    #expect(error.kind == .notSupported)
    #expect(error.detail.message.contains("nosuchenc"))
  }

  @Test(arguments: VideoCodec.allCases) func theUsualOnesAreThere(_ codec: VideoCodec) throws {
    let usual = EncoderChoice(clock: clock, log: { _, _ in })
    #expect(try !usual.encoders(for: codec).isEmpty)
  }

  /// One that can't be started gives way during the start of a recording.
  @Test func aRecordingStartsWithTheNextOne() async throws {
    let folder = try TemporaryFolder()
    var settings = SessionSettings(
      library: MediaLibrary(root: folder.file("album"), software: "test"), clock: clock, emit: { _ in },
      log: { _, _ in })
    settings.encoders = choice([VideoEncoder(element: "identity", isUnranked: true), x264])
    let source = "videotestsrc is-live=true ! video/x-raw,format=I420,width=320,height=180,framerate=30/1"
    let session = CameraSession(
      CameraDefinition(id: "c", name: "c", position: nil, source: DeviceSource(launch: source)), microphone: nil,
      settings: settings)
    let status = try await session.startRecording(RecordingRequest(maxDuration: nil))
    #expect(status.encoder == "x264enc")
    let result = try await session.stopRecording()
    #expect(result.frames > 0)
    #expect(try MovieJudge(try #require(result.asset?.path)).complaints() == "")
    #expect(try settings.encoders.encoders(for: .h264) == [x264], "it is left alone from then on")
    try await session.shutDown()
  }
}
