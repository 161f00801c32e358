import CameraClient
import CameraProtocol
import Varlink

/// `camctl record --for`
struct RecordCommand: Command {
  static let words = ["record"]
  static let usage = "--for S [--quality Q] [OPTIONS]"
  static let summary = "record for a while"
  static let details = """
    Records, shows the progress on a terminal, and prints the movie's path when the
    file is complete. Ctrl-C ends the recording early.
    """
  static let options =
    [Option("--for", value: "S", "how long: 10, 10s, 1.5m, 1h")] + RecordOptions.list

  private let record: RecordOptions
  private let seconds: Double

  init(_ words: CommandLineWords) throws(UsageError) {
    record = try RecordOptions(words)
    let seconds = try words.value("--for", expected: DurationText.expected, DurationText.seconds)
    guard let seconds else { throw UsageError("'record' needs '--for', or 'start', 'stop' or 'cancel' behind it") }
    guard seconds > 0 else { throw UsageError("'--for' needs more than nothing") }
    self.seconds = seconds
  }

  func run(_ context: Context) throws {
    let interrupt = try Interrupt.catching()
    // The events come on a connection of their own, from before the recording starts.
    let events = try context.connect()
    _ = try events.call(
      Subscribe.self,
      Subscribe.Parameters(kinds: [.recordingStarted, .recordingProgress, .recordingFinished, .recordingFailed]),
      more: true, timeout: Context.shortTimeout)
    let control = try context.connect()
    let started = try control.call(
      StartRecording.self,
      StartRecording.Parameters(
        camera: context.camera, quality: record.quality, maxDuration: seconds, audio: record.audio,
        movie: record.movie),
      timeout: Context.longTimeout)
    let recording = started.value.recording
    do {
      let result = try follow(recording, events, interrupt)
      try show(result, context, nil)
    } catch VarlinkError.interrupted {
      let stopped = try control.call(
        StopRecording.self, CameraSelection(camera: recording.camera), timeout: Context.longTimeout)
      try show(stopped.value, context, stopped.json)
    }
  }

  /// Shows the progress until the recording ends.
  private func follow(
    _ recording: RecordingStatus, _ events: CameraClient, _ interrupt: FileDescriptor
  ) throws -> RecordingResult {
    let deadline = ContinuousClock.now + .seconds(seconds) + Context.longTimeout
    var hasStarted = false
    defer { if Output.errorIsTerminal { Output.progress("") } }
    while true {
      let event = try events.next(Subscribe.self, timeout: deadline - .now, interrupt: interrupt).value.event
      guard event.camera == recording.camera else { continue }
      switch event.kind {
      case .recordingStarted: hasStarted = true
      case .recordingProgress:
        if let now = event.recording, Output.errorIsTerminal {
          Output.progress(
            "\(Text.duration(now.duration)) of \(Text.duration(seconds)), "
              + "\(Text.count(now.frames, "frame")), \(Text.bytes(now.bytes))")
        }
      // One that ended before this one started is another's.
      case .recordingFinished where hasStarted, .recordingFailed where hasStarted:
        if let result = event.result { return result }
      default: break
      }
    }
  }

  private func show(_ result: RecordingResult, _ context: Context, _ json: [UInt8]?) throws {
    var result = result
    if context.json {
      if let json { try Output.json(json) } else { try Output.json(result) }
    }
    // The duration is what was asked for.
    if result.reason == .maxDuration { result.reason = .stopped }
    guard !context.json else { return }
    try result.show(json: nil)
  }
}
