import CameraProtocol
import GStreamer

/// The pipeline that holds a device: source, caps, appsink. Opening and closing block on an executor of its own.
actor CapturePipeline {
  nonisolated let executor: QueueExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// The error that ended the flow, once there is one.
  nonisolated let failure = Promise<GStreamerError>()
  private let launch: String
  private let clock: SystemClock
  private let handler: @Sendable (borrowing Sample) -> Void
  private var pipeline: Pipeline?

  /// Nothing is opened yet. `launch` ends in an open source pad; `handler` takes each sample on the streaming thread.
  init(_ launch: String, clock: SystemClock, handler: @escaping @Sendable (borrowing Sample) -> Void) {
    executor = QueueExecutor("camd.capture")
    self.launch = launch
    self.clock = clock
    self.handler = handler
  }

  /// The launch line of a camera's pipeline, at one of its formats where there is a choice.
  static func video(_ source: DeviceSource, _ format: SourceFormat?) -> String {
    source.launch + (format.map { " ! \($0.caps)" } ?? "")
  }

  /// The launch line of a microphone's pipeline. Whatever the device delivers leaves it as 16-bit stereo at 48 kHz,
  /// which every player takes, and in which silence is zeros.
  static func audio(_ source: DeviceSource) -> String {
    "\(source.launch) ! audioconvert ! audioresample ! \(SoundFormat.caps)"
  }

  /// Opens the device and starts the flow. What is no live source, such as a file, begins at the running time `origin`
  /// and is paced by the clock.
  func open(origin: UInt64) async throws(GStreamerError) {
    let pipeline = try Pipeline(
      launch: "\(launch) ! appsink name=camd-sink sync=false enable-last-sample=false max-buffers=4", clock: clock)
    self.pipeline = pipeline
    let sink = try AppSink(pipeline, "camd-sink")
    sink.onSample(handler)
    let failure = failure
    let reader = Task {
      for await message in pipeline.messages {
        switch message {
        case .error(let error): failure.fulfil(error)
        case .endOfStream: failure.fulfil(GStreamerError("the source has ended", situation: .notFound))
        case .warning: break
        }
      }
    }
    do {
      if try !pipeline.pause() {
        try sink.setSynchronous(true)
        sink.setOrigin(origin)
        pipeline.begin(at: origin)
      }
      try pipeline.play()
    } catch {
      // the element's own reason was put on the bus before the state change failed
      pipeline.stop()
      self.pipeline = nil
      await reader.value
      throw failure.current ?? error
    }
  }

  /// Ends the flow and closes the device.
  func close() {
    pipeline?.stop()
    pipeline = nil
  }
}
