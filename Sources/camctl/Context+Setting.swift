import CameraClient
import CameraProtocol

extension CommandLineWords {
  /// The argument as one of a few words; nil where there is none. `noun` is what it names.
  func choice<Choice: RawRepresentable<String> & CaseIterable>(_ noun: String) throws(UsageError) -> Choice? {
    guard let text = arguments.first else { return nil }
    if let choice = Choice(rawValue: text) { return choice }
    let words = Choice.allCases.map(\.rawValue)
    let expected = words.dropLast().joined(separator: ", ") + " or \(words.last ?? "")"
    throw UsageError("'\(text)' is no \(noun): expected \(expected)")
  }
}

extension Context {
  /// Shows a setting of each camera, a line for each, or the word alone where only one is meant.
  func showSetting(_ client: CameraClient, json: (CameraStatus) -> some Encodable, word: (CameraStatus) -> String)
    throws
  {
    let reply = try client.call(GetStatus.self, CameraSelection(camera: camera), timeout: Self.shortTimeout)
    let cameras = reply.value.status.cameras
    if cameras.isEmpty { throw CameraError(.noSuchCamera, "there is no camera") }
    if self.json { return try Output.json(["cameras": cameras.map(json)]) }
    if cameras.count == 1 { return try Output.line(word(cameras[0])) }
    for line in Text.table(cameras.map { [$0.id, word($0)] }) { try Output.line(line) }
  }
}
