import CameraProtocol

/// What a session has to do for a request, given how it stands. Pure: nothing here touches a device.
struct SessionPlan {
  /// How a session stands.
  struct Situation: Equatable {
    var mode = CaptureMode.photo
    var isOpen = false
    var isRecording = false
    var hasViewers = false
    /// Whether a microphone that should be open isn't: it was lost, or came only now.
    var lacksMicrophone = false
    /// Whether the source delivers another format in the other mode.
    var formatDependsOnMode = false
  }

  /// What is asked of it, by a client or by what happens.
  enum Request: Equatable {
    case open
    case setMode(CaptureMode)
    case changeMicrophone
    case startRecording
    case shutter
    case stopRecording(StopReason)
    case cancelRecording
    case sourceLost
    case idle
    case shutdown
  }

  /// What it does, one after the other.
  enum Step: Equatable {
    case finishRecording(StopReason)
    case discardRecording
    case closeMicrophone
    case closeSource
    case setMode(CaptureMode)
    case openSource
    case openMicrophone
    case beginRecording
  }

  /// The steps for a request. Throws where the request makes no sense now; then nothing is done.
  static func steps(_ request: Request, _ now: Situation, camera: String) throws(CameraError) -> [Step] {
    switch request {
    case .open:
      return open(now, mode: now.mode)
    case .setMode(let mode):
      return change(now, to: mode)
    case .changeMicrophone:
      return now.isOpen && now.mode == .video ? [.closeMicrophone, .openMicrophone] : []
    case .startRecording:
      guard !now.isRecording else {
        throw CameraError(
          .recordingInProgress, "camera '\(camera)' is recording already; stop that recording first", camera: camera)
      }
      return change(now, to: .video) + open(now, mode: .video) + reopenMicrophone(now) + [.beginRecording]
    case .shutter:
      guard !now.isRecording else { return [.finishRecording(.stopped)] }
      return now.mode == .video ? try steps(.startRecording, now, camera: camera) : []
    case .stopRecording(let reason):
      try requireRecording(now, camera)
      return [.finishRecording(reason)]
    case .cancelRecording:
      try requireRecording(now, camera)
      return [.discardRecording]
    case .sourceLost:
      return now.isOpen ? finish(now, .cameraLost) + close(now) : []
    case .idle:
      return now.isOpen && !now.isRecording && !now.hasViewers ? close(now) : []
    case .shutdown:
      return finish(now, .shutdown) + (now.isOpen ? close(now) : [])
    }
  }

  private static func requireRecording(_ now: Situation, _ camera: String) throws(CameraError) {
    guard now.isRecording else {
      throw CameraError(.notRecording, "camera '\(camera)' is not recording", camera: camera)
    }
  }

  private static func finish(_ now: Situation, _ reason: StopReason) -> [Step] {
    now.isRecording ? [.finishRecording(reason)] : []
  }

  private static func open(_ now: Situation, mode: CaptureMode) -> [Step] {
    now.isOpen ? [] : [.openSource] + (mode == .video ? [.openMicrophone] : [])
  }

  private static func reopenMicrophone(_ now: Situation) -> [Step] {
    now.isOpen && now.mode == .video && now.lacksMicrophone ? [.openMicrophone] : []
  }

  private static func close(_ now: Situation) -> [Step] {
    (now.mode == .video ? [.closeMicrophone] : []) + [.closeSource]
  }

  private static func change(_ now: Situation, to mode: CaptureMode) -> [Step] {
    guard now.mode != mode else { return [] }
    var steps = finish(now, .modeChanged)
    guard now.isOpen else { return steps + [.setMode(mode)] }
    if mode == .photo { steps.append(.closeMicrophone) }
    if now.formatDependsOnMode { steps.append(.closeSource) }
    steps.append(.setMode(mode))
    if now.formatDependsOnMode { steps.append(.openSource) }
    if mode == .video { steps.append(.openMicrophone) }
    return steps
  }
}
