import CameraProtocol
import FoundationEssentials
import Testing
import Varlink

/// Messages as they stand on the wire; other programs hold on to them.
@Suite struct MessageTests {
  private func encode(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  private func decode<T: Decodable>(_ type: T.Type, _ text: String) throws -> T {
    try JSONDecoder().decode(type, from: Data(text.utf8))
  }

  /// The text is what the value becomes, and reads as the same again.
  private func golden<T: Codable & Equatable>(_ value: T, _ text: String) throws {
    #expect(try encode(value) == text)
    #expect(try decode(T.self, text) == value)
  }

  private let time = Timestamp(seconds: 1_796_037_375, nanoseconds: 123_000_000, offset: 20_700)
  private var photo: Asset {
    Asset(
      id: "1", kind: .image, path: "/album/a.jpg", width: 1920, height: 1080, bytes: 5, time: time, camera: "front")
  }
  private let photoText =
    #"{"bytes":5,"camera":"front","favorite":false,"height":1080,"id":"1","kind":"image","origin":"captured","#
    + #""path":"/album/a.jpg","time":"2026-11-30T17:01:15.123+05:45","width":1920}"#

  @Test func assets() throws {
    try golden(photo, photoText)
    try golden(
      Asset(
        id: "2", kind: .audio, path: nil, width: nil, height: nil, bytes: 0, time: time, camera: nil, duration: 1.5,
        recovered: true, origin: .edited, favorite: true),
      #"{"bytes":0,"duration":1.5,"favorite":true,"id":"2","kind":"audio","origin":"edited","recovered":true,"#
        + #""time":"2026-11-30T17:01:15.123+05:45"}"#)
  }

  @Test func photoReply() throws {
    let text = #"{"asset":\#(photoText),"descriptor":0,"frameAge":0.0125}"#
    #expect(try encode(TakePhoto.Reply(asset: photo, frameAge: 0.0125, descriptor: 0)) == text)
    let reply = try decode(TakePhoto.Reply.self, text)
    #expect(reply.asset == photo && reply.frameAge == 0.0125 && reply.settled == nil && reply.descriptor == 0)
  }

  @Test func recordings() throws {
    try golden(
      RecordingStatus(
        camera: "c", state: .recording, quality: .hd720, width: 1280, height: 720, frameRate: 30, audio: true,
        time: time,
        duration: 2, frames: 60, droppedFrames: 0, bytes: 9, maxDuration: 600, maxBytes: nil, container: .matroska,
        videoCodec: .h264, audioCodec: .opus, encoder: "x264enc"),
      #"{"audio":true,"audioCodec":"opus","bytes":9,"camera":"c","container":"matroska","droppedFrames":0,"#
        + #""duration":2,"encoder":"x264enc","frameRate":30,"frames":60,"height":720,"maxDuration":600,"#
        + #""quality":"720p","state":"recording","time":"2026-11-30T17:01:15.123+05:45","videoCodec":"h264","#
        + #""width":1280}"#)
    try golden(
      RecordingResult(asset: nil, frames: 0, droppedFrames: 0, audio: false, reason: .cameraLost, message: "gone"),
      #"{"audio":false,"droppedFrames":0,"frames":0,"message":"gone","reason":"cameraLost"}"#)
  }

  @Test func events() throws {
    try golden(Event(.subscribed, time: time), #"{"kind":"subscribed","time":"2026-11-30T17:01:15.123+05:45"}"#)
    try golden(
      Event(.flashChanged, time: time, camera: "c", flash: .auto),
      #"{"camera":"c","flash":"auto","kind":"flashChanged","time":"2026-11-30T17:01:15.123+05:45"}"#)
    try golden(
      Event(.modeChanged, time: time, camera: "c", mode: .video),
      #"{"camera":"c","kind":"modeChanged","mode":"video","time":"2026-11-30T17:01:15.123+05:45"}"#)
  }

  @Test func controls() throws {
    try golden(
      Control(
        name: "exposureMode", type: .menu, value: 1, default: 3, minimum: 0, maximum: 3, step: 1,
        entries: [ControlEntry(value: 1, name: "manual"), ControlEntry(value: 3, name: "aperturePriority")]),
      #"{"default":3,"entries":[{"name":"manual","value":1},{"name":"aperturePriority","value":3}],"inactive":false,"#
        + #""maximum":3,"minimum":0,"name":"exposureMode","readOnly":false,"step":1,"type":"menu","value":1}"#)
    try golden(ControlValue(name: "exposureTime", value: 0.0333), #"{"name":"exposureTime","value":0.0333}"#)
    try golden(ControlValue(name: "autoFocus", entry: "off"), #"{"entry":"off","name":"autoFocus"}"#)
  }

  @Test func parametersLeaveOutWhatIsNotSaid() throws {
    #expect(try encode(TakePhoto.Parameters()) == "{}")
    #expect(
      try encode(StartRecording.Parameters(quality: .vga, maxDuration: 0)) == #"{"maxDuration":0,"quality":"640x480"}"#)
    #expect(try encode(Nothing()) == "{}")
    #expect(try decode(Subscribe.Parameters.self, #"{"kinds":["photoSaved"]}"#).kinds == [.photoSaved])
    #expect(throws: DecodingError.self) { try decode(SetMode.Parameters.self, #"{"mode":"film"}"#) }
    #expect(throws: DecodingError.self) { try decode(SetMode.Parameters.self, "{}") }
  }

  @Test func everyValueFitsTheInterface() throws {
    let interface = try InterfaceDescription(CameraInterface.description)
    func check<M: CameraMethod>(_ method: M.Type, _ parameters: M.Parameters) throws {
      let described = try #require(interface.method(named: M.name))
      try interface.check(parameters: Array(try encode(parameters).utf8), of: described)
    }
    try check(GetStatus.self, CameraSelection())
    for camera in [nil, "front"] { try check(ListCameras.self, CameraSelection(camera: camera)) }
    try check(GetAvailability.self, CameraSelection(camera: "rear"))
    try check(SelectCamera.self, SelectCamera.Parameters(camera: "rear"))
    try check(SelectMicrophone.self, SelectMicrophone.Parameters(microphone: "m"))
    try check(TakePhoto.self, TakePhoto.Parameters(camera: "c", quality: 90, album: false, descriptor: true))
    try check(TakePhoto.self, TakePhoto.Parameters(timer: 3))
    try check(TakeBurst.self, TakeBurst.Parameters(camera: "c", count: 5, format: .png, timer: 1.5))
    try check(Shutter.self, CameraSelection())
    try check(
      StartTimelapse.self, StartTimelapse.Parameters(interval: 5, frames: 3, movie: true, frameRate: 25, quality: .low))
    for quality in Quality.allCases { try check(StartRecording.self, StartRecording.Parameters(quality: quality)) }
    try check(StartRecording.self, StartRecording.Parameters(maxDuration: 1.5, maxBytes: 1, audio: false))
    for mode in CaptureMode.allCases { try check(SetMode.self, SetMode.Parameters(mode: mode)) }
    for mode in FlashMode.allCases { try check(SetFlash.self, SetFlash.Parameters(mode: mode)) }
    for format in PreviewFormat.allCases { try check(Preview.self, Preview.Parameters(output: 0, format: format)) }
    try check(Subscribe.self, Subscribe.Parameters(kinds: EventKind.allCases))
    for value in [ControlValue(name: "gain", value: 2), ControlValue(name: "autoGain", entry: "on")] {
      try check(SetControls.self, SetControls.Parameters(camera: "c", values: [value], persist: true))
    }
    try check(ResetControls.self, ResetControls.Parameters(names: ["gain"]))
    try check(SetPointOfInterest.self, SetPointOfInterest.Parameters(x: 0, y: 0.5, focus: true, exposure: false))
    try check(StopPreview.self, StopPreview.Parameters(viewer: "v"))
  }
}
